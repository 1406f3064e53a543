import { gte, lt, lte, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { blocksOf, isOffered, listOf } from './blocks.ts'
import { countByCategory, countOf, isCounted, namesOfGiven, nodesOf, totalOf } from './counts.ts'
import {
  givenOf,
  isByCategory,
  isByDate,
  isByName,
  isByPrice,
  isInOrder,
  isOfPrice,
  keysOf,
  matching,
  narrowing,
  part as pagePart,
  type Filters,
} from './matching.ts'
import { readNear } from './near-pages.ts'
import { allPrices, topLevel } from './price-nodes.ts'
import { readOn, shortWalk, walk, type Found, type Part } from './read-on.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import {
  productBlocks,
  productCounts,
  productNameBlocks,
  productRatingBlocks,
  productRatingChanges,
  products,
} from './tables.ts'

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
  if (isByCategory(sort)) return readFrom(db, part, byCategory(part))
  return readFrom(db, part, byRating(part))
}

/** How the places of a list are found from which a part is read on. */
type Way<Place extends { before: number }> = {
  /** The question for them, within one that has `from`, `upTo` and `total`: each has how much of the list is before it. */
  places: () => SQL
  values: Record<string, unknown>
  /** Undefined where they don't say where the part lies. */
  read: (db: Db, part: Part, places: Place[]) => Promise<ListedRow[] | undefined>
}

const total = sql`(select "all" from counted)`
// Which part of its list is asked for.
const from = unseen('from', 'float8')
const upTo = unseen('upTo', 'float8')

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
  return { rows: (await way.read(db, there, places)) ?? (await walk(db, there, total)), total }
}

function partOrPlaces({ filters, sort }: Part, places: SQL, isSorted: boolean): SQL {
  const given = givenOf(filters, { isSeen: isSorted && isOfPrice(filters) })
  const { keys, inOrder } = keysOf(sort)
  const sorted = sql`select ${listedAsNamed}, ${keys} from ${products}
    where ${total} <= ${sql.raw(`${shortList}`)} and ${matching(given)} order by ${inOrder} ${pagePart}`
  // What an index has in this order, or what is not counted, is walked to near an end.
  const isFar = isWalked(filters, sort)
    ? sql`least(${from}, ${total} - ${upTo}) > ${sql.raw(`${shortWalk}`)}`
    : sql`${total} > greatest(${from}, ${sql.raw(`${shortList}`)})`
  // Below "offset 0" nothing is looked for where the part is not far.
  return sql`
    with counted as materialized (${totalOf(filters, given)})
    select "all" as total, place.* ${isSorted ? sql`, ${namesOfListed}` : sql``}
    from counted left join (select * from (${places}) as each where ${isFar} offset 0) as place on true
      ${isSorted ? sql`left join (${sorted}) as page on true` : sql``}
    order by before ${isSorted ? sql`, ${inOrder}` : sql``}`
}

const isWalked = (filters: Filters, sort: ProductSort) => isInOrder(filters, sort) || !isOffered(filters)

type Slice = { before: number; skipped: number; some: number }

/** How much of a place is passed over, and how much of it is asked for. */
const slice = sql`before::float8, greatest(${from} - before, 0)::float8 as skipped,
  (least(${upTo} - before, products) - greatest(${from} - before, 0))::float8 as some`
const hasSome = sql`before < ${upTo} and before + products > ${from}`

/** What lies in each of the places, one after the other. */
async function readSlices<Place extends Slice>(
  part: Part,
  places: Place[],
  read: (part: Part, place: Place) => Promise<ListedRow[]>,
): Promise<ListedRow[] | undefined> {
  if (places.length === 0) return undefined
  const rows: ListedRow[] = []
  for (const place of places) rows.push(...(await read({ ...part, limit: place.some }, place)))
  return rows
}

/** One part of the list of every category that the page lies in. */
function byCategory({ filters, sort }: Part): Way<Slice & { inCategory: string }> {
  const down = sort === '-category' ? sql`desc` : sql``
  return {
    places: () => sql`
      select category as "inCategory", ${slice}
      from (
        select *, sum(products) over (order by category ${down}) - products as before
        from (${countByCategory(filters)}) as each
      ) as counted
      where ${hasSome}`,
    values: {},
    read: (db, part, places) =>
      readSlices(part, places, async ({ limit }, { inCategory, skipped }) => {
        const ofCategory = { ...filters, category: inCategory }
        return (await readPart(db, { filters: ofCategory, sort: 'newest', before: skipped, limit })).rows
      }),
  }
}

/** From the price at which the part begins: counts lead down from all prices to a hundredth of them, and so on to one. */
function byPrice({ filters, sort }: Part): Way<{ before: number; price: number; skipped: number }> {
  const { minCents = allPrices.minCents, maxCents = allPrices.maxCents } = filters
  const isDown = sort === '-price'
  const down = isDown ? sql`desc` : sql``
  return {
    places: () => {
      const { category, color } = givenOf(filters, { isSeen: false })
      return sql`
      with recursive place(level, node, skipped) as (
        select ${topLevel}::int, 0, ${from} + (${countOf({ category, color }, 'outside')})
        union all
        select level - 1, part.node, skipped - part.before
        from place cross join lateral (
          select inner_one.node, before from (
            select kept.node, (sum(sum(products::int)::int) over (order by kept.node ${down}) - sum(products::int))::float8 as before
            from ${productCounts} as kept
            where kept.level = place.level - 1 and kept.node between place.node * 100 and place.node * 100 + 99
              and ${isCounted({ category, color })}
            group by kept.node
          ) as inner_one
          where before <= place.skipped order by before desc limit 1
        ) as part
        where level > 0
      )
      select ${from} - skipped as before, node as price, skipped from place where level = 0`
    },
    // What costs less than the range is passed over too, or more.
    values: nodesOf(isDown ? { minCents: maxCents + 1 } : { maxCents: minCents - 1 }, 'outside'),
    read: async (db, part, [place]) => {
      if (!place) return undefined
      const { price, skipped } = place
      const cents = unseen('price', 'int')
      const pieces = [isDown ? lte(products.priceCents, cents) : gte(products.priceCents, cents)]
      return readOn(db, part, 'from a price', { pieces, values: { price }, skipped })
    },
  }
}

