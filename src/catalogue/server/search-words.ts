import { sql, type SQL } from 'drizzle-orm'
import { escapeForLike } from '#shop/platform/database.ts'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import { products } from './tables.ts'

// This column has all the text that is searched, in lower case and without accents; see the migrations.
export const searchText = sql`${products}.search_text`

/** The words of a search, ten at most: more would only cost time. */
export function wordsOf(search = ''): string[] {
  // Hyphens and apostrophes separate words, too: a search for a "t-shirt" means shirts, and some keyboards write
  // "men’s" where others write "men's". Alone, they are signs like any other.
  const words = search.split(/\s+/).flatMap((word) => (/^[-'’]+$/.test(word) ? word : word.split(/[-'’]/)))
  return words
    .filter(Boolean)
    .slice(0, 10)
    .map((word) => singularOf(bareOf(withoutAccents(word) || word)))
}

/** As the database does, but without changing the case: "Piqué" becomes "Pique". */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}

/** Removes the punctuation around a word. Signs alone, and those of "50%" or ".5", are searched for. */
function bareOf(word: string): string {
  return word.replace(/^[,;:!?"“”„()]+|[.,;:!?"“”„()]+$/g, '') || word
}

/** Removes a plural ending. A search finds parts of words, so a search for shirts also finds a single shirt. */
function singularOf(word: string): string {
  if (/(s|x|z|ch|sh)es$/i.test(word)) return word.slice(0, -2)
  return /[^s]{3}s$/i.test(word) ? word.slice(0, -1) : word
}

/** The words as named values of a statement, escaped so that `%` and `_` mean themselves. */
export function wordValuesOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word, index) => [`word${index}`, escapeForLike(word)]))
}

/** Evaluated once, and not for each product. */
const once = (pattern: SQL) => sql`(select lower(${pattern}))`

export function hasPart(name: string): SQL {
  return sql`${searchText} like ${once(sql`'%' || ${typedPlaceholder(name, 'text')} || '%'`)}`
}

/** The same for the name of a product alone. */
export function isNamed(name: string): SQL {
  return sql`folded(${products.name}) like ${once(sql`'%' || ${typedPlaceholder(name, 'text')} || '%'`)}`
}

/** Three letters or digits in a row are enough to search for within words. */
export const hasThreeLetters = (word: string) => /[\p{L}\p{N}]{3}/u.test(word)

/** The index cuts very long words into pieces, which overlap by this much; see `words_of` in the migrations. */
const lettersAndDigits = /[\p{L}\p{N}]{1,50}/gu

/** What a word of a search looks for among the words of all products. */
export type WordPattern = {
  /** A pattern for `like`. */
  pattern: string
  /**
   * Whether a product with such a word is certain to have what is searched for, so that its text is not compared.
   */
  isWhole: boolean
}

/**
 * What to look for among the words of products, for each word of a search: its longest run of letters and digits
 * or, if no word has three in a row, words that begin with it. Undefined if only comparing texts can find it.
 */
export function wordPatternsOf(words: readonly string[]): (WordPattern | undefined)[] {
  const parts = words.map((word) => word.match(lettersAndDigits)?.toSorted(byLength)[0] ?? '')
  const isByPrefix = !parts.some(hasThreeLetters)
  return words.map((word, index) => {
    const part = parts[index] ?? ''
    if (hasThreeLetters(part)) return { pattern: `%${part}%`, isWhole: part === word }
    // Far too many words contain the same one or two letters.
    return isByPrefix && part !== '' && part === word ? { pattern: `${part}%`, isWhole: true } : undefined
  })
}

const byLength = (one: string, other: string) => other.length - one.length
