import { sql, type SQL } from 'drizzle-orm'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { countOfProducts } from './store.ts'
import { products } from './tables.ts'

// The column has all that is searched, in lower case; see the migrations.
export const searched = sql`${products}.search_text`

/** `%` and `_` mean themselves. */
export function hasPart(word: string): SQL {
  return sql`${searched} like lower(${`%${literally(word)}%`})`
}

/** Enough of them for the index. */
export const hasLetters = (word: string) => /[\p{L}\p{N}]{3}/u.test(word)
export const isBeginning = /^[\p{L}\p{N}]{1,2}$/u

/** One or two letters are in the index only as the beginning of a word. */
export function hasBeginning(word: string): SQL {
  return sql`(${searched} like lower(${`% ${literally(word)}%`}) or ${searched} like lower(${`${literally(word)}%`}))`
}

/** About so many products, from anywhere, tell what is frequent. */
const someProducts = 500
/** What every twentieth of them has is. */
const frequentShare = 1 / 20
const mostGroups = 6

/** A share of the shop, in percent. */
const share = sql`(select least(100, ${someProducts * 100}::real / greatest(${countOfProducts}, 1)))::real`

/**
 * For each word what the index is asked for: the whole word, or, of one that is frequent, the three of its letters that
 * are rarest. The index has a long list for each group of three letters of such a word, and would read all of them.
 */
export async function partsToLookFor(db: Db, words: readonly string[]): Promise<readonly string[]> {
  // A single list is as long as what it finds.
  if (words.filter(hasLetters).length < 2) return words
  const each = words.map((word) => ({ word, groups: groupsOf(word) }))
  const parts = [...new Set(each.flatMap(({ word, groups }) => [word, ...groups]))]
  const counts = parts.map((part) => sql`count(*) filter (where ${hasPart(part)})`)
  const { rows } = await db.execute<{ all: number; counts: number[] }>(sql`
    select count(*)::int as all, array[${sql.join(counts, sql`, `)}]::int[] as counts
    from ${products} tablesample system (${share})
    where ${products.deletedAt} is null`)
  const { all, counts: found } = onlyRow(rows)
  const countOf = (part: string) => found[parts.indexOf(part)] ?? 0
  return each.map(({ word, groups }) => {
    const ofWord = countOf(word)
    // Most of what has these letters should have the word: the others are read for nothing.
    const isAsFrequent = (group: string) => countOf(group) >= ofWord && countOf(group) <= ofWord * 1.5
    const rarest = groups.filter(isAsFrequent).toSorted((one, other) => countOf(one) - countOf(other))[0]
    return ofWord > all * frequentShare ? (rarest ?? word) : word
  })
}

/** Some of them, from the beginning of the word. */
function groupsOf(word: string): string[] {
  const letters = [...word]
  const groups = letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''))
  return groups.filter((group) => /^[\p{L}\p{N}]{3}$/u.test(group)).slice(0, mostGroups)
}
