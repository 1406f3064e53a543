import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { counts, totalCounted } from './counts.ts'
import {
  asFew,
  givenOf,
  inOwnIndex,
  inWindow,
  isByDate,
  isOfOne,
  matching,
  orderBy,
  otherPrices,
  type Filters,
  type Order,
  type Window,
} from './matching.ts'
import { products } from './tables.ts'

// What filters leave of a range of prices the database can not know. Counts can: they say which way is the shortest one.

/** To look at a product takes as long as to pass over so many entries of an index. */
const look = sql`10`
/** All products of the list at any price are looked at. */
const costOfList = sql`${look} * ${counts.inList}`
/** Other categories and colors are passed over in the index of prices. */
const costOfRange = sql`(${counts.inRange} + ${look} * ${totalCounted})`

/**
 * All of a list in a range of prices: out of the list at any price, or out of the range. Within a question that begins
 * `withCounts`, as what follows.
 *
 * @param isAsked whether it is needed at all
 */
export function allInRange(filters: Filters, isAsked: SQL): SQL {
  const given = givenOf(filters)
  // Without "offset 0" an index in the order of the page might be read whole instead.
  const outOf = (matches: SQL) => sql`(select * from ${products} where ${isAsked} and ${matches} offset 0)`
  if (!isOfOne(filters)) return outOf(matching(given))
  const isOfList = sql`(select ${costOfList} <= ${costOfRange})`
  return sql`${outOf(sql`${isOfList} and ${asFew(given, otherPrices)}`)}
    union all ${outOf(sql`not ${isOfList} and ${matching(given)}`)}`
}

/**
 * The ids of a part, on the way through a list that has other prices, too, or out of all that is in the range.
 *
 * @param order the one of the list, or its reverse
 * @param window which part, in that order
 */
export function idsInRange(
  filters: Filters,
  sort: ProductSort,
  order: readonly Order[],
  window: Window,
): SQL {
  const given = givenOf(filters)
  const isOwn = isByDate(sort)
  const way = isOwn ? inOwnIndex(given, order, otherPrices) : { matches: matching(given, otherPrices), order }
  const upTo = sql`(${window.offset} + ${window.limit})`
  const passed = sql`${isOwn ? counts.inList : counts.inShop} * least(1, ${upTo} / greatest(1, ${totalCounted}))`
  const isOnTheWay = sql`(select ${passed} <= least(${costOfList}, ${costOfRange}))`
  return sql`
    (select ${products.id} from ${products} where ${way.matches} and ${isOnTheWay} order by ${orderBy(way.order)} ${inWindow(window)})
    union all
    (select ${products.id} from (${allInRange(filters, sql`not ${isOnTheWay}`)}) as ${products}
      order by ${orderBy(order)} ${inWindow(window)})`
}
