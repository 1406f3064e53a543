import { and, not, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { queryPrepared, typedPlaceholder } from '#shop/platform/statements.ts'
import { countAtAnyPrice, filterNamesOf, totalCounted } from './counts.ts'
import { placeholdersOf, keysOf, matching, pagePart } from './matching.ts'
import { mostWordsAtOnce, hasOneOf, wordsLike } from './product-words.ts'
import type { Search } from './read-search-page.ts'
import type { Found } from './list-part.ts'
import {
  wordPatternsOf,
  hasPart,
  hasThreeLetters,
  isNamed,
  wordValuesOf,
  type WordPattern,
} from './search-words.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

type Row = NoneOr<ListedRow> & { inShop: number; total: number }

/** How large a shop was when it was last counted: a large one is not counted again for a while. */
const sizes = new WeakMap<Db, { inShop: number; countedAt: number }>()
const sizeLifetimeMs = 60_000

function isKnownLarge(db: Db, most: number): boolean {
  const size = sizes.get(db)
  // A shop does not lose half its products in a minute. If it does, the statements for a large shop still work.
  return size !== undefined && size.inShop > 2 * most && performance.now() - size.countedAt < sizeLifetimeMs
}

/**
 * A page of all products that match and have every word; undefined in a shop of more than `most` products.
 *
 * @param isNamedFirst whether products with every word in their name come first
 */
export async function readSmallShop(
  db: Db,
  { words, filters, sort, before, limit }: Search,
  { most, isNamedFirst }: { most: number; isNamedFirst: boolean },
): Promise<Found | undefined> {
  if (isKnownLarge(db, most)) return undefined
  // For one or two letters the index has only the beginnings of words. It would miss words that contain them.
  const wordPatterns = words.some(hasThreeLetters) ? wordPatternsOf(words) : words.map(() => undefined)
  const patterns = Object.fromEntries(wordPatterns.map((each, index) => [`pattern${index}`, each?.pattern]))
  const kinds = wordPatterns.map((each) => (each ? (each.isWhole ? 'w' : 'p') : '-'))
  const rows = await queryPrepared<Row>(
    db,
    `${most} ${kinds.join('')} ${isNamedFirst ? 'named' : sort} ${filterNamesOf(filters)}`,
    () => pageOfFound({ matches: matching(placeholdersOf(filters)), wordPatterns, isNamedFirst, sort, most }),
    { ...filters, ...wordValuesOf(words), ...patterns, offset: before, limit },
  )
  const [first] = rows
  if (!first) return undefined
  const { inShop, total } = first
  sizes.set(db, { inShop, countedAt: performance.now() })
  if (inShop > most) return undefined
  return { rows: rowsOf(rows), total }
}

type WordPatterns = readonly (WordPattern | undefined)[]

type PageOptions = {
  matches: SQL
  wordPatterns: WordPatterns
  isNamedFirst: boolean
  sort: ProductSort
  most: number
}

/** Rows in the order of the page. An empty page is one row of nulls, so that the total is always returned. */
function pageOfFound({ matches, wordPatterns, isNamedFirst, sort, most }: PageOptions): SQL {
  const { keys, inOrder: inSort } = keysOf(sort)
  const inOrder = sql`named desc, ${inSort}`
  const isSmall = sql`${totalCounted} <= ${sql.raw(`${most}`)}`
  const named = (isNamedFirst && and(...wordPatterns.map((_, index) => isNamed(`word${index}`)))) || sql`true`
  const columns = sql`${products.id} as found, ${named} as named, ${keys}`
  const { known, alternatives } = alternativesFor(wordPatterns)
  const either = alternatives.map(
    ({ byIndex, others }) => sql`select ${columns} from (
        select * from ${products} where ${and(isSmall, byIndex ? and(matching({}), byIndex) : matches)} offset 0
      ) as ${products} where ${and(byIndex && matches, others) ?? sql`true`}`,
  )
  // To read an index twice, for the page and for the total, is faster than to store what it has in between.
  const found =
    wordPatterns.length === 0
      ? sql`not materialized (select ${columns} from ${products} where ${and(isSmall, matches)})`
      : sql`materialized (${sql.join(either, sql` union all `)})`
  return sql`
    with counted as materialized (${countAtAnyPrice({})}),
    known as materialized (select ${known}),
    found as ${found}
    select ${namesOfListed}, ${totalCounted} as "inShop", (select count(*) from found)::float8 as total
    from (select 1) as one
      left join (select * from found order by ${inOrder} ${pagePart}) as page on true
      left join lateral (select ${listedAsNamed} from ${products} where ${products.id} = page.found) as listed on true
    order by ${inOrder}`
}

/**
 * `byIndex` is looked up in the index of words, without the filters: else the planner might read all that these
 * leave, and take each text apart. `others` is compared with what is found.
 */
type Alternative = { byIndex?: SQL | undefined; others: SQL | undefined }

/** Two alternatives: by the words of products that match each part or, if these are many, by looking at every product. */
function alternativesFor(wordPatterns: WordPatterns): { known: SQL; alternatives: Alternative[] } {
  const likes = wordPatterns.map((_, index) => hasPart(`word${index}`))
  const parts = wordPatterns.flatMap((each, index) =>
    each ? { like: sql.identifier(`like${index}`), pattern: `pattern${index}` } : [],
  )
  if (parts.length === 0) return { known: sql`1`, alternatives: [{ others: and(...likes) }] }
  const known = parts.map(
    ({ like, pattern }) =>
      sql`array(${wordsLike(sql`(select lower(${typedPlaceholder(pattern, 'text')}))`)}) as ${like}`,
  )
  const isMany = sql`(select greatest(${sql.join(
    parts.map(({ like }) => sql`cardinality(${like})`),
    sql`, `,
  )}) > ${sql.raw(`${mostWordsAtOnce}`)} from known)`
  return {
    known: sql.join(known, sql`, `),
    alternatives: [
      {
        byIndex: and(not(isMany), ...parts.map(({ like }) => hasOneOf(sql`(select ${like} from known)`))),
        others: and(...likes.filter((_, index) => !wordPatterns[index]?.isWhole)),
      },
      { others: and(isMany, ...likes) },
    ],
  }
}
