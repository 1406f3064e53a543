import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { orderBy, isByDate, isByPrice, matching, narrowing, sorting, type Given } from './matching.ts'
import { readFound, type Search } from './read-found.ts'
import type { Found } from './read-on.ts'
import { products } from './tables.ts'

/** So many of the first in the order asked for are looked at, step by step, until enough of them match. */
export const nearby = [500, 2000, 5000] as const
/** As far as a single sign is looked for, which no index knows. */
export const farthest = 10_000
/** As far as an index by date is read for what lies in a range of prices, which it has too. */
export const farInRange = 100_000
/** So many of these are looked at. */
const mostInRange = 2000

/** Among the first so many, as an index has them: what it does not know is compared afterwards. */
export function findNearby(db: Db, search: Search, by: ProductSort, near: number): Promise<Found> {
  return readFound(db, search, `of ${near} ${by}`, (given, has, first) =>
    first(nearest(given, has, by, near)),
  )
}

function nearest(
  { category, color, minCents, maxCents }: Given,
  has: readonly SQL[],
  by: ProductSort,
  near: number,
): SQL {
  const indexed = matching({
    ...(isByDate(by) && { category, color }),
    ...(isByPrice(by) && { minCents, maxCents }),
  })
  const inOrder = orderBy(sorting[by])
  const isOne = and(matching({ category, color, minCents, maxCents }), ...has)
  if (near !== farInRange)
    return sql`(select * from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}) as ${products}
      where ${isOne}`
  return sql`(
      select id from (
        select id, price_cents from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}
      ) as ${products} where ${narrowing({ minCents, maxCents })} limit ${sql.raw(`${mostInRange}`)}
    ) as near join ${products} using (id) where ${isOne}`
}
