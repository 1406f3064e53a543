import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, nodesOf, totalCounted, withCounts } from './counts.ts'
import {
  dependsOnRange,
  givenOf,
  isInOrder,
  isOfOne,
  keysOf,
  matching,
  orderBy,
  pagePart,
  sorting,
  type Filters,
} from './matching.ts'
import { idsOf, shortWalk, type Found, type Part } from './read-on.ts'
import { listedAsNamed, namesOfListed, type ListedRow } from './store.ts'
import { products } from './tables.ts'

/** Nearly all that is asked for lies in the first so many of its list. */
export const firstOnes = 100

/** Near the beginning of a list that an index has in its order; undefined where the part is not, or has nothing. */
export async function readNear(db: Db, { filters, sort, before, limit }: Part): Promise<Found | undefined> {
  if (before > shortWalk || !isInOrder(filters, sort)) return undefined
  const isOfFirst = before + limit <= firstOnes && !isOfOne(filters) && !dependsOnRange(filters, sort)
  const rows = await ask<ListedRow & { total: number }>(
    db,
    `near ${isOfFirst ? 'first' : ''} ${sort} ${namesOfGiven(filters)}`,
    () => nearPage(filters, sort, isOfFirst),
    { ...filters, ...nodesOf(filters), offset: before, limit },
  )
  return rows[0] && { rows, total: rows[0].total }
}

/** @param isOfFirst it lies in the first ones of all, which are read as they are: sooner than by their ids */
function nearPage(filters: Filters, sort: ProductSort, isOfFirst: boolean): SQL {
  const given = givenOf(filters)
  const order = sorting[sort]
  const { keys, inOrder } = keysOf(sort)
  // Without a number the database might put all in order.
  const first = () => sql`${matching(given)} order by ${orderBy(order)} limit ${sql.raw(`${firstOnes}`)}`
  const ofPage = () => sql`${products.id} = any(array(${idsOf(filters, sort, order)}))`
  return sql`
    ${withCounts(filters)}
    select ${namesOfListed}, ${totalCounted} as total
    from (select ${listedAsNamed}, ${keys} from ${products} where ${isOfFirst ? first() : ofPage()}) as near
    order by ${inOrder} ${isOfFirst ? pagePart : sql``}`
}
