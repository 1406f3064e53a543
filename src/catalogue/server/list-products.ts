import { getTableColumns, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product, ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import { onlyRow, prepareOnce, type Db } from '#shop/platform/database.ts'
import { windowOf, type Window } from '#shop/platform/page-window.ts'
import { asSql, matching, newestFirst, sorting, turn, type Filters } from './matching.ts'
import { allPrices, nodesOfPrices } from './price-nodes.ts'
import { searchProducts, wordsOf } from './search-products.ts'
import { productReply } from './store.ts'
import { productBlocks, products } from './tables.ts'

type Query = z.output<typeof ProductQuery>
type List = { products: Product[]; totalProducts: number }
type Browsing = { filters: Filters; sort: ProductSort; page: number; limit: number }

/** So many entries of an index are passed over in less time than a further question takes. */
const shortWalk = 1000

/** A page of what matches and how much that is; neither takes longer in a large shop. */
export async function listProducts(db: Db, query: Query): Promise<List> {
  const { category, color, minPrice, maxPrice, sort = 'newest', page, limit } = query
  const filters = { category, color, minCents: inCents(minPrice), maxCents: inCents(maxPrice) }
  const words = wordsOf(query.search)
  if (words.length > 0) {
    const shopSize = await countMatches(db, noFilters)
    return searchProducts(db, { ...filters, words, sort, page, limit, shopSize })
  }
  const browsing = { filters, sort, page, limit }
  return (await readNear(db, browsing)) ?? readFar(db, browsing)
}

const inCents = (dollars: number | undefined) =>
  dollars === undefined ? undefined : centsFromDollars(dollars)
const noFilters: Filters = {
  category: undefined,
  color: undefined,
  minCents: undefined,
  maxCents: undefined,
}

/** A page near the beginning, with the length of the list in the same answer; undefined when there is nothing on it. */
async function readNear(db: Db, { filters, sort, page, limit }: Browsing): Promise<List | undefined> {
  const offset = (page - 1) * limit
  if (offset > shortWalk) return undefined
  const isGiven = Object.values(filters).map((value) => (value === undefined ? '-' : '+'))
  const question = prepareOnce(db, `products ${sort} ${isGiven.join('')}`, (name) => {
    const given = placeholdersOf(filters)
    return db
      .select({ ...getTableColumns(products), total: sql<number>`(${countOf(given, nodePlaceholders)})` })
      .from(products)
      .where(matching(given))
      .orderBy(...sorting[sort].map(asSql))
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(name)
  })
  const rows = await question.execute({ ...filters, ...nodesOf(filters), offset, limit })
  return rows[0] && { products: rows.map(productReply), totalProducts: rows[0].total }
}

function placeholdersOf(filters: Filters) {
  const given = (name: keyof Filters) => (filters[name] === undefined ? undefined : sql.placeholder(name))
  return {
    category: given('category'),
    color: given('color'),
    minCents: given('minCents'),
    maxCents: given('maxCents'),
  }
}

async function readFar(db: Db, { filters, sort, page, limit }: Browsing): Promise<List> {
  const total = await countMatches(db, filters)
  const window = windowOf({ page, limit, total })
  if (window.limit === 0) return { products: [], totalProducts: total }
  const block = await findBlock(db, { filters, sort, window, total })
  const found = await (block ? readFromBlock(db, filters, block) : readWindow(db, filters, sort, window))
  const isTurned = block ? sort === 'oldest' : window.isFromEnd
  const inOrder = isTurned ? found.reverse() : found
  return { products: inOrder.map(productReply), totalProducts: total }
}

async function readWindow(db: Db, filters: Filters, sort: ProductSort, window: Window) {
  const { isFromEnd, offset, limit } = window
  const inOrder = (isFromEnd ? sorting[sort].map(turn) : sorting[sort]).map(asSql)
  // Ids alone come from an index: whole rows are read for the page and not for what is skipped before it.
  return readRows(
    db,
    inOrder,
    sql`select ${products.id} from ${products} where ${matching(filters)}
      order by ${sql.join(inOrder, sql`, `)} limit ${limit} offset ${offset}`,
  )
}

/** Where to begin, newest first, and how many of the list to pass over from there. */
type Block = { startsAt: string; startsId: string; offset: number; limit: number }

/**
 * The block in which a page lies that is far from both ends, by the counts that triggers keep. None for orders and
 * ranges of prices that are not counted: their pages are reached from the nearer end.
 */
async function findBlock(
  db: Db,
  far: { filters: Filters; sort: ProductSort; window: Window; total: number },
): Promise<Block | undefined> {
  const { window, sort, total } = far
  const { isFromEnd, offset, limit } = window
  if (offset <= shortWalk || (sort !== 'newest' && sort !== 'oldest')) return undefined
  const isFromOldest = isFromEnd === (sort === 'newest')
  const before = isFromOldest ? total - offset - limit : offset
  const { category = '', color = '', minCents = 0, maxCents = allPrices.maxCents } = far.filters
  const { rows } = await db.execute<Omit<Block, 'limit'>>(sql`
    select starts_at::text as "startsAt", starts_id as "startsId", (${before} - before)::int as offset
    from (
      select starts_at, starts_id, sum(products) over (order by starts_at desc, starts_id) - products as before
      from ${productBlocks}
      where category = ${category} and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}
    ) as block
    where before <= ${before} order by starts_at, starts_id desc limit 1`)
  return rows[0] && { ...rows[0], limit }
}

/** Newest first. */
async function readFromBlock(db: Db, filters: Filters, { startsAt, startsId, offset, limit }: Block) {
  const inOrder = newestFirst.map(asSql)
  const order = sql.join(inOrder, sql`, `)
  const start = sql`${startsAt}::timestamptz`
  // Two pieces of the index, each read in order and no further than needed: an index knows no "or".
  const piece = (place: SQL) =>
    sql`(select id, created_at from ${products} where ${matching(filters)} and ${place}
      order by ${order} limit ${offset + limit})`
  const here = piece(sql`created_at = ${start} and id >= ${startsId}`)
  const onwards = piece(sql`created_at < ${start}`)
  return readRows(
    db,
    inOrder,
    sql`select id from (${here} union all ${onwards}) as ${products} order by ${order} limit ${limit} offset ${offset}`,
  )
}

function readRows(db: Db, inOrder: SQL[], ids: SQL) {
  return db
    .select()
    .from(products)
    .where(sql`${products.id} in (${ids})`)
    .orderBy(...inOrder)
}

async function countMatches(db: Db, filters: Filters): Promise<number> {
  const { levels, firsts, lasts } = nodesOf(filters)
  const nodes = { levels: sql.param(levels), firsts: sql.param(firsts), lasts: sql.param(lasts) }
  const { rows } = await db.execute<{ all: number }>(sql`${countOf(filters, nodes)}`)
  return onlyRow(rows).all
}

/** From counts that triggers keep: by price, in steps of a cent up to ten thousand dollars, category and color. */
function countOf(
  { category, color }: { [F in 'category' | 'color']: unknown },
  { levels, firsts, lasts }: { [N in 'levels' | 'firsts' | 'lasts']: unknown },
): SQL {
  // Summed range by range, so that the database looks each up and does not read all there is to compare with it.
  return sql`select coalesce(sum(of_range.products), 0)::float8 as all
    from unnest(${levels}::int[], ${firsts}::int[], ${lasts}::int[]) as range(level, first, last)
    cross join lateral (
      select sum(products) as products from product_counts as kept
      where kept.level = range.level and kept.node between range.first and range.last
        ${category === undefined ? sql`` : sql`and kept.category = ${category}`}
        ${color === undefined ? sql`` : sql`and kept.color = ${color}`}
    ) as of_range`
}

const nodePlaceholders = {
  levels: sql.placeholder('levels'),
  firsts: sql.placeholder('firsts'),
  lasts: sql.placeholder('lasts'),
}

function nodesOf({ minCents, maxCents }: Filters) {
  const nodes = nodesOfPrices(minCents, maxCents)
  return {
    levels: nodes.map(({ level }) => level),
    firsts: nodes.map(({ first }) => first),
    lasts: nodes.map(({ last }) => last),
  }
}
