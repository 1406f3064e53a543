import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { sampleOf, type Sample } from './frequency.ts'
import { isByDate, isByName, isByPrice, isOfOne, isOfPrice } from './matching.ts'
import { inGroup } from './product-words.ts'
import { enough, mostFound, type Search } from './read-found.ts'
import type { Found } from './part.ts'
import { findAnywhere } from './search-anywhere.ts'
import { farInRange, farthest, findNearby, further, mostInRange, nearby, type Step } from './search-nearby.ts'
import { askedOf, hasThreeLetters } from './search-words.ts'

/** If a twentieth of the sample has all words, they are found among the first products in any order. */
const frequentShare = 1 / 20
/** Of a million these are twenty thousand, which take longer to look at than what was added last. */
const muchShare = 1 / 50
/** Of a million these are two and a half thousand. */
const smallListShare = 1 / 400
/** Of a million these are ten thousand, which take twenty milliseconds and more to look at. */
const manyShare = 1 / 100

/**
 * Products of a large shop that have every word somewhere in what a shopper knows of them.
 *
 * What is frequent is found among the first products, what is rare by the index of words. Neither way is fast for
 * both: to read on until something rare appears reads everything, and for frequent words the index returns a good
 * part of the shop.
 */
export async function searchProducts(db: Db, search: Search): Promise<Found> {
  const { words, filters, sort } = search
  const sample = await sampleOf(db)
  const { shareOf } = sample
  const shares = sharesOf(search, sample)
  const { asked, isIndexed, hasLetters, share, shareInRange, ofList, isMuch } = shares
  // No index has signs, or letters within words, but a few products that the filters leave are soon compared.
  if (!hasLetters && ofList < smallListShare)
    return findAnywhere(db, search, { asked: [], shareOf, among: [] })
  const stepsBy = (by: ProductSort) => stepsIn(by, search, shares)
  // By price, the cheapest of all are wanted. By name, of more than a list shows, nobody wants just those that
  // begin with an A: the newest stand in for them.
  const firsts = isByName(sort) && stepsBy('newest').length > 0 ? 'newest' : sort
  const groupsFor = (most: number) => Math.min(groupsWithEnough(shareInRange), most)
  const mostAdded = isOfOne(filters) || (isMuch && isOfPrice(filters)) ? mostGroups : mostGroups / 2
  // Frequent products that are not among the first ones may have been added before much else: all groups are
  // searched.
  const groups = share < frequentShare ? groupsFor(mostAdded) : mostAdded
  const isAddedInOrder = hasLetters && sample.isAddedInOrder
  // Where the sample has one product, there may well be twice as many in truth, and to read all of the shop takes
  // many times as long as these groups.
  const mayHaveEnough = groups * inGroup * shareInRange * 2 >= enough
  const added =
    isAddedInOrder && (isByDate(firsts) || isMuch) && mayHaveEnough
      ? { order: isByDate(firsts) ? firsts : 'newest', groups }
      : undefined
  // If what has the words, or what the filters leave, takes long to look at, but is not among the first ones, it
  // lies together elsewhere: in groups that the sample knows.
  const isMany = hasLetters && Math.min(share, ofList) > manyShare
  const among = isMany ? sample.groupsWith(words, filters, groupsFor(mostGroups)) : []
  const anywhere = { asked, shareOf, added, among }
  if (isAddedInOrder && isByDate(firsts) && share < frequentShare) return findAnywhere(db, search, anywhere)
  const orders = isByDate(firsts) ? [firsts] : [firsts, 'newest' as const]
  const found = await findAmongFirst(db, search, orders.map(stepsBy), hasLetters)
  if (found.total >= enough || !isIndexed) return found
  const indexed = await findAnywhere(db, search, anywhere)
  return hasLetters || indexed.total >= found.total ? indexed : found
}

type Shares = ReturnType<typeof sharesOf>

/** What is known before a search: what the index can be asked for, and shares of all products. */
function sharesOf({ words, filters }: Search, { shareOf, inShop }: Sample) {
  const { category, color, minCents, maxCents } = filters
  const asked = askedOf(words)
  const ofKinds = { category, color }
  const share = shareOf(words, ofKinds)
  return {
    asked,
    isIndexed: asked.some((each) => each !== undefined),
    hasLetters: words.some(hasThreeLetters),
    /** What has all words and is of the category and color; `shareInRange` is also in the range of prices. */
    share,
    shareInRange: shareOf(words, filters),
    /** What the filters leave, whatever its words. */
    ofList: shareOf([], filters),
    ofKinds: shareOf([], ofKinds),
    ofRange: shareOf([], { minCents, maxCents }),
    /**
     * Whether the index would find too much: maybe next to nothing of it has the words that the index does not
     * know.
     */
    isMuch:
      shareOf(
        words.filter((_, index) => asked[index]),
        ofKinds,
      ) > muchShare,
    /** About how many products the index would find. */
    indexed: share * inShop,
  }
}

/** How far to look in an order until there are enough products. */
function stepsIn(by: ProductSort, { filters, sort }: Search, shares: Shares): Step[] {
  const { asked, isIndexed, hasLetters, shareInRange, ofList, isMuch, indexed } = shares
  // By date only products of the category and color are looked at, by price only those of the range.
  const promised = shareInRange / (isByDate(by) ? shares.ofKinds : isByPrice(by) ? shares.ofRange : 1)
  const isPromised = (near: number) => {
    const looks = near === farInRange ? (enough * ofList) / shareInRange : enough / promised
    if (!(near * promised >= enough && (near !== farInRange || looks <= mostInRange))) return false
    // The index would read all that it finds. To look here pays off if that is more than is looked at here until
    // there are enough, or if the index does not know a word, or only how words begin.
    return !hasLetters || asked.includes(undefined) || looks < indexed
  }
  const hasRange = isOfPrice(filters) && isByDate(by)
  if (!isIndexed)
    return [nearby, farthest, ...(hasRange ? [farInRange] : [])].map((near) => ({
      by,
      near,
      most: mostFound,
    }))
  const isFar = hasRange && (isByDate(sort) || isByName(sort) || isMuch)
  // If the first ones promise enough, but do not have it, the rest begins further on, and all of it is listed.
  // Otherwise the products are far apart, and the look ends with the first few that are enough.
  const most = isPromised(nearby) ? mostFound : enough
  return [nearby, further, ...(isFar ? [farInRange] : [])]
    .filter(isPromised)
    .map((near) => ({ by, near, most }))
}

/** @param isExact whether the index finds all the rest, should these be too few */
async function findAmongFirst(
  db: Db,
  search: Search,
  orders: readonly Step[][],
  isExact: boolean,
): Promise<Found> {
  let best: Found = { rows: [], total: 0 }
  for (const steps of orders) {
    // The newest are for an order that has nothing: all of the cheapest, say, may be of one kind.
    if (isExact && best.total > 0) break
    for (const step of steps) {
      const found = await findNearby(db, search, step)
      if (found.total >= enough) return found
      if (found.total > best.total) best = found
    }
  }
  return best
}

/**
 * To search more groups than these takes as long as to search all; half as many, where no filter narrows the
 * search.
 */
const mostGroups = 16

/** How many groups promise as many products as are listed. */
const groupsWithEnough = (share: number) => Math.max(Math.ceil(mostFound / inGroup / share), 2)
