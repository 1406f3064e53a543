import { sql, type SQL } from 'drizzle-orm'
import { versionOf } from '#shop/platform/changes.ts'
import type { Db } from '#shop/platform/database.ts'
import { queryPrepared, typedPlaceholder } from '#shop/platform/statements.ts'
import { searchText } from './search-words.ts'
import { products, productWords } from './tables.ts'

/**
 * The index is asked for at most this many words at once: with each one, it takes longer for all that it finds.
 */
export const mostWordsAtOnce = 32

/** A subquery for the words of products that match a pattern; if many do, one more than `mostWordsAtOnce` by default. */
export function wordsLike(pattern: SQL, most = sql.raw(`${mostWordsAtOnce + 1}`)): SQL {
  // Directly below a limit, the planner would read the table until it has enough words, and not use the index.
  return sql`
    with fitting as materialized (select word from ${productWords} where word like ${pattern})
    select word from fitting limit ${most}`
}

/**
 * The same for a large shop. If enough words begin with the part that the pattern has, only those, in alphabetical
 * order: they are read from an index in that order, whereas the trigram index collects all matches first, which may
 * be thousands.
 */
export function firstWordsLike(pattern: SQL, most: SQL): SQL {
  const part = sql`trim(${pattern}, '%')`
  // In some collations other words lie within these bounds, too, and some of these words lie outside.
  return sql`
    with beginning as materialized (
      select word from ${productWords}
      where word >= ${part} and word < ${part} || E'\\uFFFF' and word like ${part} || '%' order by word limit ${most}
    ), counted as materialized (select count(*) = ${most} as are_enough from beginning)
    select word from beginning where (select are_enough from counted)
    union all select word from (${wordsLike(pattern, most)}) as fitting where not (select are_enough from counted)`
}

/** The words that match each pattern; one more than `most` where there are more. */
export async function findWords(db: Db, patterns: readonly string[], most: number): Promise<string[][]> {
  const found = wordCacheOf(db)
  const nameOf = (pattern: string) => `${most} ${pattern}`
  const missing = patterns.filter((pattern) => !found.has(nameOf(pattern)))
  if (missing.length > 0) {
    const rows = await queryPrepared<{ pattern: string; words: string[] }>(
      db,
      'words like patterns',
      () => sql`select pattern, array(${firstWordsLike(sql`lower(pattern)`, typedPlaceholder('upTo', 'bigint'))}) as words
        from unnest(${typedPlaceholder('patterns', 'text[]')}) as each(pattern)`,
      { patterns: missing, upTo: most + 1 },
    )
    for (const { pattern, words } of rows) found.set(nameOf(pattern), words)
  }
  return patterns.map((pattern) => found.get(nameOf(pattern)) ?? [])
}

const wordCaches = new WeakMap<Db, { version: number; found: Map<string, string[]> }>()
const mostCachedPatterns = 200

/** What was found since anything last changed: paging, sorting or filtering a search looks for the same words. */
function wordCacheOf(db: Db): Map<string, string[]> {
  const version = versionOf(db)
  const last = wordCaches.get(db)
  if (last && last.version === version && last.found.size < mostCachedPatterns) return last.found
  const found = new Map<string, string[]>()
  if (version !== undefined) wordCaches.set(db, { version, found })
  return found
}

// One index has the words, kinds and groups of products.
/** A category or color as the index has it; see `kinds_of` in the migrations. */
export const kindOf = (filter: 'category' | 'color', value: string) => `${filter} ${value}`
export const isOfKind = (kind: SQL) =>
  sql`kinds_of(${products.category}, ${products.color}) && array[${kind}]`
export const hasOneOf = (words: SQL) => sql`words_of(${searchText}) && ${words}`

/** How many products, added one after the other, form a group. The index has group numbers; see the migrations. */
export const inGroup = 4096

/** The groups that were added first or last, as many as the statement's value `groups` says. */
function groupsFrom(order: 'newest' | 'oldest'): SQL {
  const [isNext, inOrder] =
    order === 'newest'
      ? [sql`number < found << 12`, sql`number desc`]
      : [sql`number >= found + 1 << 12`, sql`number`]
  const first = (isLeft: SQL) => sql`(
    select number >> 12 from ${products} where deleted_at is null and ${isLeft} order by ${inOrder} limit 1
  )`
  return sql`
    with recursive groups(found) as (
      select ${first(sql`true`)} union all select ${first(isNext)} from groups where found is not null
    )
    select found::int from groups where found is not null limit ${typedPlaceholder('groups', 'int')}`
}

const isInGroups = (groups: SQL) => sql`group_of(${products}.number) && ${groups}`
export const isInAddedGroups = {
  oldest: isInGroups(sql`array(${groupsFrom('oldest')})`),
  newest: isInGroups(sql`array(${groupsFrom('newest')})`),
}
/** In the groups that the statement's value `among` names. */
export const isInSampledGroups = isInGroups(typedPlaceholder('among', 'int[]'))
