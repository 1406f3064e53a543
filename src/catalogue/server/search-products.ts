import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { sampleOf } from './frequency.ts'
import { isByDate, isByName, isByPrice, isOfPrice } from './matching.ts'
import { enough, mostFound, type Search } from './read-found.ts'
import type { Found } from './read-on.ts'
import { findAnywhere, wordsOfFilters } from './search-anywhere.ts'
import { farInRange, farthest, findNearby, further, nearby, type Step } from './search-nearby.ts'
import { askedOf, hasThreeLetters } from './search-words.ts'

/** What every twentieth of some products has is among the first ones in any order. */
const frequentShare = 1 / 20
/** Of a million these are twenty thousand, which take longer to look at than what has just come. */
const muchShare = 1 / 50
/** Of a million these are ten thousand, which take twenty milliseconds and more. */
const manyShare = 1 / 100

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
  const { shareOf, groupsWith, isAddedInOrder } = await sampleOf(db)
  const hasLetters = words.some(hasThreeLetters)
  const narrowing = wordsOfFilters(filters)
  const share = hasLetters ? shareOf([...words, ...narrowing]) : 1
  const shareInRange = hasLetters ? shareOf([...words, ...narrowing], filters) : 1
  const stepsBy = (by: ProductSort): Step[] => {
    // In order of prices only those of the range are looked at.
    const promised = isByPrice(by) ? shareInRange / shareOf([], filters) : shareInRange
    const isPromised = (near: number) => near * promised >= enough
    const isFar = isOfPrice(filters) && isByDate(by) && (isByDate(sort) || isByName(sort))
    const steps = [nearby, further, ...(isFar ? [farInRange] : [])].filter(isPromised)
    // What is frequent, and not among the first, begins further on; of what is not, the first enough are far apart.
    const most = isPromised(nearby) || !isIndexed ? mostFound : enough
    return (isIndexed ? steps : [nearby, farthest]).map((near) => ({ by, near, most }))
  }
  // The cheapest of all are asked for, but of too many for a list nobody wants those that begin with an A.
  const firsts = isByName(sort) && stepsBy('newest').length > 0 ? 'newest' : sort
  // The index would find too much, of which next to nothing has the words that it does not know.
  const isMuch = shareOf([...words.filter((_, index) => asked[index]), ...narrowing]) > muchShare
  const isNarrowed = narrowing.length > 0 || (isMuch && isOfPrice(filters))
  const added =
    hasLetters && isAddedInOrder && (isByDate(firsts) || isMuch)
      ? { order: isByDate(firsts) ? firsts : 'newest', groups: groupsFor(share, isNarrowed) }
      : undefined
  // Where all that has the words, or costs so much, takes long to look at, and is not among the first ones, it lies together
  // elsewhere.
  const isMany = hasLetters && Math.min(share, shareOf(narrowing, filters)) > manyShare
  const among = isMany ? groupsWith([...words, ...narrowing], filters, groupsWithEnough(shareInRange)) : []
  const anywhere = { asked, shareOf, added, among }
  if (added && isByDate(firsts) && share < frequentShare) return findAnywhere(db, search, anywhere)
  let found: Found = { rows: [], total: 0 }
  // The cheapest, say, may be all of one kind: what is frequent elsewhere is found among the newest.
  for (const by of isByDate(firsts) ? [firsts] : [firsts, 'newest' as const]) {
    if (found.total > 0) break
    for (const step of stepsBy(by)) {
      found = await findNearby(db, search, step)
      if (found.total >= enough) return found
    }
  }
  return isIndexed ? findAnywhere(db, search, anywhere) : found
}

/** Each of 4096 products, so that as many are found as are listed. */
const groupsWithEnough = (share: number) => Math.min(Math.max(mostFound / 4096 / share, 2), 16)

/** The fewer have it, the more are looked through: more than these take as long as all. */
const groupsFor = (share: number, isNarrowed: boolean) =>
  // What is frequent, and not among the first ones, is looked for beyond all that has just been added.
  (share < muchShare || share >= frequentShare ? 8 : 4) * (isNarrowed ? 2 : 1)
