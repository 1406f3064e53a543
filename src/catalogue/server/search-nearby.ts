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

/** So many of the first in the order asked for are looked at, if they promise enough, */
export const nearby = 500
/** and then so many. */
export const further = 5000
/** As far as a single sign is looked for, which no index knows. */
export const farthest = 10_000
/** As far as an index by date is read for what lies in a range of prices, which it has too. */
export const farInRange = 100_000
/** So many of these are looked at. */
export const mostInRange = 3000

/** Where to look: among the first so many in an order, of which so many are found at most. */
export type Step = { by: ProductSort; near: number; most: number }

/** Among the first ones, as an index has them: what it does not know is compared afterwards. */
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
  // All of these are looked at: an array has no order. And not joined with, or the database, which expects next to nothing
  // to have the words, reads them anew for each that does.
  return sql`(
      select * from ${products} where id = any(array(
        select id from (
          select id, price_cents from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}
        ) as ${products} where ${narrowing({ minCents, maxCents })} limit ${sql.raw(`${mostInRange}`)}
      )) and ${isOne}
    ) as ${products}`
}
