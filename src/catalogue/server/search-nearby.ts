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

/** The first 500 in the order asked for are looked at, if they promise enough, */
export const nearby = 500
/** and then the first 5,000. */
export const further = 5000
/** A sign alone, which no index has, is looked for this far. */
export const farthest = 10_000
/** For a range of prices the index by date, which also has prices, is read this far. */
export const farInRange = 100_000
/** At most this many of those in the range are looked at. */
export const mostInRange = 3000

/** Where to look: among the first `near` products in an order, until `most` are found. */
export type Step = { by: ProductSort; near: number; most: number }

/** Searches the first products in the order of an index. What the index does not have is compared afterwards. */
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
  // All of these are looked at, since an array has no order. They are not joined, either: the database expects
  // next to nothing to have the words, and would read the entries anew for each product that has them.
  return sql`(
      select * from ${products} where id = any(array(
        select id from (
          select id, price_cents from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}
        ) as ${products} where ${narrowing({ minCents, maxCents })} limit ${sql.raw(`${mostInRange}`)}
      )) and ${isOne}
    ) as ${products}`
}
