import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { isOffered } from './blocks.ts'
import { countAtAnyPrice, counts, namesOfGiven, nodesOf, totalCounted, withCounts } from './counts.ts'
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
  inPriceOrder,
  isByCategory,
  isByDate,
  isByName,
  isByPrice,
  isInOrder,
  isOfPrice,
  keysOf,
  matching,
  narrowing,
  newestFirst,
  orderBy,
  pagePart,
  sorting,
  type Filters,
} from './matching.ts'
import { firstOnes, readNear } from './near-pages.ts'
import { shortWalk, walk, type Found, type Part } from './read-on.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

/** A list of no more is put into order when it is asked for. */
const shortList = 1000
/** A page near the beginning of another is looked for among the first so many entries of an index in its order, */
const firstEntries = 2000
/** if it is among these where the list is spread evenly; else counts say where it is, as for any page further on. */
const expectedEntries = 1000

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

/** A single question says how long the list is, and has either all of the part, where it is short or near, or its places. */
async function readFrom<Place extends { before: number }>(
  db: Db,
  part: Part,
  way: Way<Place>,
): Promise<Found> {
  const { filters, sort, before, limit } = part
  const isSorted = !isInOrder(filters, sort) && before <= shortList
  // Categories are not spread at all.
  const isFirst = isSorted && before + limit <= firstOnes && !isByCategory(sort)
  const rows = await ask<NoneOr<ListedRow> & NoneOr<Place> & { total: number }>(
    db,
    `where ${sort} ${isSorted ? 'sorted' : ''} ${isFirst ? 'first' : ''} ${isOffered(filters) ? '' : 'priced'} ${namesOfGiven(filters)}`,
    () => partOrPlaces(part, way.places(), { isSorted, isFirst }),
    {
      ...filters,
      ...nodesOf(filters),
      ...way.values,
      ...{ from: before, upTo: before + limit, offset: before, limit },
    },
  )
  const { total } = onlyRow(rows)
  if (total <= before) return { rows: [], total }
  const page = isSorted ? rowsOf(rows) : []
  if (page.length > 0) return { rows: page, total }
  const there = { ...part, limit: Math.min(limit, total - before) }
  const places = rows.filter((row) => row.before !== null)
  return { rows: await (places.length > 0 ? way.read(db, there, places) : walk(db, there, total)), total }
}

function partOrPlaces(
  { filters, sort }: Part,
  places: SQL,
  { isSorted, isFirst }: { isSorted: boolean; isFirst: boolean },
): SQL {
  const { keys, inOrder } = keysOf(sort)
  const row = sql`select ${listedAsNamed}, ${keys} from`
  const sorted = sql`(${row} (${shortOne(filters)}) as ${products} order by ${inOrder} ${pagePart})`
  const first = sql`(${row} ${products} where not ${isBehindFirst}
    and ${products.id} = any((select ids[${unseen('from', 'int')} + 1:] from first)::text[]))`
  const page = isFirst ? sql`${sorted} union all ${first}` : sorted
  // What an index has in this order, or what is not counted, is walked to near an end.
  const isFar = isWalked(filters, sort)
    ? sql`least(${fromAsked}, ${totalCounted} - ${upToAsked}) > ${sql.raw(`${shortWalk}`)}`
    : sql`${totalCounted} > greatest(${fromAsked}, ${sql.raw(`${shortList}`)})`
  // Below "offset 0" nothing is looked for where the part is not far.
  return sql`
    ${withCounts(filters)} ${isFirst ? sql`, first as materialized (${firstOf(filters, sort)})` : sql``}
    select "all" as total, place.* ${isSorted ? sql`, ${namesOfListed}` : sql``}
    from counted
      left join (
        select * from (${places}) as each where ${isFar} ${isFirst ? sql`and ${isBehindFirst}` : sql``} offset 0
      ) as place on true
      ${isSorted ? sql`left join (${page}) as page on true` : sql``}
    order by before ${isSorted ? sql`, ${inOrder}` : sql``}`
}

/** The first ids of a longer list, up to the end of the page, if these are soon found in its order. */
function firstOf(filters: Filters, sort: ProductSort): SQL {
  const given = givenOf(filters)
  const inOrder = isByPrice(sort) ? inPriceOrder(given) : matching({})
  const among = isByPrice(sort) && isOfPrice(filters) ? counts.inRange : sql`(${countAtAnyPrice({})})`
  return sql`
    select array(
      select id from (
        select * from ${products} where ${inOrder} order by ${orderBy(sorting[sort])} limit ${sql.raw(`${firstEntries}`)}
      ) as ${products} where ${narrowing(given)} limit ${unseen('upTo', 'bigint')}
    ) as ids
    where ${totalCounted} > ${sql.raw(`${shortList}`)}
      and ${upToAsked} * ${among} <= ${sql.raw(`${expectedEntries}`)} * ${totalCounted}`
}

/** Also where nothing was looked for. */
const isBehindFirst = sql`(select coalesce(max(cardinality(ids)), 0) < ${upToAsked} from first)`

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
