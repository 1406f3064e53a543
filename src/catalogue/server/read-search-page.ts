import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { queryPrepared } from '#shop/platform/statements.ts'
import { filterNamesOf } from './counts.ts'
import { placeholdersOf, keysOf, pagePart, type FilterPlaceholders } from './matching.ts'
import type { Found, Part } from './list-part.ts'
import { hasPart, wordValuesOf } from './search-words.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

export type Search = Part & { words: readonly string[] }
type Row = NoneOr<ListedRow> & { total: number }

/** A search lists at most this many products, the first ones in the order asked for. */
export const mostListedMatches = 250
/** If fewer were found, the search goes on elsewhere. */
export const enoughMatches = 24

type SearchWithValues = Search & { values?: Record<string, unknown> }

/** Selects the first products of a source, in the order asked for, up to `mostListedMatches`. */
type First = (from: SQL) => SQL

/**
 * A page of what is found, and the total, which is returned even if the page is empty.
 *
 * @param name says how `write` searches: each name is another statement
 * @param write selects what is found, from placeholders for the filters and a condition for each word
 */
export async function readSearchPage(
  db: Db,
  { words, filters, sort, before, limit, values }: SearchWithValues,
  name: string,
  write: (placeholders: FilterPlaceholders, has: readonly SQL[], first: First) => SQL,
): Promise<Found> {
  const letters = wordValuesOf(words)
  const rows = await queryPrepared<Row>(
    db,
    `${words.length} words ${name} ${sort} ${filterNamesOf(filters)}`,
    () => {
      const placeholders = placeholdersOf(filters)
      const has = Object.keys(letters).map(hasPart)
      const { keys, inOrder } = keysOf(sort)
      const first: First = (from) => sql`select ${products.id} as found, ${keys} from ${from}
        order by ${inOrder} limit ${sql.raw(`${mostListedMatches}`)}`
      return sql`
        with found as materialized (${write(placeholders, has, first)}),
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
