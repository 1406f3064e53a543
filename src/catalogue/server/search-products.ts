import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { sampleOf, type Sample } from './frequency.ts'
import { isByDate, isByName, isByPrice, hasCategoryOrColor, hasPriceRange } from './matching.ts'
import { inGroup } from './product-words.ts'
import { enoughMatches, mostListedMatches, type Search } from './read-search-page.ts'
import type { Found } from './list-part.ts'
import { findAnywhere } from './search-anywhere.ts'
import {
  rangeScanLimit,
  symbolScanLimit,
  findNearby,
  furtherScanLimit,
  mostInRange,
  nearScanLimit,
  type Step,
} from './search-nearby.ts'
import { wordPatternsOf, hasThreeLetters } from './search-words.ts'

/** What a twentieth of the sample has is found among the first products in any order. */
const frequentShare = 1 / 20
/** Of a million these are twenty thousand, which take longer to look at than the products added last. */
const tooFrequentShare = 1 / 50
/** Of a million these are two and a half thousand. */
const smallListShare = 1 / 400
/** Of a million these are ten thousand, which take twenty milliseconds and more to look at. */
const manyShare = 1 / 100

/**
 * Products of a large shop that have every word somewhere in what a shopper knows of them.
 *
 * Frequent words are found among the first products, rare ones by the index of words. Neither way is fast for
 * both: reading on until something rare appears reads everything, and for frequent words the index returns a good
 * part of the shop.
 */
export async function searchProducts(db: Db, search: Search): Promise<Found> {
  const { words, filters, sort } = search
  const sample = await sampleOf(db)
  const { shareOf } = sample
  const shares = sharesOf(search, sample)
  const { wordPatterns, isIndexed, hasLetters, share, shareInRange, ofList, isTooFrequent } = shares
  // No index has signs, or letters within words, but if few products pass the filters, these are soon compared.
  if (!hasLetters && ofList < smallListShare)
    return findAnywhere(db, search, { wordPatterns: [], shareOf, among: [] })
  const stepsBy = (by: ProductSort) => stepsIn(by, search, shares)
  // By price, the cheapest of all are wanted. By name, if there are too many to list, nobody wants just those that
  // begin with an A: the newest are taken instead.
  const searchedSort = isByName(sort) && stepsBy('newest').length > 0 ? 'newest' : sort
  const groupsFor = (most: number) => Math.min(groupsWithEnough(shareInRange), most)
  const mostAdded =
    hasCategoryOrColor(filters) || (isTooFrequent && hasPriceRange(filters)) ? mostGroups : mostGroups / 2
  const groups = groupsFor(mostAdded)
  const isAddedInOrder = hasLetters && sample.isAddedInOrder
  // If the sample has one match, there may be twice as many as that suggests, and reading every match in the shop
  // takes many times as long as reading these groups.
  const mayHaveEnough = groups * inGroup * shareInRange * 2 >= enoughMatches
  const added =
    isAddedInOrder && (isByDate(searchedSort) || isTooFrequent) && mayHaveEnough
      ? { order: isByDate(searchedSort) ? searchedSort : 'newest', groups }
      : undefined
  // If many products have the words, and the filters leave many, but none are among the first ones, they lie
  // together elsewhere: in groups that the sample knows.
  const isMany = hasLetters && Math.min(share, ofList) > manyShare
  const among = isMany ? sample.groupsWith(words, filters, groupsFor(mostGroups)) : []
  const anywhere = { wordPatterns, shareOf, added, among }
  if (isAddedInOrder && isByDate(searchedSort) && share < frequentShare)
    return findAnywhere(db, search, anywhere)
  const orders = isByDate(searchedSort) ? [searchedSort] : [searchedSort, 'newest' as const]
  const found = await findAmongFirst(db, search, orders.map(stepsBy), hasLetters)
  if (found.total >= enoughMatches || !isIndexed) return found
  const foundByIndex = await findAnywhere(db, search, anywhere)
  return hasLetters || foundByIndex.total >= found.total ? foundByIndex : found
}

