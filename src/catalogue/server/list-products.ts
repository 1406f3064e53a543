import { and, asc, desc, eq, gte, inArray, isNull, lte, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product, ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { windowOf } from '#shop/platform/page-window.ts'
import { nodesOfPrices } from './price-nodes.ts'
import { productReply } from './store.ts'
import { productCounts, products } from './tables.ts'

type Query = z.output<typeof ProductQuery>
type List = { products: Product[]; totalProducts: number }

/**
 * In a large shop a search finds so many, the first in the order asked for: more could be counted only by reading them
 * all. In one of this size they are read.
 */
const mostFound = 250
const smallShop = 10_000

/** A page of what matches and how much that is; neither takes longer in a large shop. */
export async function listProducts(db: Db, query: Query): Promise<List> {
  const words = wordsOf(query.search)
  return words.length > 0 ? findProducts(db, query, words) : browse(db, query)
}

async function browse(db: Db, query: Query): Promise<List> {
  const matches = matching(query)
  const order = sorting[query.sort ?? 'newest']
  // Most ask for the first page, and need not wait for the length of the list.
  const [total, first] = await Promise.all([
    countMatches(db, query),
    query.page === 1 ? readPage(db, matches, order, query) : undefined,
  ])
  if (first) return { products: first, totalProducts: total }
  const { isFromEnd, offset, limit } = windowOf({ ...query, total })
  if (limit === 0) return { products: [], totalProducts: total }
  const found = await readPage(db, matches, isFromEnd ? order.map(turn) : order, { offset, limit })
  return { products: isFromEnd ? found.reverse() : found, totalProducts: total }
}

async function readPage(
  db: Db,
  matches: SQL | undefined,
  order: readonly Order[],
  { offset = 0, limit }: { offset?: number; limit: number },
): Promise<Product[]> {
  const inOrder = order.map(asSql)
  const page = db
    .select({ id: products.id })
    .from(products)
    .where(matches)
    .orderBy(...inOrder)
    .limit(limit)
    .offset(offset)
  const rows = await db
    .select()
    .from(products)
    // Ids alone come from an index: whole rows are read for the page and not for what is skipped before it.
    .where(offset < mostFound ? matches : inArray(products.id, page))
    .orderBy(...inOrder)
    .limit(limit)
    .offset(offset < mostFound ? offset : 0)
  return rows.map(productReply)
}

/** From counts that triggers keep: by category, color and price, in steps of a cent up to ten thousand dollars. */
async function countMatches(
  db: Db,
  { category = '', color = '', minPrice, maxPrice }: Partial<Query> = {},
): Promise<number> {
  const cents = (dollars: number | undefined) => dollars && centsFromDollars(dollars)
  const nodes = nodesOfPrices(cents(minPrice), cents(maxPrice))
  const column = (name: 'level' | 'first' | 'last') => sql.param(nodes.map((each) => each[name]))
  const { rows } = await db.execute<{ all: number }>(sql`
    select coalesce(sum(${productCounts.products}), 0)::float8 as all
    from unnest(${column('level')}::int[], ${column('first')}::int[], ${column('last')}::int[]) as range(level, first, last)
    join ${productCounts} on ${productCounts.category} = ${category} and ${productCounts.color} = ${color}
      and ${productCounts.level} = range.level and ${productCounts.node} between range.first and range.last`)
  return onlyRow(rows).all
}

/** Every word somewhere in what a shopper knows of a product. */
async function findProducts(db: Db, query: Query, words: readonly string[]): Promise<List> {
  const offset = (query.page - 1) * query.limit
  const most = (await countMatches(db)) > smallShop ? mostFound : smallShop
  const order = sorting[query.sort ?? 'newest'].map(asSql)
  const { rows } = await db.execute<{ total: number; ids: string[] }>(sql`
    with found as materialized (
      select ${products.id} as id from ${products}
      where ${and(matching(query), ...words.map(containsWord))}
      order by ${sql.join(order, sql`, `)} limit ${most}
    )
    select (select count(*) from found)::float8 as total,
      array(select id from found offset ${offset} limit ${query.limit}) as ids`)
  const { total, ids } = onlyRow(rows)
  if (ids.length === 0) return { products: [], totalProducts: total }
  const found = await db.select().from(products).where(inArray(products.id, ids))
  const byId = new Map(found.map((row) => [row.id, productReply(row)]))
  return { products: ids.flatMap((id) => byId.get(id) ?? []), totalProducts: total }
}

/** Ten words say what is looked for; more would only cost time. */
function wordsOf(search = ''): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, 10)
}

/** `%` and `_` mean themselves. The column has all that is searched, in lower case; see the migrations. */
function containsWord(word: string): SQL {
  return sql`${products}.search_text like lower(${`%${literally(word)}%`})`
}

function matching({ category, color, minPrice, maxPrice }: Query): SQL | undefined {
  return and(
    isNull(products.deletedAt),
    category === undefined ? undefined : eq(products.category, category),
    color === undefined ? undefined : eq(products.color, color),
    minPrice === undefined ? undefined : gte(products.priceCents, centsFromDollars(minPrice)),
    maxPrice === undefined ? undefined : lte(products.priceCents, centsFromDollars(maxPrice)),
  )
}

type Order = { by: Parameters<typeof asc>[0]; isDescending: boolean }
const up = (by: Order['by']): Order => ({ by, isDescending: false })
const down = (by: Order['by']): Order => ({ by, isDescending: true })
const turn = ({ by, isDescending }: Order): Order => ({ by, isDescending: !isDescending })
const asSql = ({ by, isDescending }: Order): SQL => (isDescending ? desc(by) : asc(by))

// Each has an index in exactly this order, which the database reads from either end.
const newestFirst = [down(products.createdAt), up(products.id)]
const name = sql`lower(${products.name})`
const sorting: Record<ProductSort, Order[]> = {
  newest: newestFirst,
  oldest: newestFirst.map(turn),
  name: [up(name), ...newestFirst],
  '-name': [down(name), ...newestFirst],
  price: [up(products.priceCents), ...newestFirst],
  '-price': [down(products.priceCents), ...newestFirst],
  category: [up(products.category), ...newestFirst],
  '-category': [down(products.category), ...newestFirst],
  rating: [up(products.rating), ...newestFirst],
  '-rating': [down(products.rating), ...newestFirst],
}
