import { sql, type SQL } from 'drizzle-orm'
import { literally } from '#shop/platform/database.ts'
import { unseen } from '#shop/platform/statements.ts'
import { products } from './tables.ts'

// The column has all that is searched, in lower case and without accents; see the migrations.
export const searched = sql`${products}.search_text`

/** Ten words say what is looked for; more would only cost time. */
export function wordsOf(search = ''): string[] {
  // Who looks for a "t-shirt" means shirts, and some keyboards write "men’s" where others write "men's"; alone, these are
  // signs like any other.
  const words = search.split(/\s+/).flatMap((word) => (/^[-'’]+$/.test(word) ? word : word.split(/[-'’]/)))
  return words
    .filter(Boolean)
    .slice(0, 10)
    .map((word) => singularOf(bareOf(withoutAccents(word) || word)))
}

/** As the database has what is searched, but for the case: "Piqué" is Pique. */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}

/** Without the signs of a sentence around it; signs alone, and those of "50%" or ".5", are looked for. */
function bareOf(word: string): string {
  return word.replace(/^[,;:!?"“”„()]+|[.,;:!?"“”„()]+$/g, '') || word
}

/** Of what is found as a part of other words, so that somebody who looks for shirts finds each. */
function singularOf(word: string): string {
  if (/(s|x|z|ch|sh)es$/i.test(word)) return word.slice(0, -2)
  return /[^s]{3}s$/i.test(word) ? word.slice(0, -1) : word
}

/** The letters of each word under a name, as values of a statement: `%` and `_` mean themselves. */
export function lettersOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word, index) => [`word${index}`, literally(word)]))
}

/** Put together once, and not for each product. */
const once = (pattern: SQL) => sql`(select lower(${pattern}))`

export function hasPart(name: string): SQL {
  return sql`${searched} like ${once(sql`'%' || ${unseen(name, 'text')} || '%'`)}`
}

/** Of its name alone. */
export function isNamed(name: string): SQL {
  return sql`folded(${products.name}) like ${once(sql`'%' || ${unseen(name, 'text')} || '%'`)}`
}

/** Enough to be looked for within words. */
export const hasThreeLetters = (word: string) => /[\p{L}\p{N}]{3}/u.test(word)

/** As the index of words has it; see the migrations. */
export const betweenWords = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/

/** Of very long words only so much is together in a piece; see the migrations. */
const lettersAndDigits = /[\p{L}\p{N}]{1,50}/gu

/** What is looked for among the words of all products. */
export type Asked = {
  /** As `like` has it. */
  pattern: string
  /** Whether a product with a word like this has what is searched for, and need not be looked at. */
  isWhole: boolean
}

/**
 * What each word of a search has in common with the words of whatever it finds: its longest letters and digits, between
 * signs that part them, or, where no word has three, how words begin. Undefined for what is only found by looking.
 */
export function askedOf(words: readonly string[]): (Asked | undefined)[] {
  const parts = words.map((word) => word.match(lettersAndDigits)?.toSorted(byLength)[0] ?? '')
  const isBegun = !parts.some(hasThreeLetters)
  return words.map((word, index) => {
    const part = parts[index] ?? ''
    if (hasThreeLetters(part)) return { pattern: `%${part}%`, isWhole: part === word }
    // One or two letters are everywhere in words.
    return isBegun && part !== '' && part === word ? { pattern: `${part}%`, isWhole: true } : undefined
  })
}

const byLength = (one: string, other: string) => other.length - one.length
