import { gte, lt, lte, sql } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { blocksOf, isOffered, listOf, nameOfBlocks } from './blocks.ts'
import { countByCategory, countOf, isCounted, namesOfGiven, nodesOf } from './counts.ts'
import { givenOf, isByDate, isByPrice, narrowing, type Filters } from './matching.ts'
import { allPrices, topLevel } from './price-nodes.ts'
import { readOn, walk, type Part } from './read-on.ts'
import type { ListedRow } from './store.ts'
import {
  productBlocks,
  productCounts,
  productNameBlocks,
  productRatingBlocks,
  productRatingChanges,
  products,
} from './tables.ts'

/** So many entries of an index are passed over in less time than a further question takes. */
export const shortWalk = 1000

/** Whether an index has a list in its order with little of others between; all that is dear may be of one color. */
export function isInOrder({ category, color, minCents, maxCents }: Filters, sort: ProductSort): boolean {
  if (isByDate(sort)) return true
  if (category !== undefined || color !== undefined) return false
  return isByPrice(sort) || (minCents === undefined && maxCents === undefined)
}

/** A part of a long list, in its order. What is not near an end is found by counts that triggers keep. */
export function readPart(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, before, limit, total } = part
  const after = total - before - limit
  const isWalked = isInOrder(filters, sort) || !isOffered(filters)
  if (isWalked && Math.min(before, after) <= shortWalk) return walk(db, part)
  if (isByDate(sort)) return readFromBlock(db, part)
  if (isByPrice(sort)) return readFromPrice(db, part)
  if (sort === 'name' || sort === '-name') return readFromName(db, part)
  if (sort === 'category' || sort === '-category') return readByCategory(db, part)
  return readFromRating(db, part)
}

/** One part of the list of every category that the page lies in. */
async function readByCategory(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, before, limit } = part
  const counted = await countByCategory(db, filters)
  const inOrder = sort === 'category' ? counted : counted.reverse()
  const found: ListedRow[] = []
  let passed = 0
  for (const { category, total } of inOrder) {
    const first = Math.max(before - passed, 0)
    const some = Math.min(before + limit - passed, total) - first
    const inCategory = { filters: { ...filters, category }, sort: 'newest', before: first } as const
    if (some > 0) found.push(...(await readPart(db, { ...inCategory, limit: some, total })))
    passed += total
  }
  return found
}

/** From the price at which the part begins: counts lead down from all prices to a hundredth of them, and so on to one. */
async function readFromPrice(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, before } = part
  const { minCents = 0, maxCents = allPrices.maxCents } = filters
  const isDown = sort === '-price'
  const down = isDown ? sql`desc` : sql``
  // What costs less than the range is passed over too, or more.
  const outside = nodesOf(isDown ? { minCents: maxCents + 1 } : { maxCents: minCents - 1 })
  const { category, color } = givenOf(filters, { isSeen: false })
  const rows = await ask<{ price: number; skipped: number }>(
    db,
    `price where a part begins ${sort} ${namesOfGiven({ category: filters.category, color: filters.color })}`,
    () => sql`
    with recursive place(level, node, skipped) as (
      select ${topLevel}::int, 0, ${unseen('before', 'float8')} + (${countOf({ category, color })})
      union all
      select level - 1, part.node, skipped - part.before
      from place cross join lateral (
        select inner_one.node, before from (
          select kept.node, (sum(sum(products)) over (order by kept.node ${down}) - sum(products))::float8 as before
          from ${productCounts} as kept
          where kept.level = place.level - 1 and kept.node between place.node * 100 and place.node * 100 + 99
            and ${isCounted({ category, color })}
          group by kept.node
        ) as inner_one
        where before <= place.skipped order by before desc limit 1
      ) as part
      where level > 0
    )
    select node as price, skipped from place where level = 0`,
    { ...filters, ...outside, before },
  )
  const { price, skipped } = onlyRow(rows)
  const cents = unseen('price', 'int')
  const pieces = [isDown ? lte(products.priceCents, cents) : gte(products.priceCents, cents)]
  return readOn(db, part, 'from a price', { pieces, values: { price }, skipped })
}

