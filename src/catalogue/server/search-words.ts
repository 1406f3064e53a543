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
/** What is frequent now is so in a minute, too: to look for it takes longer than most searches. */
const sampledForMs = 60_000
/** What every twentieth of them has is. */
export const frequentShare = 1 / 20
const mostGroups = 6

/** Which a fourth of all ids are: products that were added together lie together and are alike, so of more places fewer are taken. */
const isOfFourth = sql`md5(${products.id}) < '4'`

/** A share of the shop, in percent. */
const share = sql`(select least(100, ${someProducts * 4 * 100}::real / greatest(${countOfProducts}, 1)))::real`

/** What the index of letters is asked for, and about which share of the shop has all the words. */
export type Looked = { parts: readonly string[]; share: number }

/**
 * What the index is asked for: each word that it knows, or, of one that is frequent, the three of its letters that are
 * rarest. The index has a long list for each group of three letters of such a word, and would read all of them. It is not
 * asked for what most have.
 */
export async function partsToLookFor(db: Db, words: readonly string[]): Promise<Looked> {
  const texts = await someTexts(db)
  const countOf = (...parts: readonly string[]) => {
    const letters = parts.map((part) => part.toLowerCase())
    return texts.filter((text) => letters.every((each) => text.includes(each))).length
  }
  const isFrequent = (count: number) => count > texts.length * frequentShare
  const parts = words.filter(hasLetters).flatMap((word) => {
    const ofWord = countOf(word)
    if (ofWord > texts.length / 2) return []
    // A single list is as long as what it finds.
    if (words.length === 1 || !isFrequent(ofWord)) return word
    const groups = groupsOf(word).map((group) => ({ group, count: countOf(group) }))
    // Most of what has these letters should have the word: the others are read for nothing.
    const asFrequent = groups.filter(({ count }) => count <= ofWord * 1.5)
    return asFrequent.toSorted((one, other) => one.count - other.count)[0]?.group ?? word
  })
  return { parts, share: countOf(...words) / Math.max(texts.length, 1) }
}

type Sample = { texts: readonly string[]; takenAt: number }
const samples = new WeakMap<Db, Sample>()

/** What is searched of some products. */
async function someTexts(db: Db): Promise<readonly string[]> {
  const kept = samples.get(db)
  if (kept && performance.now() - kept.takenAt < sampledForMs) return kept.texts
  const rows = await ask<{ text: string }>(
    db,
    'some products',
    // The same ones each time, so that a search finds what it found a minute ago.
    () => sql`select ${searched} as text from ${products} tablesample system (${share}) repeatable (0)
      where ${products.deletedAt} is null and ${isOfFourth}`,
    {},
  )
  const texts = rows.map(({ text }) => text)
  samples.set(db, { texts, takenAt: performance.now() })
  return texts
}

/** Some of them, from the beginning of the word. */
function groupsOf(word: string): string[] {
  const letters = [...word]
  const groups = letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''))
  return groups.filter((group) => /^[\p{L}\p{N}]{3}$/u.test(group)).slice(0, mostGroups)
}