type Shares = ReturnType<typeof sharesOf>

/** What is known before a search: what the index can be asked for, and shares of the whole shop. */
function sharesOf({ words, filters }: Search, { shareOf, inShop }: Sample) {
  const { category, color, minCents, maxCents } = filters
  const wordPatterns = wordPatternsOf(words)
  const ofKinds = { category, color }
  const share = shareOf(words, ofKinds)
  return {
    wordPatterns,
    isIndexed: wordPatterns.some((each) => each !== undefined),
    hasLetters: words.some(hasThreeLetters),
    /** Of products with all words, in the category and color; `shareInRange`: in the price range, too. */
    share,
    shareInRange: shareOf(words, filters),
    /** Of products that pass the filters, whatever their words. */
    ofList: shareOf([], filters),
    ofKinds: shareOf([], ofKinds),
    ofRange: shareOf([], { minCents, maxCents }),
    /** Whether the index would find too much. Hardly any of it may have the words that the index does not know. */
    isTooFrequent:
      shareOf(
        words.filter((_, index) => wordPatterns[index]),
        ofKinds,
      ) > tooFrequentShare,
    /** About how many products the index would find. */
    indexMatches: share * inShop,
  }
}

/** How far to look in an order for enough matches. */
function stepsIn(by: ProductSort, { filters, sort }: Search, shares: Shares): Step[] {
  const { wordPatterns, isIndexed, hasLetters, shareInRange, ofList, isTooFrequent, indexMatches } = shares
  // By date, only products of the category and color are looked at; by price, only those in the range.
  const promised = shareInRange / (isByDate(by) ? shares.ofKinds : isByPrice(by) ? shares.ofRange : 1)
  const isPromised = (scanLimit: number) => {
    const looks =
      scanLimit === rangeScanLimit ? (enoughMatches * ofList) / shareInRange : enoughMatches / promised
    if (!(scanLimit * promised >= enoughMatches && (scanLimit !== rangeScanLimit || looks <= mostInRange)))
      return false
    // The index reads all of its matches. Looking here is better if it reads fewer products, or if the index does
    // not know a word, or only knows how words begin.
    return !hasLetters || wordPatterns.includes(undefined) || looks < indexMatches
  }
  const hasRange = hasPriceRange(filters) && isByDate(by)
  if (!isIndexed)
    return [nearScanLimit, symbolScanLimit, ...(hasRange ? [rangeScanLimit] : [])].map((scanLimit) => ({
      by,
      scanLimit,
      matchLimit: mostListedMatches,
    }))
  const isFar = hasRange && (isByDate(sort) || isByName(sort) || isTooFrequent)
  // If the first products promise enough matches but do not have them, these begin further on, and all are wanted.
  // Otherwise matches are far apart, and just enough will do.
  const matchLimit = isPromised(nearScanLimit) ? mostListedMatches : enoughMatches
  return [nearScanLimit, furtherScanLimit, ...(isFar ? [rangeScanLimit] : [])]
    .filter(isPromised)
    .map((scanLimit) => ({ by, scanLimit, matchLimit }))
}

/** @param isExact whether the index finds all matches, should these be too few */
async function findAmongFirst(
  db: Db,
  search: Search,
  orders: readonly Step[][],
  isExact: boolean,
): Promise<Found> {
  let best: Found = { rows: [], total: 0 }
  for (const steps of orders) {
    // The newest are only tried if there is no match so far: all of the cheapest, say, may be of one kind.
    if (isExact && best.total > 0) break
    for (const step of steps) {
      const found = await findNearby(db, search, step)
      if (found.total >= enoughMatches) return found
      if (found.total > best.total) best = found
    }
  }
  return best
}

/** Searching more groups takes as long as searching all; half as many, if no filter narrows the search. */
const mostGroups = 16

/** How many groups promise as many matches as are listed. */
const groupsWithEnough = (share: number) => Math.max(Math.ceil(mostListedMatches / inGroup / share), 2)
