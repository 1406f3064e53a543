import { and, sql, type SQL } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import {
  matchingAsRange,
  hasCategoryOrColor,
  hasPriceRange,
  matching,
  narrowing,
  otherPrices,
} from './matching.ts'
import type { Sample } from './frequency.ts'
import {
  mostWordsAtOnce,
  findWords,
  firstWordsLike,
  hasOneOf,
  isInAddedGroups,
  isInSampledGroups,
  isOfKind,
  kindOf,
} from './product-words.ts'
import { enoughMatches, readSearchPage, type Search } from './read-search-page.ts'
import type { Found } from './list-part.ts'
import type { WordPattern } from './search-words.ts'
import { products } from './tables.ts'

/**
 * Of frequent words that were not found elsewhere, or were taken for rare, this many matches are collected and
 * sorted. Reading all would take seconds.
 */
const mostCollected = 20_000
/** Looking up this many words one after the other takes some ten milliseconds. */
const mostWords = 500
/** This many matches of these words are enough. */
const mostOfEach = 1000
/** Within a category or color the index can be asked for this many words at once, since it finds little. */
const wordsWithin = 250
/** Of a million these are five thousand, which are quickly looked at. */
const rareShare = 1 / 200
const littleShare = 1 / 20
const unselectiveShare = 1 / 2

type IndexSearchOptions = {
  wordPatterns: readonly (WordPattern | undefined)[]
  shareOf: Sample['shareOf']
  /** Groups that are searched first, for the first products by date, */
  added?: { order: 'newest' | 'oldest'; groups: number } | undefined
  /** and then these groups, in which the sample has matches. */
  among: readonly number[]
}

/** Searches by the index of words. It is asked for all words that contain a part of each word searched for. */
export async function findAnywhere(
  db: Db,
  search: Search,
  { wordPatterns, shareOf, added, among }: IndexSearchOptions,
): Promise<Found> {
  const { words, filters } = search
  const { kinds, isSelective } = selectiveTerms(words, filters, shareOf)
  const selectivePatterns = words.map((word, index) => (isSelective(word) ? wordPatterns[index] : undefined))
  const mostWordsOfPart = kinds.length > 0 ? wordsWithin : mostWordsAtOnce
  const patterns = selectivePatterns.flatMap((each) => each?.pattern ?? [])
  const known = await findWords(db, patterns, mostWordsOfPart)
  if (known.some((each) => each.length === 0)) return { rows: [], total: 0 }
  const parts = words.flatMap((word, index) => {
    const each = selectivePatterns[index]
    return each ? { ...each, word, index, like: known.shift() ?? [] } : []
  })
  const partsInFewWords = parts.filter(({ like }) => like.length <= mostWordsOfPart)
  const partsInManyWords = parts.filter(({ like }) => like.length > mostWordsOfPart)
  const exactWordIndexes = new Set(partsInFewWords.filter(({ isWhole }) => isWhole).map(({ index }) => index))
  const { category, color, minCents, maxCents } = filters
  /** The share of the shop that passes the filters. */
  const ofList = shareOf([], filters)
  const isOfKinds =
    hasCategoryOrColor(filters) && shareOf([], { category, color }) <= shareOf([], { minCents, maxCents })
  const lookup = {
    few: partsInFewWords.map(({ like }) => like),
    kinds,
    comparisonFlags: words.map((_, index) => !exactWordIndexes.has(index)),
    filteredBy: isOfKinds ? ('kinds' as const) : ('price' as const),
    isFiltered:
      parts.length === 0 ||
      // The index has no prices: the range may leave fewer products than the words do.
      (hasPriceRange(filters) && ofList < shareOf(words, { category, color })) ||
      (partsInManyWords.length > 0 && ofList < rareShare),
  }
  const [first] = partsInManyWords.toSorted((one, other) => shareOf([one.word]) - shareOf([other.word]))
  // What few words find is looked at, unless it is a good part of the shop.
  if (
    !first ||
    lookup.isFiltered ||
    (partsInFewWords.length > 0 && shareOf(partsInFewWords.map(({ word }) => word)) < rareShare)
  )
    return findByWords(db, search, {
      ...lookup,
      ...(lookup.few.length + kinds.length > 0 ? { added, among } : { among: [] }),
    })
  // To look a word up and compare its products with the kinds takes a millisecond. Of some hundred words, the first
  // few may have enough matches.
  const steps = kinds.length > 0 ? [first.like.slice(0, mostWordsAtOnce), first.like] : [first.like]
  for (const likes of steps) {
    const some = await findByEachWord(db, search, { words: likes, kinds })
    if (some.total >= enoughMatches) return some
  }
  // Each of these words has next to no products: comparing these with the filters is faster than asking the index
  // for the kinds as well, unless the filters leave little of the shop.
  return findByEachWord(db, search, {
    pattern: first.pattern,
    kinds: ofList < littleShare ? kinds : [],
  })
}

/**
 * The index is not asked for a word or filter that more than half of all products have, since that narrows little,
 * unless the other words and filters leave too much to look at: all that is blue, say, to find what is also black.
 * A word that nearly all products have is never asked for: few lack it, so few are looked at for nothing.
 */
