import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven } from './counts.ts'
import {
  asSql,
  givenOf,
  isByDate,
  isByName,
  isByPrice,
  isOfPrice,
  keysOf,
  matching,
  pagePart,
  sorting,
  type Given,
} from './matching.ts'
import { cameInPeriods, firstPeriods } from './first-periods.ts'
import type { Found, Part } from './read-on.ts'
import {
  frequentShare,
  hasBeginning,
  hasLetters,
  hasPart,
  isBeginning,
  lettersOf,
  partsToLookFor,
  type Looked,
} from './search-words.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

export type Search = Part & { words: readonly string[] }
type Row = NoneOr<ListedRow> & { total: number }

/** So many are listed at most, the first in the order asked for. */
const mostFound = 250
/** So many of the first in that order are looked at, step by step, until enough of them match. */
const nearby = [500, 2000, 5000] as const
const enough = 24
/** As far as a single sign is looked for, which no index knows. */
const farthest = 10_000
/** Of what is frequent, but not there, so many are collected and put in order; reading all of it would take seconds. */
const mostCollected = 5000

/** Ten words say what is looked for; more would only cost time. */
export function wordsOf(search = ''): string[] {
  // Who looks for a "t-shirt" means shirts; a hyphen alone is a sign like any other.
  const words = search.split(/\s+/).flatMap((word) => (/^-+$/.test(word) ? word : word.split('-')))
  return words.filter(Boolean).slice(0, 10).map(singularOf)
}

/** Of what is found as a part of other words, so that somebody who looks for shirts finds each. */
function singularOf(word: string): string {
  if (/(s|x|z|ch|sh)es$/i.test(word)) return word.slice(0, -2)
  return /[^s]{3}s$/i.test(word) ? word.slice(0, -1) : word
}

/**
 * Products of a large shop that have every word somewhere in what a shopper knows of them.
 *
 * What is frequent is found among the first products, what is rare by the index of letters. Neither way
 * is quick for both: reading on until something rare appears reads everything, and an index of what is frequent answers
 * with a good part of the shop.
 */
export async function searchProducts(db: Db, search: Search): Promise<Found> {
  const { words, sort } = search
  const isIndexed = words.some((word) => hasLetters(word) || isBeginning.test(word))
  const looked = words.some(hasLetters) ? await partsToLookFor(db, words) : undefined
  const share = looked?.share ?? 1
  const isRare = looked !== undefined && looked.parts.length > 0 && share < frequentShare
  const steps = isIndexed ? nearby.filter((near) => near * share >= enough) : [...nearby, farthest]
  // The cheapest of all are asked for, but of too many for a list nobody wants those that begin with an A.
  const firsts = isByName(sort) && steps.length > 0 ? 'newest' : sort
  const periods = isRare && isByDate(firsts) ? await firstPeriods(db, firsts) : undefined
  if (periods) return findAnywhere(db, search, looked, periods)
  let found: Found = { rows: [], total: 0 }
  // What begins a list by name, say, may be all of one kind: what is frequent elsewhere is found among the newest.
  for (const by of isByDate(sort) ? [sort] : [sort, 'newest' as const]) {
    let passed = 0
    for (const near of steps) {
      // Where a few have it, many will have it further on; what hardly any has is found sooner by the index.
      if (passed > 0 && isIndexed && (found.total * near) / passed < enough) continue
      found = await findNearby(db, search, by, near)
      if (found.total >= enough) return found
      passed = near
    }
  }
  return isIndexed ? findAnywhere(db, search, looked) : found
}

/** Among the first so many, as an index has them: what it does not know is compared afterwards. */
function findNearby(db: Db, search: Search, by: ProductSort, near: number): Promise<Found> {
  return read(db, search, `of ${near} ${by}`, (given, has, first) => first(nearest(given, has, by, near)))
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

/**
 * By the groups of three letters in which the words are indexed; with nothing longer, by how words begin.
 *
 * @param periods in which the first ones came, to be looked through before all others
 */
async function findAnywhere(
  db: Db,
  search: Search,
  looked: Looked | undefined,
  periods?: readonly number[],
): Promise<Found> {
  const { words } = search
  const asked = looked?.parts ?? words
  const [name, hasAsked] = looked ? ['anywhere', hasPart] : ['at a beginning', hasBeginning]
  const parts = lettersOf('part', asked)
  // Whatever the index is asked for whole need not be looked at again.
  const isLeft = words.map((word) => !asked.includes(word))
  return read(
    db,
    { ...search, values: { ...parts, periods } },
    `${name} by ${asked.length} ${isLeft.map(Number).join('')} ${periods ? 'first' : 'all'}`,
    (given, has, first) => {
      // Collected first and put in order then: below a limit the database does not know that there is an order to read
      // in. And "offset 0" keeps it from looking for whole words in the index after all.
      const collected = (within: SQL) => {
        const byIndex = and(matching(given), within, ...Object.keys(parts).map(hasAsked))
        return first(sql`(
          select * from (select * from ${products} where ${byIndex} offset 0) as ${products}
          where ${and(sql`true`, ...has.filter((_, index) => isLeft[index]))} limit ${sql.raw(`${mostCollected}`)}
        ) as ${products}`)
      }
      if (!periods) return collected(sql`true`)
      const isFew = sql`(select count(*) < ${sql.raw(`${enough}`)} from firsts)`
      return sql`
        with firsts as materialized (${collected(cameInPeriods)})
        select * from firsts where not ${isFew}
        union all (${collected(isFew)})`
    },
  )
}

/** The first of what is asked for, in its order. */
type First = (from: SQL) => SQL

/**
 * A page of what is found, and how much that is also when there is nothing on it.
 *
 * @param name of the way, which is another statement
 * @param write the way, with placeholders for the filters, and what has each word
 */
async function read(
  db: Db,
  { words, filters, sort, before, limit, values }: Search & { values?: Record<string, unknown> },
  name: string,
  write: (given: Given, has: readonly SQL[], first: First) => SQL,
): Promise<Found> {
  const letters = lettersOf('word', words)
  const rows = await ask<Row>(
    db,
    `${words.length} words ${name} ${sort} ${namesOfGiven(filters)}`,
    () => {
      const given = givenOf(filters, { isSeen: isOfPrice(filters) })
      const has = Object.keys(letters).map(hasPart)
      const { keys, inOrder } = keysOf(sort)
      const first: First = (from) => sql`select ${products.id} as found, ${keys} from ${from}
        order by ${inOrder} limit ${sql.raw(`${mostFound}`)}`
      return sql`
        with found as materialized (${write(given, has, first)}),
        page as materialized (select * from found order by ${inOrder} ${pagePart})
        select ${namesOfListed}, (select count(*) from found)::float8 as total
        from (select 1) as one
          left join (select ${listedAsNamed}, page.* from page join ${products} on ${products.id} = page.found) as page on true
        order by ${inOrder}`
    },
    { ...filters, ...letters, ...values, offset: before, limit },
  )
  return { rows: rowsOf(rows), total: rows[0]?.total ?? 0 }
}
