import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { isOffered } from './blocks.ts'
import { namesOfGiven, nodesOf, totalCounted, withCounts } from './counts.ts'
import { allInRange } from './in-range.ts'
import {
  byCategory,
  byDate,
  byName,
  byPrice,
  byRating,
  fromAsked,
  upToAsked,
  type Way,
} from './far-places.ts'
import {
  givenOf,
  inOwnIndex,
  isByCategory,
  isByDate,
  isByName,
  isByPrice,
  isInOrder,
  isOfPrice,
  keysOf,
  newestFirst,
  orderBy,
  pagePart,
  type Filters,
} from './matching.ts'
import { readNear } from './near-pages.ts'
import { shortWalk, walk, type Found, type Part } from './read-on.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

/** A list of no more is put into order when it is asked for. */
const shortList = 1000

/** A part of a list, in its order, and how long the list is. */
export async function readPart(db: Db, part: Part): Promise<Found> {
  return (await readNear(db, part)) ?? readFar(db, part)
}

/** What is not near an end of a long list is found by counts that triggers keep. */
function readFar(db: Db, part: Part): Promise<Found> {
  const { sort } = part
  if (isByDate(sort)) return readFrom(db, part, byDate(part))
  if (isByPrice(sort)) return readFrom(db, part, byPrice(part))
  if (isByName(sort)) return readFrom(db, part, byName(part))
  if (isByCategory(sort)) return readFrom(db, part, byCategory(part, readPart))
  return readFrom(db, part, byRating(part))
}

/** A single question says how long the list is, and either all of the part, where it is short, or its places. */
async function readFrom<Place extends { before: number }>(
  db: Db,
  part: Part,
  way: Way<Place>,
): Promise<Found> {
  const { filters, sort, before, limit } = part
  const isSorted = !isInOrder(filters, sort) && before <= shortList
  const rows = await ask<NoneOr<ListedRow> & NoneOr<Place> & { total: number }>(
    db,
    `where ${sort} ${isSorted ? 'sorted' : ''} ${isOffered(filters) ? '' : 'priced'} ${namesOfGiven(filters)}`,
    () => partOrPlaces(part, way.places(), isSorted),
    {
      ...filters,
      ...nodesOf(filters),
      ...way.values,
      ...{ from: before, upTo: before + limit, offset: before, limit },
    },
  )
  const { total } = onlyRow(rows)
  if (total <= before) return { rows: [], total }
  if (isSorted && total <= shortList) return { rows: rowsOf(rows), total }
  const there = { ...part, limit: Math.min(limit, total - before) }
  const places = rows.filter((row) => row.before !== null)
  return { rows: await (places.length > 0 ? way.read(db, there, places) : walk(db, there, total)), total }
}

function partOrPlaces({ filters, sort }: Part, places: SQL, isSorted: boolean): SQL {
  const { keys, inOrder } = keysOf(sort)
  const sorted = sql`select ${listedAsNamed}, ${keys} from (${shortOne(filters)}) as ${products} order by ${inOrder} ${pagePart}`
  // What an index has in this order, or what is not counted, is walked to near an end.
  const isFar = isWalked(filters, sort)
    ? sql`least(${fromAsked}, ${totalCounted} - ${upToAsked}) > ${sql.raw(`${shortWalk}`)}`
    : sql`${totalCounted} > greatest(${fromAsked}, ${sql.raw(`${shortList}`)})`
  // Below "offset 0" nothing is looked for where the part is not far.
  return sql`
    ${withCounts(filters)}
    select "all" as total, place.* ${isSorted ? sql`, ${namesOfListed}` : sql``}
    from counted left join (select * from (${places}) as each where ${isFar} offset 0) as place on true
      ${isSorted ? sql`left join (${sorted}) as page on true` : sql``}
    order by before ${isSorted ? sql`, ${inOrder}` : sql``}`
}

/**
 * All of it, when it is a short list. Otherwise, for a list of one product, an index in the order of the page would be read
 * from end to end.
 */
function shortOne(filters: Filters): SQL {
  const isShort = sql`${totalCounted} <= ${sql.raw(`${shortList}`)}`
  if (isOfPrice(filters)) return allInRange(filters, isShort)
  const { matches, order } = inOwnIndex(givenOf(filters), newestFirst)
  return sql`select * from ${products} where ${isShort} and ${matches} order by ${orderBy(order)} limit ${sql.raw(`${shortList}`)}`
}

/** Where a page by category lies is known in any range. */
const isWalked = (filters: Filters, sort: ProductSort) =>
  isInOrder(filters, sort) || (!isOffered(filters) && !isByCategory(sort))