function selectiveTerms(words: readonly string[], filters: Search['filters'], shareOf: Sample['shareOf']) {
  const kindFilters = (['category', 'color'] as const).flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [{ name, value, share: shareOf([], { [name]: value }) }]
  })
  const rareKinds = kindFilters.filter(({ share }) => share <= unselectiveShare)
  const rareWords = words.filter((word) => shareOf([word]) <= unselectiveShare)
  const ofRareKinds = Object.fromEntries(rareKinds.map(({ name, value }) => [name, value]))
  const isEnough = shareOf(rareWords, ofRareKinds) < rareShare
  return {
    kinds: (isEnough ? rareKinds : kindFilters).map(({ name, value }) => kindOf(name, value)),
    isSelective: (word: string) => (isEnough ? rareWords.includes(word) : shareOf([word]) <= 1 - rareShare),
  }
}

/**
 * What the index is asked for, and which words are compared with what it finds; or whether everything that passes
 * the filters is read, and compared with every word.
 */
type IndexLookup = {
  few: readonly string[][]
  kinds: readonly string[]
  comparisonFlags: readonly boolean[]
  isFiltered: boolean
  /** The filters that leave less: these are looked up. */
  filteredBy: 'kinds' | 'price'
}

const namesOf = (few: IndexLookup['few']) => few.map((_, index) => `few${index}`)
/** One condition for each of the statement's value `kinds`. */
const areOfKinds = (kinds: readonly string[]) =>
  kinds.map((_, index) => isOfKind(sql`(${typedPlaceholder('kinds', 'text[]')})[${sql.raw(`${index + 1}`)}]`))
const valuesOf = (few: IndexLookup['few']) =>
  Object.fromEntries(few.map((words, index) => [`few${index}`, words]))

function findByWords(
  db: Db,
  search: Search,
  lookup: IndexLookup & Pick<IndexSearchOptions, 'added' | 'among'>,
) {
  const { few, kinds, comparisonFlags, filteredBy, added, among } = lookup
  const isFiltered = lookup.isFiltered || few.length + kinds.length === 0
  return readSearchPage(
    db,
    { ...search, values: { ...valuesOf(few), kinds, groups: added?.groups, among } },
    `by ${few.length} ${kinds.length} ${comparisonFlags.map(Number).join('')} ${isFiltered ? `f ${filteredBy}` : ''} ${added?.order ?? 'all'} ${among.length > 0}`,
    (placeholders, has, first) => {
      // Matches are collected under a limit and sorted afterwards, so that the planner does not read an index in
      // that order. The limit also keeps it from asking the index for other words, or another index for all that
      // the filters leave, only to take each text apart.
      const collected = (byIndex: SQL | undefined, compared: readonly SQL[]) =>
        first(sql`(
          select * from (select * from ${products} where ${byIndex} limit ${sql.raw(`${mostCollected}`)}) as ${products}
          where ${and(narrowing(placeholders), ...compared)}
        ) as ${products}`)
      const byWords = (within: SQL) =>
        collected(
          and(
            matching({}),
            within,
            ...namesOf(few).map((name) => hasOneOf(typedPlaceholder(name, 'text[]'))),
            ...areOfKinds(kinds),
          ),
          has.filter((_, index) => comparisonFlags[index]),
        )
      // With one plan for every category, the planner expects the same of each; `matchingAsRange` lets it expect little.
      const { category, color } = placeholders
      // The index of category and color has prices, too, and then the planner expects no other to be smaller: only
      // what is in the range is read.
      const ofPrices = category !== undefined && color !== undefined ? products.priceCents : otherPrices
      const allFiltered =
        filteredBy === 'kinds' ? matchingAsRange(placeholders, ofPrices) : matching(placeholders)
      const all = (within: SQL) => (isFiltered ? collected(and(allFiltered, within), has) : byWords(within))
      const places = [
        ...(added ? [isInAddedGroups[added.order]] : []),
        ...(among.length > 0 ? [isInSampledGroups] : []),
      ]
      // Each look runs only if those before it found too few.
      let areFew = sql`true`
      const looks = places.map((where, at) => {
        const name = sql.identifier(`look${at}`)
        const look = sql`${name} as materialized (${byWords(sql`${where} and ${areFew}`)})`
        const isFew = sql`(select count(*) < ${sql.raw(`${enoughMatches}`)} from ${name})`
        areFew = sql`${areFew} and ${isFew}`
        return { look, found: sql`select * from ${name} where not ${isFew}` }
      })
      if (looks.length === 0) return all(areFew)
      return sql`
        with ${sql.join(
          looks.map(({ look }) => look),
          sql`, `,
        )}
        ${sql.join([...looks.map(({ found }) => found), sql`(${all(areFew)})`], sql` union all `)}`
    },
  )
}

/** For a part that many words have, as parts of numbers do: looks some of these words up, one after the other. */
function findByEachWord(
  db: Db,
  search: Search,
  values: ({ words: readonly string[] } | { pattern: string }) & { kinds: readonly string[] },
) {
  const isKnown = 'words' in values
  const { length } = values.kinds
  return readSearchPage(
    db,
    { ...search, values },
    `by each ${isKnown ? 'known' : ''} ${length}`,
    (placeholders, has, first) => {
      const words = isKnown
        ? sql`select unnest(${typedPlaceholder('words', 'text[]')}) as word`
        : firstWordsLike(sql`(select lower(${typedPlaceholder('pattern', 'text')}))`, sql.raw(`${mostWords}`))
      const byIndex = and(matching({}), hasOneOf(sql`array[word]`), ...areOfKinds(values.kinds))
      return first(sql`(
        select distinct on (id) * from (
          select ${products}.* from (${words}) as each
            cross join lateral (select * from ${products} where ${byIndex} offset 0) as ${products}
          where ${and(narrowing(placeholders), ...has)} limit ${sql.raw(`${mostOfEach}`)}
        ) as each
      ) as ${products}`)
    },
  )
}
