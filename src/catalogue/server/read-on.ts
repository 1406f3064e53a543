import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { namesOfGiven, nodesOf, withCounts } from './counts.ts'
import { idsInRange } from './in-range.ts'
import {
  dependsOnRange,
  givenOf,
  inOwnIndex,
  isByDate,
  isByPrice,
  keysOf,
  matching,
  orderBy,
  otherPrices,
  pagePart,
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
  const statement = {
    name: `walk ${isTurned ? 'back' : ''} ${sort} ${namesOfGiven(filters)}`,
    order,
    ids: () => sql`${withCounts(filters)} ${idsOf(filters, sort, order)}`,
  }
  const values = { ...filters, ...nodesOf(filters), limit, offset: isTurned ? after : before }
  const rows = await readRows(db, statement, values)
  return isTurned ? rows.reverse() : rows
}

/**
 * The ids of a part, in a question that begins `withCounts`: they alone come from an index, whatever is passed over before them.
 *
 * @param order the one of the list, or its reverse
 */
export function idsOf(filters: Filters, sort: ProductSort, order: readonly Order[]): SQL {
  if (dependsOnRange(filters, sort)) return idsInRange(filters, sort, order)
  const given = givenOf(filters)
  const own = isByDate(sort) ? inOwnIndex(given, order) : { matches: matching(given), order }
  return sql`select ${products.id} from ${products} where ${own.matches} order by ${orderBy(own.order)} ${pagePart}`
}

type Statement = { name: string; order: readonly Order[]; ids: () => SQL }

/** Whole rows are read for the page, and not for what is passed over before it. */
function readRows(
  db: Db,
  { name, order, ids }: Statement,
  values: Record<string, unknown>,
): Promise<ListedRow[]> {
  const write = () => sql`select ${listedAsNamed} from ${products}
    where ${products.id} = any(array(${ids()})) order by ${orderBy(order)}`
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
  const order = sorting[sort]
  const ids = () => {
    const { keys, inOrder } = keysOf(sort)
    const price = isByPrice(sort) ? products.priceCents : otherPrices
    const matches = matching(givenOf(filters), price)
    const read = pieces.map(
      (piece) => sql`(select ${products.id} as found, ${keys} from ${products} where ${matches} and ${piece}
        order by ${orderBy(order)} limit ${unseen('upTo', 'bigint')})`,
    )
    return sql`select found from (${sql.join(read, sql` union all `)}) as piece order by ${inOrder} ${pagePart}`
  }
  return readRows(
    db,
    { name: `${name} ${sort} ${namesOfGiven(filters)}`, order, ids },
    { ...filters, ...values, upTo: skipped + limit, offset: skipped, limit },
  )
}
