import { sql, type SQL } from 'drizzle-orm'
import { literally, type Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { countOfProducts } from './store.ts'
import { products } from './tables.ts'

// The column has all that is searched, in lower case; see the migrations.
const searched = sql`${products}.search_text`

/** The letters of each word under a name, as values of a statement: `%` and `_` mean themselves. */
export function lettersOf(name: string, words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word, index) => [`${name}${index}`, literally(word)]))
}

/** Put together once, and not for each product. */
const once = (pattern: SQL) => sql`(select lower(${pattern}))`
const given = (name: string) => sql`${sql.placeholder(name)}::text`

export function hasPart(name: string): SQL {
  return sql`${searched} like ${once(sql`'%' || ${given(name)} || '%'`)}`
}

/** Of its name alone. */
export function isNamed(name: string): SQL {
  return sql`lower(${products.name}) like ${once(sql`'%' || ${given(name)} || '%'`)}`
}

/** As `hasPart`, where the database had better see that its index is of no use. */
export function hasSeenPart(name: string): SQL {
  return sql`${searched} like lower('%' || ${given(name)} || '%')`
}

/** Enough of them for the index. */
export const hasLetters = (word: string) => /[\p{L}\p{N}]{3}/u.test(word)
export const isBeginning = /^[\p{L}\p{N}]{1,2}$/u

/** One or two letters are in the index only as the beginning of a word. */
export function hasBeginning(name: string): SQL {
  const [within, first] = [sql`'% ' || ${given(name)} || '%'`, sql`${given(name)} || '%'`]
  return sql`(${searched} like ${once(within)} or ${searched} like ${once(first)})`
}

/** About so many products, from anywhere, tell what is frequent. */
const someProducts = 250
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
  const rows = await ask<{ count: number }>(
    db,
    'how frequent parts are',
    () => sql`
      with sampled as materialized (
        select ${searched} as text from ${products} tablesample system (${share}) where ${products.deletedAt} is null
      )
      select (select count(*) from sampled where text like pattern)::int as count
      from unnest(${sql.placeholder('patterns')}::text[]) with ordinality as each(pattern, number) order by number`,
    { patterns: ['', ...parts].map((part) => `%${literally(part.toLowerCase())}%`) },
  )
  const [all = 0, ...found] = rows.map(({ count }) => count)
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
