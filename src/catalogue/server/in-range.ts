import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { counts, totalCounted } from './counts.ts'
import {
  asFew,
  comparedColumns,
  givenOf,
  inOwnIndex,
  inWindow,
  isByDate,
  isOfOne,
  matching,
  narrowing,
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
const costOfAll = sql`least(${costOfList}, ${costOfRange})`
/** Of all blocks of a million products what costs so much is counted in some milliseconds. */
const costOfCounting = sql`20000`
/**
 * What a list has in a range may lie together in its order: all of a category is called the same, or what is new is dearer.
 * The way is given up when it is so many times as long as it is where all lies evenly.
 */
const unevenness = sql`2`

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
 * The ids of a part, on the way through a list that has other prices, too, or out of all that is in the range; none where
 * both take long, unless it is `atAnyCost`: it is sooner counted then where the part lies.
 *
 * @param order the one of the list, or its reverse
 * @param window which part, in that order
 */
export function idsInRange(
  filters: Filters,
  sort: ProductSort,
  order: readonly Order[],
  { window, atAnyCost }: { window: Window; atAnyCost: boolean },
): SQL {
  const given = givenOf(filters)
  const { category, color } = given
  const isOwn = isByDate(sort)
  const way = isOwn ? inOwnIndex({ category, color }, order) : { matches: matching({}), order }
  const upTo = sql`least(${window.offset} + ${window.limit}, ${totalCounted})`
  const passed = sql`${isOwn ? counts.inList : counts.inShop} * ${upTo} / greatest(1, ${totalCounted})`
  const costOfElse = atAnyCost ? costOfAll : sql`least(${costOfAll}, ${costOfCounting})`
  const isOnTheWay = sql`(select ${window.limit} > 0 and ${passed} <= ${costOfElse})`
  const most = sql`case when ${isOnTheWay} then ${unevenness} * (${passed} + 100) else 0 end`
  const isSoonRead = atAnyCost ? sql`true` : sql`${costOfAll} <= ${costOfCounting}`
  const isReached = sql`(select cardinality(ids) >= ${upTo} from walked)`
  return sql`
    with walked as materialized (
      select array(
        select id from (
          select ${comparedColumns} from ${products} where ${way.matches} order by ${orderBy(way.order)} limit (${most})::bigint
        ) as ${products} where ${narrowing(given)} limit (${upTo})::bigint
      ) as ids
    )
    (select unnest(ids[(${window.offset})::int + 1:]) as id from walked where ${isReached})
    union all
    (select ${products.id} from (${allInRange(filters, sql`(select not ${isReached} and ${isSoonRead})`)}) as ${products}
      order by ${orderBy(order)} ${inWindow(window)})`
}
