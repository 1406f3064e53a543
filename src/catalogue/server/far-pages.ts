import { and, gte, lt, lte, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { countByCategory, countOf, parametersOf } from './counts.ts'
import { asSql, matching, narrowing, sorting, turn, type Filters } from './matching.ts'
import { allPrices, topLevel } from './price-nodes.ts'
import type { ProductRow } from './store.ts'
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

/** A part of a list: so many after the first so many, of all that match. */
type Part = { filters: Filters; sort: ProductSort; before: number; limit: number; total: number }

/** A list of no more is put into order when it is asked for. */
export const shortList = 1000

/** Whether an index has a list in its order, and hardly anything between; what is dear is of one color, perhaps. */
export function isInOrder({ category, color, minCents, maxCents }: Filters, sort: ProductSort): boolean {
  if (sort === 'newest' || sort === 'oldest') return true
  if (category !== undefined || color !== undefined) return false
  return sort === 'price' || sort === '-price' || (minCents === undefined && maxCents === undefined)
}

/** A part of a list, in its order. What is not near an end is found by counts that triggers keep. */
export function readPart(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, before, limit, total } = part
  const after = total - before - limit
  if (isInOrder(filters, sort) && Math.min(before, after) <= shortWalk) return walk(db, part)
  if (sort === 'newest' || sort === 'oldest') return readFromBlock(db, part)
  if (total <= shortList) return readOn(db, part, { skipped: before, isSorted: true })
  if (sort === 'price' || sort === '-price') return readFromPrice(db, part)
  if (sort === 'name' || sort === '-name') return readFromName(db, part)
  if (sort === 'category' || sort === '-category') return readByCategory(db, part)
  return readFromRating(db, part)
}

/** From the end of the list that is nearer. */
function walk(db: Db, part: Part): Promise<ProductRow[]> {
  const { before, limit, total } = part
  return before * 2 <= total - limit ? readOn(db, part, { skipped: before }) : readFromEnd(db, part)
}

/** Onwards from a place of the list; all of it is sorted, or it is read in the order of an index. */
function readOn(
  db: Db,
  { filters, sort, limit }: Part,
  { from, skipped, isSorted = false }: { from?: SQL | undefined; skipped: number; isSorted?: boolean },
): Promise<ProductRow[]> {
  const inOrder = sorting[sort].map(asSql)
  const some = sql`select * from ${products} where ${and(matching(filters), from)}`
  // "offset 0" keeps the database from reading in order what it is to collect.
  const source = isSorted ? sql`(${some} offset 0) as ${products}` : sql`(${some}) as ${products}`
  // Ids alone come from an index: whole rows are read for the page and not for what is skipped before it.
  return readRows(
    db,
    inOrder,
    sql`select ${products.id} from ${source} order by ${sql.join(inOrder, sql`, `)} limit ${limit} offset ${skipped}`,
  )
}

async function readFromEnd(db: Db, { filters, sort, before, limit, total }: Part): Promise<ProductRow[]> {
  const turned = sorting[sort].map(turn).map(asSql)
  const rows = await readRows(
    db,
    turned,
    sql`select ${products.id} from ${products} where ${matching(filters)}
      order by ${sql.join(turned, sql`, `)} limit ${limit} offset ${total - before - limit}`,
  )
  return rows.reverse()
}

function readRows(db: Db, inOrder: SQL[], ids: SQL): Promise<ProductRow[]> {
  return db
    .select()
    .from(products)
    .where(sql`${products.id} in (${ids})`)
    .orderBy(...inOrder)
}

/** One part of the list of every category that the page lies in. */
async function readByCategory(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, before, limit } = part
  const counted = await countByCategory(db, filters)
  const inOrder = sort === 'category' ? counted : counted.reverse()
  const found: ProductRow[] = []
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
async function readFromPrice(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, before } = part
  const { category, color, minCents = 0, maxCents = allPrices.maxCents } = filters
  const isDown = sort === '-price'
  const down = isDown ? sql`desc` : sql``
  // What costs less than the range is passed over too, or more.
  const outside = isDown
    ? { ...filters, minCents: maxCents + 1, maxCents: undefined }
    : { ...filters, minCents: undefined, maxCents: minCents - 1 }
  const { rows } = await db.execute<{ price: number; skipped: number }>(sql`
    with recursive place(level, node, skipped) as (
      select ${topLevel}::int, 0, ${before}::float8 + (${countOf(outside, parametersOf(outside))})
      union all
      select level - 1, part.node, skipped - part.before
      from place cross join lateral (
        select inner_one.node, before from (
          select kept.node, (sum(sum(products)) over (order by kept.node ${down}) - sum(products))::float8 as before
          from ${productCounts} as kept
          where kept.level = place.level - 1 and kept.node between place.node * 100 and place.node * 100 + 99
            ${category === undefined ? sql`` : sql`and kept.category = ${category}`}
            ${color === undefined ? sql`` : sql`and kept.color = ${color}`}
          group by kept.node
        ) as inner_one
        where before <= place.skipped order by before desc limit 1
      ) as part
      where level > 0
    )
    select node as price, skipped from place where level = 0`)
  const place = onlyRow(rows)
  const from = isDown ? lte(products.priceCents, place.price) : gte(products.priceCents, place.price)
  return readOn(db, part, { from, skipped: place.skipped })
}

