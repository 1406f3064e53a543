import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { namesOfGiven } from './counts.ts'
import {
  asSql,
  dependsOnRange,
  givenOf,
  inOwnIndex,
  isByDate,
  isByPrice,
  keysOf,
  matching,
  pagePart,
  seenPart,
  sorting,
  turn,
  type Filters,
  type Order,
} from './matching.ts'
import { listedAsNamed, type ListedRow } from './store.ts'
import { products } from './tables.ts'

/** So many entries of an index are passed over in less time than a further question takes. */
export const shortWalk = 1000

/** A part of a list: so many after the first so many, of all that match. */
export type Part = { filters: Filters; sort: ProductSort; before: number; limit: number }
/** What is there of it, and how long the list is. */
export type Found = { rows: ListedRow[]; total: number }

/** From the end of the list that is nearer. */
export async function walk(
  db: Db,
  { filters, sort, before, limit }: Part,
  total: number,
): Promise<ListedRow[]> {
  const after = total - before - limit
  const isTurned = after < before
  const order = isTurned ? sorting[sort].map(turn) : sorting[sort]
  // All in a narrow range of prices are sooner put in order than found on the way: the database had better see which.
  const isSeen = dependsOnRange(filters, sort)
  const name = isSeen ? undefined : `walk ${isTurned ? 'back' : ''} ${sort} ${namesOfGiven(filters)}`
  const rows = await readRows(
    db,
    { name, inOrder: order.map(asSql), ids: () => idsOf(filters, sort, order) },
    { ...filters, limit, offset: isTurned ? after : before },
  )
  return isTurned ? rows.reverse() : rows
}

/** Of a part, with placeholders for it: they alone come from an index, whatever is passed over before them. */
export function idsOf(filters: Filters, sort: ProductSort, order: readonly Order[]): SQL {
  const isSeen = dependsOnRange(filters, sort)
  const given = givenOf(filters, { isSeen })
  const own = isByDate(sort) && !isSeen ? inOwnIndex(given, order) : { matches: matching(given), order }
  return sql`select ${products.id} from ${products} where ${own.matches}
    order by ${sql.join(own.order.map(asSql), sql`, `)} ${isSeen ? seenPart : pagePart}`
}

type Statement = { name: string | undefined; inOrder: SQL[]; ids: () => SQL }

/** Whole rows are read for the page, and not for what is passed over before it. */
function readRows(
  db: Db,
  { name, inOrder, ids }: Statement,
  values: Record<string, unknown>,
): Promise<ListedRow[]> {
  const write = () => sql`select ${listedAsNamed} from ${products}
    where ${products.id} = any(array(${ids()})) order by ${sql.join(inOrder, sql`, `)}`
  return ask<ListedRow>(db, name, write, values)
}

type Place = { pieces: SQL[]; values: Record<string, unknown>; skipped: number }

/**
 * Onwards from a place of the list, in pieces of an index, each read in order and no further than needed: an index knows
 * no "or".
 *
 * @param name stands for the words of the pieces
 */
export function readOn(
  db: Db,
  { filters, sort, limit }: Part,
  name: string,
  place: Place,
): Promise<ListedRow[]> {
  const { pieces, values, skipped } = place
  const order = sorting[sort].map(asSql)
  const ids = () => {
    const { keys, inOrder } = keysOf(sort)
    // Other prices are left out on the way: an index that has prices in order is not to be looked for.
    const price = isByPrice(sort) ? products.priceCents : sql`${products.priceCents} + 0`
    const matches = matching(givenOf(filters, { isSeen: false }), price)
    const read = pieces.map(
      (piece) => sql`(select ${products.id} as found, ${keys} from ${products} where ${matches} and ${piece}
        order by ${sql.join(order, sql`, `)} limit ${unseen('upTo', 'bigint')})`,
    )
    return sql`select found from (${sql.join(read, sql` union all `)}) as piece order by ${inOrder} ${pagePart}`
  }
  return readRows(
    db,
    { name: `${name} ${sort} ${namesOfGiven(filters)}`, inOrder: order, ids },
    { ...filters, ...values, upTo: skipped + limit, offset: skipped, limit },
  )
}
