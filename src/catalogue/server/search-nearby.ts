import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import {
  inOwnIndex,
  inPriceOrder,
  orderBy,
  isByDate,
  isByPrice,
  matching,
  narrowing,
  sorting,
  type FilterPlaceholders,
} from './matching.ts'
import { readSearchPage, type Search } from './read-search-page.ts'
import type { Found } from './list-part.ts'
import { products } from './tables.ts'

/** This many products, the first in the order asked for, are looked at if they promise enough matches, */
export const nearScanLimit = 500
/** and then this many. */
export const furtherScanLimit = 5000
/** How far to look for a sign alone, which no index has. */
export const symbolScanLimit = 10_000
/** How far to read an index by date for a price range. It has prices, too. */
export const rangeScanLimit = 100_000
/** At most this many of the products in the range are looked at. */
export const mostInRange = 3000

/** Where to look: among the first `scanLimit` products in an order, until there are `matchLimit` matches. */
export type Step = { by: ProductSort; scanLimit: number; matchLimit: number }

/** Searches the first products in the order of an index; what the index does not have is compared afterwards. */
export function findNearby(db: Db, search: Search, step: Step): Promise<Found> {
  const { by, scanLimit, matchLimit } = step
  return readSearchPage(db, search, `${matchLimit} of ${scanLimit} ${by}`, (placeholders, has, first) =>
    first(selectFirstMatches(placeholders, has, step)),
  )
}

function selectFirstMatches(
  { category, color, minCents, maxCents }: FilterPlaceholders,
  has: readonly SQL[],
  { by, scanLimit, matchLimit }: Step,
): SQL {
  const { matches: indexed, order } = isByDate(by)
    ? inOwnIndex({ category, color }, sorting[by])
    : { matches: isByPrice(by) ? inPriceOrder({ minCents, maxCents }) : matching({}), order: sorting[by] }
  const inOrder = orderBy(order)
  const isOne = and(matching({ category, color, minCents, maxCents }), ...has)
  if (scanLimit !== rangeScanLimit)
    return sql`(
      select * from (select * from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${scanLimit}`)}) as ${products}
      where ${isOne} limit ${sql.raw(`${matchLimit}`)}
    ) as ${products}`
  // All of these are looked at, since an array has no order. With a join instead, the planner, which expects next
  // to no matches, would read the entries again for each match.
  return sql`(
      select * from ${products} where id = any(array(
        select id from (
          select id, price_cents from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${scanLimit}`)}
        ) as ${products} where ${narrowing({ minCents, maxCents })} limit ${sql.raw(`${mostInRange}`)}
      )) and ${isOne}
    ) as ${products}`
}