/** Out of each block that the part lies in: of one color there may be nothing between two of them, and much of others. */
async function readFromName(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, before, limit } = part
  const down = sort === '-name' ? sql`desc` : sql``
  const { rows: blocks } = await db.execute<{
    starts: string
    ends: string | null
    skipped: number
    some: number
  }>(
    sql`
    select starts, (select min(next.starts) from whole_name_blocks as next where next.starts > block.starts) as ends,
      greatest(${before}::float8 - before, 0)::float8 as skipped,
      (least(${before + limit}::float8 - before, products) - greatest(${before}::float8 - before, 0))::float8 as some
    from (
      select starts, products, sum(products) over (order by starts ${down}) - products as before
      from ${productNameBlocks} where ${isListOf(filters)}
    ) as block
    where before < ${before + limit}::float8 and before + products > ${before}::float8 order by before`,
  )
  if (blocks.length === 0) return walk(db, part)
  const name = sql`lower(${products.name})`
  const found: ProductRow[] = []
  for (const { starts, ends, skipped, some } of blocks) {
    const from = and(gte(name, starts), ends === null ? undefined : lt(name, ends))
    found.push(...(await readOn(db, { ...part, limit: some }, { from, skipped })))
  }
  return found
}

/** The rows of a filter's list; none for a range of prices that is not counted. */
function isListOf({ category = '', color = '', minCents = 0, maxCents = allPrices.maxCents }: Filters): SQL {
  return sql`category = ${category} and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}`
}

/** From the start of the block in which the part begins; each lies in the list as it is newest first. */
async function readFromBlock(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, limit, total } = part
  const before = sort === 'oldest' ? total - part.before - limit : part.before
  const { rows } = await db.execute<{ startsAt: string; startsId: string; skipped: number }>(sql`
    select starts_at::text as "startsAt", starts_id as "startsId", (${before}::float8 - before)::float8 as skipped
    from (
      select starts_at, starts_id, sum(products) over (order by starts_at desc, starts_id) - products as before
      from ${productBlocks} where ${isListOf(filters)}
    ) as block
    where before <= ${before}::float8 order by starts_at, starts_id desc limit 1`)
  const block = rows[0]
  if (!block) return walk(db, part)
  const start = sql`${block.startsAt}::timestamptz`
  const pieces = [sql`created_at = ${start} and id >= ${block.startsId}`, sql`created_at < ${start}`]
  const found = await readPieces(db, { ...part, sort: 'newest' }, { pieces, skipped: block.skipped })
  return sort === 'oldest' ? found.reverse() : found
}

/** As readFromName does; what has changed since the blocks were counted is between their starts. */
async function readFromRating(db: Db, part: Part): Promise<ProductRow[]> {
  const { filters, sort, before, limit } = part
  const sign = sort === '-rating' ? -1 : 1
  const { rows: blocks } = await db.execute<RatingBlock>(sql`
    select ${sign} * rank as rating, created_at::text as "startsAt", id as "startsId",
      (${before}::float8 - before)::float8 as passed,
      (least(${before + limit}::float8, next_before) - greatest(${before}::float8, before))::float8 as some
    from (
      select *, lead(before) over (order by rank, created_at desc, id) as next_before
      from (
        select *, sum(products) over (order by rank, created_at desc, id, is_start desc rows unbounded preceding)
          - products as before
        from (
          select starts_rank as rank, starts_at as created_at, starts_id as id, products, true as is_start
          from ${productRatingBlocks} where sign = ${sign} and ${isListOf(filters)}
          union all
          select rank, created_at, id, change, false
          from ${productRatingChanges} as ${products} where sign = ${sign} and ${narrowing(filters)}
        ) as each
      ) as counted where is_start
    ) as block
    where before < ${before + limit}::float8 and (next_before is null or next_before > ${before}::float8)
    order by before`)
  // No block at all, or some that are noted and lie before them.
  if ((blocks[0]?.passed ?? -1) < 0) return walk(db, part)
  const found: ProductRow[] = []
  for (const { rating, startsAt, startsId, passed, some } of blocks) {
    const same = sql`rating = ${rating}::float8`
    const pieces = [
      sql`${same} and created_at = ${startsAt}::timestamptz and id >= ${startsId}`,
      sql`${same} and created_at < ${startsAt}::timestamptz`,
      sign > 0 ? sql`rating > ${rating}::float8` : sql`rating < ${rating}::float8`,
    ]
    const skipped = Math.max(passed, 0)
    found.push(...(await readPieces(db, { ...part, limit: some }, { pieces, skipped })))
  }
  return found
}

type RatingBlock = { rating: number; startsAt: string; startsId: string; passed: number; some: number }

/** Onwards from a place of the list, in pieces of an index, each read in order and no further than needed: an index knows no "or". */
function readPieces(
  db: Db,
  { filters, sort, limit }: Part,
  { pieces, skipped }: { pieces: SQL[]; skipped: number },
): Promise<ProductRow[]> {
  const inOrder = sorting[sort].map(asSql)
  const order = sql.join(inOrder, sql`, `)
  const read = pieces.map(
    (piece) => sql`(select id, created_at, rating from ${products} where ${matching(filters)} and ${piece}
      order by ${order} limit ${skipped + limit})`,
  )
  return readRows(
    db,
    inOrder,
    sql`select id from (${sql.join(read, sql` union all `)}) as ${products}
      order by ${order} limit ${limit} offset ${skipped}`,
  )
}
