import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven } from './counts.ts'
import {
  asSql,
  givenOf,
  isByDate,
  isByPrice,
  isOfPrice,
  keysOf,
  matching,
  part,
  sorting,
  type Given,
} from './matching.ts'
import type { Browsing, List } from './near-pages.ts'
import { hasBeginning, hasLetters, hasPart, isBeginning, lettersOf, partsToLookFor } from './search-words.ts'
import { listedAsNamed, namesOfListed, productsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

export type Search = Browsing & { words: readonly string[] }
type Row = NoneOr<ListedRow> & { total: number }

/** So many are listed at most, the first in the order asked for. */
const mostFound = 250
/** So many of the first in that order are looked at, step by step, until enough of them match. */
const nearby = [500, 2000, 5000]
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
export async function searchProducts(db: Db, search: Search): Promise<List> {
  const { words, sort } = search
  const isIndexed = words.some((word) => hasLetters(word) || isBeginning.test(word))
  let found: List = { products: [], totalProducts: 0 }
  // What begins a list by name, say, may be all of one kind: what is frequent elsewhere is found among the newest.
  for (const by of isByDate(sort) ? [sort] : [sort, 'newest' as const]) {
    let looked = 0
    for (const near of isIndexed ? nearby : [...nearby, farthest]) {
      // Where a few have it, many will have it further on; what hardly any has is found sooner by the index.
      if (looked > 0 && isIndexed && (found.totalProducts * near) / looked < enough) continue
      found = await findNearby(db, search, by, near)
      if (found.totalProducts >= enough) return found
      looked = near
    }
  }
  return isIndexed ? findAnywhere(db, search) : found
}

/** Among the first so many, as an index has them: what it does not know is compared afterwards. */
function findNearby(db: Db, search: Search, by: ProductSort, near: number): Promise<List> {
  return read(db, search, `of ${near} ${by}`, ({ category, color, minCents, maxCents }, words) => {
    const indexed = matching({
      ...(isByDate(by) && { category, color }),
      ...(isByPrice(by) && { minCents, maxCents }),
    })
    const inOrder = sql.join(sorting[by].map(asSql), sql`, `)
    return sql`(select * from ${products} where ${indexed} order by ${inOrder} limit ${sql.raw(`${near}`)}) as ${products}
      where ${matching({ category, color, minCents, maxCents })} and ${words}`
  })
}

/** By the groups of three letters in which the words are indexed; with nothing longer, by how words begin. */
async function findAnywhere(db: Db, search: Search): Promise<List> {
  const isLong = search.words.some(hasLetters)
  const asked = isLong ? await partsToLookFor(db, search.words) : search.words
  const [name, has] = isLong ? ['anywhere', hasPart] : ['at a beginning', hasBeginning]
  const parts = lettersOf('part', asked)
  // Whatever the index is asked for whole need not be looked at again.
  const words = search.words.filter((word) => !asked.includes(word))
  return read(db, { ...search, words, parts }, `${name} by ${asked.length}`, (given, hasRest) => {
    const byIndex = Object.keys(parts).map(has)
    // Collected first and put in order then: below a limit the database does not know that there is an order to read
    // in. And "offset 0" keeps it from looking for whole words in the index after all.
    return sql`(
      select * from (select * from ${products} where ${and(matching(given), ...byIndex)} offset 0) as ${products}
      where ${hasRest} limit ${sql.raw(`${mostCollected}`)}
    ) as ${products}`
  })
}

/**
 * A page of what is found, and how much that is also when there is nothing on it.
 *
 * @param name of the way, which is another statement
 * @param write the way, with placeholders for the filters and what has all the words
 */
async function read(
  db: Db,
  { words, filters, sort, page, limit, parts }: Search & { parts?: Record<string, string> },
  name: string,
  write: (given: Given, words: SQL) => SQL,
): Promise<List> {
  const letters = lettersOf('word', words)
  const rows = await ask<Row>(
    db,
    `${words.length} words ${name} ${sort} ${namesOfGiven(filters)}`,
    () => {
      const given = givenOf(filters, { isSeen: isOfPrice(filters) })
      const hasAll = and(...Object.keys(letters).map(hasPart)) ?? sql`true`
      const { keys, inOrder } = keysOf(sort)
      return sql`
        with found as materialized (
          select ${products.id} as found, ${keys} from ${write(given, hasAll)}
          order by ${inOrder} limit ${sql.raw(`${mostFound}`)}
        ),
        page as materialized (select * from found order by ${inOrder} ${part})
        select ${namesOfListed}, (select count(*) from found)::float8 as total
        from (select 1) as one
          left join (select ${listedAsNamed}, page.* from page join ${products} on ${products.id} = page.found) as page on true
        order by ${inOrder}`
    },
    { ...filters, ...letters, ...parts, offset: (page - 1) * limit, limit },
  )
  return { products: productsOf(rows), totalProducts: rows[0]?.total ?? 0 }
}