/** Out of each block that the part lies in: of one color there may be nothing between two of them, and much of others. */
async function readFromName(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, before, limit } = part
  const down = sort === '-name' ? sql`desc` : sql``
  const blocks = await ask<NameBlock>(
    db,
    `blocks ${sort} ${nameOfBlocks(filters)}`,
    () => sql`
    select starts, (select min(next.starts) from whole_name_blocks as next where next.starts > block.starts) as ends,
      greatest(${from} - before, 0)::float8 as skipped,
      (least(${upTo} - before, products) - greatest(${from} - before, 0))::float8 as some
    from (
      select starts, products, sum(products) over (order by starts ${down}) - products as before
      from (${blocksOf(productNameBlocks, sql`starts`, filters)}) as each
    ) as block
    where before < ${upTo} and before + products > ${from} order by before`,
    { ...listOf(filters), from: before, upTo: before + limit },
  )
  if (blocks.length === 0) return walk(db, part)
  const name = sql`lower(${products.name})`
  const onwards = gte(name, unseen('starts', 'text'))
  const found: ListedRow[] = []
  for (const { starts, ends, skipped, some } of blocks) {
    const isLast = ends === null
    const pieces = [isLast ? onwards : sql`${onwards} and ${lt(name, unseen('ends', 'text'))}`]
    const place = { pieces, values: { starts, ends }, skipped }
    found.push(...(await readOn(db, { ...part, limit: some }, `from a name ${isLast ? 'on' : ''}`, place)))
  }
  return found
}

type NameBlock = { starts: string; ends: string | null; skipped: number; some: number }

// Where a part begins and where it ends, as a block's counts are.
const from = unseen('from', 'float8')
const upTo = unseen('upTo', 'float8')

/** From the start of the block in which the part begins; each lies in the list as it is newest first. */
async function readFromBlock(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, limit, total } = part
  const rows = await ask<{ startsAt: string; startsId: string; skipped: number }>(
    db,
    `block by date ${nameOfBlocks(filters)}`,
    () => sql`
    select starts_at::text as "startsAt", starts_id as "startsId", (${from} - before)::float8 as skipped
    from (
      select starts_at, starts_id, sum(products) over (order by starts_at desc, starts_id) - products as before
      from (${blocksOf(productBlocks, sql`starts_at, starts_id`, filters)}) as each
    ) as block
    where before <= ${from} order by starts_at, starts_id desc limit 1`,
    { ...listOf(filters), from: sort === 'oldest' ? total - part.before - limit : part.before },
  )
  const block = rows[0]
  if (!block) return walk(db, part)
  const { skipped, ...values } = block
  const pieces = [sql`created_at = ${startsAt} and id >= ${startsId}`, sql`created_at < ${startsAt}`]
  const found = await readOn(db, { ...part, sort: 'newest' }, 'from a date', { pieces, values, skipped })
  return sort === 'oldest' ? found.reverse() : found
}

const startsAt = unseen('startsAt', 'timestamptz')
const startsId = unseen('startsId', 'text')

/** As readFromName does; what has changed since the blocks were counted is between their starts. */
async function readFromRating(db: Db, part: Part): Promise<ListedRow[]> {
  const { filters, sort, before, limit } = part
  const sign = sort === '-rating' ? sql`-1` : sql`1`
  const starts = sql`starts_rank, starts_at, starts_id`
  const blocks = await ask<RatingBlock>(
    db,
    `blocks ${sort} ${nameOfBlocks(filters)} ${namesOfGiven(filters)}`,
    () => sql`
    select ${sign} * rank as rating, created_at::text as "startsAt", id as "startsId",
      (${from} - before)::float8 as passed, (least(${upTo}, next_before) - greatest(${from}, before))::float8 as some
    from (
      select *, lead(before) over (order by rank, created_at desc, id) as next_before
      from (
        select *, sum(products) over (order by rank, created_at desc, id, is_start desc rows unbounded preceding)
          - products as before
        from (
          select starts_rank as rank, starts_at as created_at, starts_id as id, products, true as is_start
          from (${blocksOf(productRatingBlocks, starts, filters, sql`sign = ${sign}`)}) as each
          union all
          select rank, created_at, id, change, false
          from ${productRatingChanges} as ${products}
          where sign = ${sign} and ${narrowing(givenOf(filters, { isSeen: false }))}
        ) as each
      ) as counted where is_start
    ) as block
    where before < ${upTo} and (next_before is null or next_before > ${from})
    order by before`,
    { ...listOf(filters), from: before, upTo: before + limit },
  )
  // No block at all, or some that are noted and lie before them.
  if ((blocks[0]?.passed ?? -1) < 0) return walk(db, part)
  const rating = unseen('rating', 'float8')
  const same = sql`rating = ${rating}`
  const pieces = [
    sql`${same} and created_at = ${startsAt} and id >= ${startsId}`,
    sql`${same} and created_at < ${startsAt}`,
    sort === 'rating' ? sql`rating > ${rating}` : sql`rating < ${rating}`,
  ]
  const found: ListedRow[] = []
  for (const { passed, some, ...values } of blocks) {
    const place = { pieces, values, skipped: Math.max(passed, 0) }
    found.push(...(await readOn(db, { ...part, limit: some }, 'from a rating', place)))
  }
  return found
}

type RatingBlock = { rating: number; startsAt: string; startsId: string; passed: number; some: number }
