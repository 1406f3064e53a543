import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { maxLimit } from '#shop/contract/paging.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, nodesOf, totalOf } from './counts.ts'
import {
  asSql,
  dependsOnRange,
  givenOf,
  isInOrder,
  keysOf,
  matching,
  pagePart,
  seenPart,
  sorting,
  type Filters,
} from './matching.ts'
import { shortWalk, type Found, type Part } from './read-on.ts'
import { listedAsNamed, namesOfListed, type ListedRow } from './store.ts'
import { products } from './tables.ts'

/** Nearly all that is asked for lies in the first so many of its list. */
const firstOnes = 100

/** Near the beginning of a list that an index has in its order; undefined where the part is not, or has nothing. */
export async function readNear(db: Db, { filters, sort, before, limit }: Part): Promise<Found | undefined> {
  if (before > shortWalk || !isInOrder(filters, sort)) return undefined
  const depth = before + limit <= firstOnes ? firstOnes : shortWalk + maxLimit
  const rows = await ask<ListedRow & { total: number }>(
    db,
    `${depth} ${sort} ${namesOfGiven(filters)}`,
    () => firstPage(filters, sort, depth),
    { ...filters, ...nodesOf(filters), offset: before, limit },
  )
  return rows[0] && { rows, total: rows[0].total }
}

/** @param depth the page lies in the first so many: without that, or the page itself, the database might put all in order */
function firstPage(filters: Filters, sort: ProductSort, depth: number): SQL {
  const isSeen = dependsOnRange(filters, sort)
  const given = givenOf(filters, { isSeen })
  const { keys, inOrder } = keysOf(sort)
  const order = sql`order by ${sql.join(sorting[sort].map(asSql), sql`, `)}`
  return sql`
    select ${namesOfListed}, (${totalOf(filters, given)}) as total
    from (
      select ${listedAsNamed}, ${keys} from ${products} where ${matching(given)}
      ${isSeen ? sql`` : sql`${order} limit ${sql.raw(`${depth}`)}`}
    ) as first
    order by ${inOrder} ${isSeen ? seenPart : pagePart}`
}
