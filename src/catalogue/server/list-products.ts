import { getTableColumns, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product, ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import { prepareOnce, type Db } from '#shop/platform/database.ts'
import { countMatches, countOf, nodePlaceholders, nodesOf } from './counts.ts'
import { isInOrder, readPart, shortWalk } from './far-pages.ts'
import { asSql, matching, sorting, type Filters } from './matching.ts'
import { searchProducts, wordsOf } from './search-products.ts'
import { productReply } from './store.ts'
import { products } from './tables.ts'

type Query = z.output<typeof ProductQuery>
type List = { products: Product[]; totalProducts: number }
type Browsing = { filters: Filters; sort: ProductSort; page: number; limit: number }

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
  if (offset > shortWalk || !isInOrder(filters, sort)) return undefined
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
  const before = (page - 1) * limit
  if (before >= total) return { products: [], totalProducts: total }
  const found = await readPart(db, { filters, sort, before, limit: Math.min(limit, total - before), total })
  return { products: found.map(productReply), totalProducts: total }
}
