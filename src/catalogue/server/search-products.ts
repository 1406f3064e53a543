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

/** What every twentieth of some products has is among the first ones in any order. */
const frequentShare = 1 / 20
/** Of a million these are twenty thousand, which take longer to look at than what has just come. */
const muchShare = 1 / 50
/** Of a million these are two and a half thousand. */
const smallListShare = 1 / 400
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
  const sample = await sampleOf(db)
  const { shareOf } = sample
  const shares = sharesOf(search, sample)
  const { asked, isIndexed, hasLetters, share, shareInRange, ofList, isMuch } = shares
  // No index knows a sign, or a letter within a word, but all that the filters leave is soon looked at.
  if (!hasLetters && ofList < smallListShare)
    return findAnywhere(db, search, { asked: [], shareOf, among: [] })
  const stepsBy = (by: ProductSort) => stepsIn(by, search, shares)
  // The cheapest of all are asked for, but of too many for a list nobody wants those that begin with an A.
  const firsts = isByName(sort) && stepsBy('newest').length > 0 ? 'newest' : sort
  const groupsFor = (most: number) => Math.min(groupsWithEnough(shareInRange), most)
  const mostAdded = isOfOne(filters) || (isMuch && isOfPrice(filters)) ? mostGroups : mostGroups / 2
  // What is frequent, and not among the first ones, is looked for beyond all that has just been added.
  const groups = share < frequentShare ? groupsFor(mostAdded) : mostAdded
  const isAddedInOrder = hasLetters && sample.isAddedInOrder
  // Of what a sample knows one there may well be twice as much: all of it takes many times as long to read as these groups.
  const mayHaveEnough = groups * inGroup * shareInRange * 2 >= enough
  const added =
    isAddedInOrder && (isByDate(firsts) || isMuch) && mayHaveEnough
      ? { order: isByDate(firsts) ? firsts : 'newest', groups }
      : undefined
  // Where all that has the words, or costs so much, takes long to look at, and is not among the first ones, it lies together
  // elsewhere.
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

/** What is known of a search before it is made: what the index can be asked for, and shares of all products. */
function sharesOf({ words, filters }: Search, { shareOf, inShop }: Sample) {
  const { category, color, minCents, maxCents } = filters
  const asked = askedOf(words)
  const ofKinds = { category, color }
  const share = shareOf(words, ofKinds)
  return {
    asked,
    isIndexed: asked.some((each) => each !== undefined),
    hasLetters: words.some(hasThreeLetters),
    /** That has all words, of the category and color, and which costs so much, too. */
    share,
    shareInRange: shareOf(words, filters),
    /** What filters leave, with whatever words. */
    ofList: shareOf([], filters),
    ofKinds: shareOf([], ofKinds),
    ofRange: shareOf([], { minCents, maxCents }),
    /** The index would find too much, of which next to nothing has the words that it does not know. */
    isMuch:
      shareOf(
        words.filter((_, index) => asked[index]),
        ofKinds,
      ) > muchShare,
    /** How many the index would find. */
    indexed: share * inShop,
  }
}

/** How far to look, in an order, for enough. */
function stepsIn(by: ProductSort, { filters, sort }: Search, shares: Shares): Step[] {
  const { asked, isIndexed, hasLetters, shareInRange, ofList, isMuch, indexed } = shares
  // By date only those of the category and color are looked at, in order of prices those of the range.
  const promised = shareInRange / (isByDate(by) ? shares.ofKinds : isByPrice(by) ? shares.ofRange : 1)
  const isPromised = (near: number) => {
    const looks = near === farInRange ? (enough * ofList) / shareInRange : enough / promised
    if (!(near * promised >= enough && (near !== farInRange || looks <= mostInRange))) return false
    // What the index has is read whole, unless the first enough are sooner reached, or it has only beginnings of words.
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
  // What is frequent, and not among the first, begins further on; of what is not, the first enough are far apart.
  const most = isPromised(nearby) ? mostFound : enough
  return [nearby, further, ...(isFar ? [farInRange] : [])]
    .filter(isPromised)
    .map((near) => ({ by, near, most }))
}

/** @param isExact the index knows all the rest, should these be too few */
async function findAmongFirst(
  db: Db,
  search: Search,
  orders: readonly Step[][],
  isExact: boolean,
): Promise<Found> {
  let best: Found = { rows: [], total: 0 }
  for (const steps of orders) {
    // The cheapest, say, may be all of one kind: what is frequent elsewhere is found among the newest.
    if (isExact && best.total > 0) break
    for (const step of steps) {
      const found = await findNearby(db, search, step)
      if (found.total >= enough) return found
      if (found.total > best.total) best = found
    }
  }
  return best
}

/** More than these, or half of them where nothing else narrows what is found, take as long as all. */
const mostGroups = 16

/** So that as many are found as are listed. */
const groupsWithEnough = (share: number) => Math.max(Math.ceil(mostFound / inGroup / share), 2)
