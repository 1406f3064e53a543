import type { z } from 'zod'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product, ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import type { Db } from '#shop/platform/database.ts'
import { readPart } from './far-pages.ts'
import { isByCategory, isOfPrice } from './matching.ts'
import { allPrices } from './price-nodes.ts'
import type { Found } from './part.ts'
import { searchProducts } from './search-products.ts'
import { wordsOf } from './search-words.ts'
import { readSmallShop } from './small-shop.ts'
import { productReply } from './store.ts'

type Query = z.output<typeof ProductQuery>
type List = { products: Product[]; totalProducts: number }

/** In a shop of this size all that a search finds is counted. */
const smallShop = 10_000
const verySmallShop = 2000

/** A page of what matches and how much that is; neither takes longer in a large shop. */
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
  // To count what would say which way is the best takes longer than any way where there are few.
  const ofFew = isOfPrice(filters)
    ? await readSmallShop(db, search, { most: verySmallShop, isNamedFirst: false })
    : undefined
  return replyOf(ofFew ?? (await readPart(db, part)))
}

const replyOf = ({ rows, total }: Found): List => ({ products: rows.map(productReply), totalProducts: total })

/** One category is in the order of categories as it is. */
function sortOf({ category, sort = 'newest' }: Query): ProductSort {
  return category !== undefined && isByCategory(sort) ? 'newest' : sort
}

/** Beyond the highest price there is, one bound is as good as another; the database's whole numbers end at 21 million dollars. */
const inCents = (dollars: number | undefined) =>
  dollars === undefined ? undefined : Math.min(centsFromDollars(dollars), allPrices.maxCents + 1)

/** With two ends, or of all prices: fewer kinds of questions for the database to know. */
function rangeOf(minCents: number | undefined, maxCents: number | undefined) {
  if (minCents === undefined && maxCents === undefined) return { minCents, maxCents }
  return { minCents: minCents ?? allPrices.minCents, maxCents: maxCents ?? allPrices.maxCents }
}