type NamePlace = Slice & { starts: string; ends: string | null }

/** Out of each block that the part lies in: of one color there may be nothing between two of them, and much of others. */
function byName({ filters, sort }: Part): Way<NamePlace> {
  const down = sort === '-name' ? sql`desc` : sql``
  const name = sql`lower(${products.name})`
  const onwards = gte(name, unseen('starts', 'text'))
  return {
    places: () => sql`
      select starts, (select min(next.starts) from whole_name_blocks as next where next.starts > block.starts) as ends,
        ${slice}
      from (
        select starts, products, sum(products) over (order by starts ${down}) - products as before
        from (${blocksOf(productNameBlocks, sql`starts`, filters)}) as each
      ) as block
      where ${hasSome}`,
    values: listOf(filters),
    read: (db, part, places) =>
      readSlices(part, places, (slicePart, { starts, ends, skipped }) => {
        const isLast = ends === null
        const pieces = [isLast ? onwards : sql`${onwards} and ${lt(name, unseen('ends', 'text'))}`]
        const place = { pieces, values: { starts, ends }, skipped }
        return readOn(db, slicePart, `from a name ${isLast ? 'on' : ''}`, place)
      }),
  }
}

type Start = { startsAt: string; startsId: string }
const startsAt = unseen('startsAt', 'timestamptz')
/** What is as new as the start, and what is older. */
const fromStart = [
  sql`created_at = ${startsAt} and id >= ${unseen('startsId', 'text')}`,
  sql`created_at < ${startsAt}`,
]

type DatePlace = Start & { before: number; skipped: number }

/** From the start of the block in which the part begins; each lies in the list as it is newest first. */
function byDate({ filters, sort }: Part): Way<DatePlace> {
  const isTurned = sort === 'oldest'
  const first = isTurned ? sql`greatest(${total} - ${upTo}, 0)` : from
  return {
    places: () => sql`
      select before::float8, starts_at::text as "startsAt", starts_id as "startsId", (${first} - before)::float8 as skipped
      from (
        select starts_at, starts_id, sum(products) over (order by starts_at desc, starts_id) - products as before
        from (${blocksOf(productBlocks, sql`starts_at, starts_id`, filters)}) as each
      ) as block
      where before <= ${first} order by starts_at, starts_id desc limit 1`,
    values: listOf(filters),
    read: async (db, part, [place]) => {
      if (!place) return undefined
      const { startsAt, startsId, skipped } = place
      const start = { pieces: fromStart, values: { startsAt, startsId }, skipped }
      const found = await readOn(db, { ...part, sort: 'newest' }, 'from a date', start)
      return isTurned ? found.reverse() : found
    },
  }
}

type RatingPlace = Slice & Start & { startsRating: number }

/** As by name; what has changed since the blocks were counted is between their starts, or before all of them. */
function byRating({ filters, sort }: Part): Way<RatingPlace> {
  const sign = sort === '-rating' ? sql`-1` : sql`1`
  const starts = sql`starts_rank, starts_at, starts_id`
  const rating = unseen('startsRating', 'float8')
  const same = sql`rating = ${rating}`
  const pieces = [
    ...fromStart.map((piece) => sql`${same} and ${piece}`),
    sort === 'rating' ? sql`rating > ${rating}` : sql`rating < ${rating}`,
  ]
  return {
    places: () => sql`
      with starts as materialized (
        select * from (
          select *, (sum(change) over (order by rank, created_at desc, id, is_start desc rows unbounded preceding)
            - change)::float8 as before
          from (
            select starts_rank as rank, starts_at as created_at, starts_id as id, products as change, true as is_start
            from (${blocksOf(productRatingBlocks, starts, filters, sql`sign = ${sign}`)}) as each
            union all
            select rank, created_at, id, change, false
            from ${productRatingChanges} as ${products}
            where sign = ${sign} and ${narrowing(givenOf(filters, { isSeen: false }))}
          ) as each
        ) as counted where is_start
      )
      select ${sign} * rank as "startsRating", created_at::text as "startsAt", id as "startsId", ${slice}
      from (
        select *, coalesce(lead(before) over (order by rank, created_at desc, id) - before, 'infinity') as products
        from starts
        where before < ${upTo} and before >= (select max(before) from starts where before <= ${from})
      ) as block
      where ${hasSome}`,
    values: listOf(filters),
    read: (db, part, places) =>
      readSlices(part, places, (slicePart, { skipped, startsRating, startsAt, startsId }) => {
        const values = { startsRating, startsAt, startsId }
        return readOn(db, slicePart, 'from a rating', { pieces, values, skipped })
      }),
  }
}
