import { gte, lt, lte, sql, type SQL } from 'drizzle-orm'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { unseen } from '#shop/platform/statements.ts'
import { blocksOf, listOf } from './blocks.ts'
import { countByCategory, countOf, isCounted, nodesOf, totalCounted } from './counts.ts'
import { givenOf, narrowing } from './matching.ts'
import { allPrices, topLevel } from './price-nodes.ts'
import { readOn, type Found, type Part } from './read-on.ts'
import type { ListedRow } from './store.ts'
import {
  productBlocks,
  productCounts,
  productNameBlocks,
  productRatingBlocks,
  productRatingChanges,
  products,
} from './tables.ts'

/** How the places of a list are found from which a part is read on. */
export type Way<Place extends { before: number }> = {
  /** The question for them, within one that has `from`, `upTo` and `total`: each has how much of the list is before it. */
  places: () => SQL
  values: Record<string, unknown>
  /** The part, from the places that there are: one at least. */
  read: (db: Db, part: Part, places: Place[]) => Promise<ListedRow[]>
}

// Which part of its list is asked for.
export const fromAsked = unseen('from', 'float8')
export const upToAsked = unseen('upTo', 'float8')

type Slice = { before: number; skipped: number; some: number }

/** How much of a place is passed over, and how much of it is asked for. */
const slice = sql`before::float8, greatest(${fromAsked} - before, 0)::float8 as skipped,
  (least(${upToAsked} - before, products) - greatest(${fromAsked} - before, 0))::float8 as some`
const hasSome = sql`before < ${upToAsked} and before + products > ${fromAsked}`

/** What lies in each of the places, one after the other. */
async function readSlices<Place extends Slice>(
  part: Part,
  places: Place[],
  read: (part: Part, place: Place) => Promise<ListedRow[]>,
): Promise<ListedRow[]> {
  const rows: ListedRow[] = []
  for (const place of places) rows.push(...(await read({ ...part, limit: place.some }, place)))
  return rows
}

/** One part of the list of every category that the page lies in. */
export function byCategory(
  { filters, sort }: Part,
  readPart: (db: Db, part: Part) => Promise<Found>,
): Way<Slice & { inCategory: string }> {
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
export function byPrice({ filters, sort }: Part): Way<{ before: number; price: number; skipped: number }> {
  const { minCents = allPrices.minCents, maxCents = allPrices.maxCents } = filters
  const isDown = sort === '-price'
  const down = isDown ? sql`desc` : sql``
  return {
    places: () => {
      const { category, color } = givenOf(filters)
      return sql`
      with recursive place(level, node, skipped) as (
        select ${topLevel}::int, 0, ${fromAsked} + (${countOf({ category, color }, 'outside')})
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
      select ${fromAsked} - skipped as before, node as price, skipped from place where level = 0`
    },
    // What costs less than the range is passed over too, or more.
    values: nodesOf(isDown ? { minCents: maxCents + 1 } : { maxCents: minCents - 1 }, 'outside'),
    read: (db, part, places) => {
      const { price, skipped } = onlyRow(places)
      const cents = unseen('price', 'int')
      const pieces = [isDown ? lte(products.priceCents, cents) : gte(products.priceCents, cents)]
      return readOn(db, part, 'from a price', { pieces, values: { price }, skipped })
    },
  }
}

type NamePlace = Slice & { starts: string; ends: string | null }

/** Out of each block that the part lies in: of one color there may be nothing between two of them, and much of others. */
export function byName({ filters, sort }: Part): Way<NamePlace> {
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
export function byDate({ filters, sort }: Part): Way<DatePlace> {
  const isTurned = sort === 'oldest'
  const first = isTurned ? sql`greatest(${totalCounted} - ${upToAsked}, 0)` : fromAsked
  return {
    places: () => sql`
      select before::float8, starts_at::text as "startsAt", starts_id as "startsId", (${first} - before)::float8 as skipped
      from (
        select starts_at, starts_id, sum(products) over (order by starts_at desc, starts_id) - products as before
        from (${blocksOf(productBlocks, sql`starts_at, starts_id`, filters)}) as each
      ) as block
      where before <= ${first} order by starts_at, starts_id desc limit 1`,
    values: listOf(filters),
    read: async (db, part, places) => {
      const { startsAt, startsId, skipped } = onlyRow(places)
      const start = { pieces: fromStart, values: { startsAt, startsId }, skipped }
      const found = await readOn(db, { ...part, sort: 'newest' }, 'from a date', start)
      return isTurned ? found.reverse() : found
    },
  }
}

type RatingPlace = Slice & Start & { startsRating: number }

/** As by name; what has changed since the blocks were counted is between their starts, or before all of them. */
export function byRating({ filters, sort }: Part): Way<RatingPlace> {
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
            where sign = ${sign} and ${narrowing(givenOf(filters))}
          ) as each
        ) as counted where is_start
      )
      select ${sign} * rank as "startsRating", created_at::text as "startsAt", id as "startsId", ${slice}
      from (
        select *, coalesce(lead(before) over (order by rank, created_at desc, id) - before, 'infinity') as products
        from starts
        where before < ${upToAsked} and before >= (select max(before) from starts where before <= ${fromAsked})
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
