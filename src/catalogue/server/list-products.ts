import type { z } from 'zod'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product, ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import type { Db } from '#shop/platform/database.ts'
import { readPart } from './far-pages.ts'
import { isByCategory, hasPriceRange } from './matching.ts'
import { allPrices } from './price-nodes.ts'
import type { Found } from './list-part.ts'
import { searchProducts } from './search-products.ts'
import { wordsOf } from './search-words.ts'
import { readSmallShop } from './small-shop.ts'
import { productReply } from './store.ts'

type Query = z.output<typeof ProductQuery>
type List = { products: Product[]; totalProducts: number }

/** In a shop of up to this size a search counts all that it finds. */
const smallShop = 10_000
const verySmallShop = 2000

/** A page of the products that match, and their total. Neither takes longer in a large shop. */
export async function listProducts(db: Db, query: Query): Promise<List> {
  const { category, color, minPrice, maxPrice, page, limit } = query
  const filters = { category, color, ...rangeOf(inCents(minPrice), inCents(maxPrice)) }
  const part = { filters, sort: sortOf(query), before: (page - 1) * limit, limit }
  const search = { ...part, words: wordsOf(query.search) }
  if (search.words.length > 0) {
    const isNamedFirst = query.sort === undefined
    const found = await readSmallShop(db, search, { most: smallShop, isNamedFirst })
    return replyOf(found ?? (await searchProducts(db, search)))
  }
  // In a small shop, counting which statement is the fastest takes longer than any of them.
  const ofFew = hasPriceRange(filters)
    ? await readSmallShop(db, search, { most: verySmallShop, isNamedFirst: false })
    : undefined
  return replyOf(ofFew ?? (await readPart(db, part)))
}

const replyOf = ({ rows, total }: Found): List => ({ products: rows.map(productReply), totalProducts: total })

/** Within one category, the order by category is newest first. */
function sortOf({ category, sort = 'newest' }: Query): ProductSort {
  return category !== undefined && isByCategory(sort) ? 'newest' : sort
}

/** Above the highest price all bounds mean the same, and the database's integers end at 21 million dollars. */
const inCents = (dollars: number | undefined) =>
  dollars === undefined ? undefined : Math.min(centsFromDollars(dollars), allPrices.maxCents + 1)

/** A range has both ends or none, so that there are fewer kinds of statements to plan. */
function rangeOf(minCents: number | undefined, maxCents: number | undefined) {
  if (minCents === undefined && maxCents === undefined) return { minCents, maxCents }
  return { minCents: minCents ?? allPrices.minCents, maxCents: maxCents ?? allPrices.maxCents }
}
