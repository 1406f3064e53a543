import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { counts, totalCounted } from './counts.ts'
import {
  matchingAsRange,
  comparedColumns,
  placeholdersOf,
  inOwnIndex,
  inWindow,
  isByDate,
  hasCategoryOrColor,
  matching,
  narrowing,
  orderBy,
  otherPrices,
  type Filters,
  type Order,
  type Window,
} from './matching.ts'
import { products } from './tables.ts'

// The database cannot know how much of a price range the filters leave. The counts do, and say which way is
// shortest.

/** Reading the row of a product takes as long as passing over this many entries of an index. */
const costOfRow = sql`10`
/** Reads every product of the list at any price. */
const costOfList = sql`${costOfRow} * ${counts.inList}`
/** Passes over other categories and colors in the index of prices. */
const costOfRange = sql`(${counts.inRange} + ${costOfRow} * ${totalCounted})`
const costOfAll = sql`least(${costOfList}, ${costOfRange})`
/** About what it costs to count a price range in all blocks of a million products: some milliseconds. */
const costOfCounting = sql`20000`
/**
 * The products in a price range may lie together in the order of the list: all of a category may have the same
 * name, or newer products may be dearer. The walk is given up at this many times its length in an even list.
 */
const unevenness = sql`2`

/**
 * All of a list in a price range, out of the list at any price or out of the whole range, whichever costs less.
 * Like `idsInRange`, for use in a statement that begins `withCounts`.
 *
 * @param isNeeded whether it is needed at all
 */
export function allInRange(filters: Filters, isNeeded: SQL): SQL {
  const placeholders = placeholdersOf(filters)
  // Without "offset 0" the database might read a whole index in the order of the page instead.
  const outOf = (matches: SQL) => sql`(select * from ${products} where ${isNeeded} and ${matches} offset 0)`
  if (!hasCategoryOrColor(filters)) return outOf(matching(placeholders))
  const isOfList = sql`(select ${costOfList} <= ${costOfRange})`
  return sql`${outOf(sql`${isOfList} and ${matchingAsRange(placeholders, otherPrices)}`)}
    union all ${outOf(sql`not ${isOfList} and ${matching(placeholders)}`)}`
}

/**
 * The ids of a part, by a walk through the list that passes other prices, or out of everything in the range. If
 * both take long, it finds none, unless it is `atAnyCost`: counting where the part lies is faster then.
 *
 * @param order the order of the list, or its reverse
 * @param window which part, in that order
 */
export function idsInRange(
  filters: Filters,
  sort: ProductSort,
  order: readonly Order[],
  { window, atAnyCost }: { window: Window; atAnyCost: boolean },
): SQL {
  const placeholders = placeholdersOf(filters)
  const { category, color } = placeholders
  const isOwn = isByDate(sort)
  const scan = isOwn ? inOwnIndex({ category, color }, order) : { matches: matching({}), order }
  const upTo = sql`least(${window.offset} + ${window.limit}, ${totalCounted})`
  const passed = sql`${isOwn ? counts.inList : counts.inShop} * ${upTo} / greatest(1, ${totalCounted})`
  const costOfElse = atAnyCost ? costOfAll : sql`least(${costOfAll}, ${costOfCounting})`
  const isWalkCheap = sql`(select ${window.limit} > 0 and ${passed} <= ${costOfElse})`
  const most = sql`case when ${isWalkCheap} then ${unevenness} * (${passed} + 100) else 0 end`
  const isSoonRead = atAnyCost ? sql`true` : sql`${costOfAll} <= ${costOfCounting}`
  const isReached = sql`(select cardinality(ids) >= ${upTo} from walked)`
  return sql`
    with walked as materialized (
      select array(
        select id from (
          select ${comparedColumns} from ${products} where ${scan.matches} order by ${orderBy(scan.order)} limit (${most})::bigint
        ) as ${products} where ${narrowing(placeholders)} limit (${upTo})::bigint
      ) as ids
    )
    (select unnest(ids[(${window.offset})::int + 1:]) as id from walked where ${isReached})
    union all
    (select ${products.id} from (${allInRange(filters, sql`(select not ${isReached} and ${isSoonRead})`)}) as ${products}
      order by ${orderBy(order)} ${inWindow(window)})`
}
