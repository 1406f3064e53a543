import type { z } from 'zod'
import type { ProductQuery } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import type { Db } from '#shop/platform/database.ts'
import { countMatches } from './counts.ts'
import { isOfPrice } from './matching.ts'
import { readPart } from './far-pages.ts'
import { readNear, type Browsing, type List } from './near-pages.ts'
import { allPrices } from './price-nodes.ts'
import { searchProducts, wordsOf } from './search-products.ts'
import { readSmallShop } from './small-shop.ts'
import { productReply } from './store.ts'

type Query = z.output<typeof ProductQuery>

/** In a shop of this size all that a search finds is counted. */
const smallShop = 10_000
const verySmallShop = 2000

/** A page of what matches and how much that is; neither takes longer in a large shop. */
export async function listProducts(db: Db, query: Query): Promise<List> {
  const { category, color, minPrice, maxPrice, sort = 'newest', page, limit } = query
  const filters = { category, color, ...rangeOf(inCents(minPrice), inCents(maxPrice)) }
  const browsing = { filters, sort, page, limit, words: wordsOf(query.search) }
  if (browsing.words.length > 0) {
    const isByName = query.sort === undefined
    return (await readSmallShop(db, browsing, { most: smallShop, isByName })) ?? searchProducts(db, browsing)
  }
  // To find the best way for each range of prices takes longer than any way where there are few.
  const ofFew = isOfPrice(filters)
    ? await readSmallShop(db, browsing, { most: verySmallShop, isByName: false })
    : undefined
  const near = ofFew ?? (await readNear(db, browsing))
  return near.products ? near : readFar(db, browsing, near.totalProducts)
}

/** Beyond the highest price there is, one bound is as good as another; the database's whole numbers end at 21 million dollars. */
const inCents = (dollars: number | undefined) =>
  dollars === undefined ? undefined : Math.min(centsFromDollars(dollars), allPrices.maxCents + 1)

/** With two ends, or of all prices: fewer kinds of questions for the database to know. */
function rangeOf(minCents: number | undefined, maxCents: number | undefined) {
  if (minCents === undefined && maxCents === undefined) return { minCents, maxCents }
  return { minCents: minCents ?? allPrices.minCents, maxCents: maxCents ?? allPrices.maxCents }
}

async function readFar(db: Db, { filters, sort, page, limit }: Browsing, known?: number): Promise<List> {
  const total = known ?? (await countMatches(db, filters))
  const before = (page - 1) * limit
  if (before >= total) return { products: [], totalProducts: total }
  const found = await readPart(db, { filters, sort, before, limit: Math.min(limit, total - before), total })
  return { products: found.map(productReply), totalProducts: total }
}
