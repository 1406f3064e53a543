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
  type Given,
} from './matching.ts'
import { readFound, type Search } from './read-found.ts'
import type { Found } from './part.ts'
import { products } from './tables.ts'

/** This many products, the first in the order asked for, are looked at if they promise enough matches, */
export const nearby = 500
/** and then this many. */
export const further = 5000
/** How far to look for a sign alone, which no index has. */
export const farthest = 10_000
/** How far to read an index by date for a price range. It has prices, too. */
export const farInRange = 100_000
/** At most this many of the products in the range are looked at. */
export const mostInRange = 3000

/** Where to look: among the first `near` products in an order, until there are `most` matches. */
export type Step = { by: ProductSort; near: number; most: number }

/** Searches the first products in the order of an index; what the index does not have is compared afterwards. */
export function findNearby(db: Db, search: Search, step: Step): Promise<Found> {
  const { by, near, most } = step
  return readFound(db, search, `${most} of ${near} ${by}`, (given, has, first) =>
    first(nearest(given, has, step)),
  )
}

function nearest(
  { category, color, minCents, maxCents }: Given,
  has: readonly SQL[],
  { by, near, most }: Step,
): SQL {
  const { matches: indexed, order } = isByDate(by)
    ? inOwnIndex({ category, color }, sorting[by])
    : { matches: isByPrice(by) ? inPriceOrder({ minCents, maxCents }) : matching({}), order: sorting[by] }
  const inOrder = orderBy(order)
  const isOne = and(matching({ category, color, minCents, maxCents }), ...has)
  if (near !== farInRange)
    return sql`(
      select * from (select * from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}) as ${products}
      where ${isOne} limit ${sql.raw(`${most}`)}
    ) as ${products}`
  // All of these are looked at, since an array has no order. With a join instead, the planner, which expects next
  // to no matches, would read the entries again for each match.
  return sql`(
      select * from ${products} where id = any(array(
        select id from (
          select id, price_cents from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}
        ) as ${products} where ${narrowing({ minCents, maxCents })} limit ${sql.raw(`${mostInRange}`)}
      )) and ${isOne}
    ) as ${products}`
}
