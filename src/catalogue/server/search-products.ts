import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { sampleOf } from './frequency.ts'
import { asSql, isByDate, isByName, isByPrice, matching, sorting, type Given } from './matching.ts'
import { readFound, type Search } from './read-found.ts'
import type { Found } from './read-on.ts'
import { enough, findAnywhere, wordsOfFilters } from './search-anywhere.ts'
import { askedOf, hasThreeLetters } from './search-words.ts'
import { products } from './tables.ts'

/** So many of the first in the order asked for are looked at, step by step, until enough of them match. */
const nearby = [500, 2000, 5000] as const
/** As far as a single sign is looked for, which no index knows. */
const farthest = 10_000
/** What every twentieth of some products has is among the first ones in any order. */
const frequentShare = 1 / 20

/**
 * Products of a large shop that have every word somewhere in what a shopper knows of them.
 *
 * What is frequent is found among the first products, what is rare by the index of words. Neither way
 * is quick for both: reading on until something rare appears reads everything, and an index of what is frequent answers
 * with a good part of the shop.
 */
export async function searchProducts(db: Db, search: Search): Promise<Found> {
  const { words, filters, sort } = search
  const asked = askedOf(words)
  const isIndexed = asked.some((each) => each !== undefined)
  const { shareOf, isAddedInOrder } = await sampleOf(db)
  const hasLetters = words.some(hasThreeLetters)
  const narrowing = wordsOfFilters(filters)
  const share = hasLetters ? shareOf(...words, ...narrowing) : 1
  const steps = isIndexed ? nearby.filter((near) => near * share >= enough) : [...nearby, farthest]
  // The cheapest of all are asked for, but of too many for a list nobody wants those that begin with an A.
  const firsts = isByName(sort) && steps.length > 0 ? 'newest' : sort
  const isRare = hasLetters && share < frequentShare
  const added =
    isRare && isAddedInOrder && isByDate(firsts)
      ? { order: firsts, groups: groupsFor(share, narrowing.length > 0) }
      : undefined
  if (added) return findAnywhere(db, search, { asked, shareOf, added })
  let found: Found = { rows: [], total: 0 }
  // What begins a list by name, say, may be all of one kind: what is frequent elsewhere is found among the newest.
  for (const by of isByDate(sort) ? [sort] : [sort, 'newest' as const]) {
    if (found.total > 0) break
    let passed = 0
    for (const near of steps) {
      // Where a few have it, many will have it further on; what hardly any has is found sooner by the index.
      if (passed > 0 && isIndexed && (found.total * near) / passed < enough) continue
      found = await findNearby(db, search, by, near)
      if (found.total >= enough) return found
      passed = near
    }
  }
  return isIndexed ? findAnywhere(db, search, { asked, shareOf }) : found
}

/** The fewer have it, the more are looked through: more than these take as long as all. */
const groupsFor = (share: number, isNarrowed: boolean) => (share < 1 / 50 ? 8 : 4) * (isNarrowed ? 2 : 1)

/** Among the first so many, as an index has them: what it does not know is compared afterwards. */
function findNearby(db: Db, search: Search, by: ProductSort, near: number): Promise<Found> {
  return readFound(db, search, `of ${near} ${by}`, (given, has, first) =>
    first(nearest(given, has, by, near)),
  )
}

function nearest(
  { category, color, minCents, maxCents }: Given,
  has: readonly SQL[],
  by: ProductSort,
  near: number,
): SQL {
  const indexed = matching({
    ...(isByDate(by) && { category, color }),
    ...(isByPrice(by) && { minCents, maxCents }),
  })
  const inOrder = sql.join(sorting[by].map(asSql), sql`, `)
  return sql`(select * from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}) as ${products}
    where ${and(matching({ category, color, minCents, maxCents }), ...has)}`
}
