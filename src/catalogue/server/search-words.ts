import { sql, type SQL } from 'drizzle-orm'
import { literally } from '#shop/platform/database.ts'
import { unseen } from '#shop/platform/statements.ts'
import { products } from './tables.ts'

// This column has all the text that is searched, in lower case and without accents; see the migrations.
export const searched = sql`${products}.search_text`

/** The first ten words of a search: more would only cost time. */
export function wordsOf(search = ''): string[] {
  // Words are also parted by hyphens and apostrophes: whoever searches for a "t-shirt" means shirts, and some
  // keyboards write "men’s" where others write "men's". Alone, these are signs like any other.
  const words = search.split(/\s+/).flatMap((word) => (/^[-'’]+$/.test(word) ? word : word.split(/[-'’]/)))
  return words
    .filter(Boolean)
    .slice(0, 10)
    .map((word) => singularOf(bareOf(withoutAccents(word) || word)))
}

/** As the database does for the searched text, but keeping upper case: "Piqué" becomes "Pique". */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}

/** Removes the punctuation of a sentence around a word. Signs alone, and those of "50%" or ".5", stay. */
function bareOf(word: string): string {
  return word.replace(/^[,;:!?"“”„()]+|[.,;:!?"“”„()]+$/g, '') || word
}

/** Removes the ending of a plural. A search finds parts of words, so "shirts" finds both a shirt and shirts. */
function singularOf(word: string): string {
  if (/(s|x|z|ch|sh)es$/i.test(word)) return word.slice(0, -2)
  return /[^s]{3}s$/i.test(word) ? word.slice(0, -1) : word
}

/** The words as named values of a statement, escaped so that `%` and `_` mean themselves. */
export function lettersOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word, index) => [`word${index}`, literally(word)]))
}

/** Evaluated once, and not for each product. */
const once = (pattern: SQL) => sql`(select lower(${pattern}))`

export function hasPart(name: string): SQL {
  return sql`${searched} like ${once(sql`'%' || ${unseen(name, 'text')} || '%'`)}`
}

/** The same for the name of a product alone. */
export function isNamed(name: string): SQL {
  return sql`folded(${products.name}) like ${once(sql`'%' || ${unseen(name, 'text')} || '%'`)}`
}

/** Three letters or digits in a row are enough to be looked for within words. */
export const hasThreeLetters = (word: string) => /[\p{L}\p{N}]{3}/u.test(word)

/** What parts words in the index of words; see `words_of` in the migrations. */
export const betweenWords = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/

/** The index cuts very long words into pieces, which overlap by this much; see `words_of` in the migrations. */
const lettersAndDigits = /[\p{L}\p{N}]{1,50}/gu

/** What is looked for among the words of all products, for one word of a search. */
export type Asked = {
  /** A pattern for `like`. */
  pattern: string
  /**
   * Whether every product with a matching word has what is searched for, so that its text need not be compared.
   */
  isWhole: boolean
}

/**
 * For each word of a search, what to look for among the words of products: its longest run of letters and digits
 * or, where no word has three of them in a row, words that begin with it. Undefined for what only a comparison of
 * texts can find.
 */
export function askedOf(words: readonly string[]): (Asked | undefined)[] {
  const parts = words.map((word) => word.match(lettersAndDigits)?.toSorted(byLength)[0] ?? '')
  const isBegun = !parts.some(hasThreeLetters)
  return words.map((word, index) => {
    const part = parts[index] ?? ''
    if (hasThreeLetters(part)) return { pattern: `%${part}%`, isWhole: part === word }
    // One or two letters are in far too many words.
    return isBegun && part !== '' && part === word ? { pattern: `${part}%`, isWhole: true } : undefined
  })
}

const byLength = (one: string, other: string) => other.length - one.length
