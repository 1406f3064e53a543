import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { queryPrepared } from '#shop/platform/statements.ts'
import { listOf } from './blocks.ts'
import { filterNamesOf, nodesOf, totalCounted, withCounts } from './counts.ts'
import { keysOf, type Filters } from './matching.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

/** Passing over this many entries of an index takes less time than finding a place by counts. */
export const shortWalk = 1000

/** A part of a list: `limit` products after the first `before` ones, of all that match. */
export type Part = { filters: Filters; sort: ProductSort; before: number; limit: number }
/** The rows of a part, and the length of its list. */
export type Found = { rows: ListedRow[]; total: number }

/** A slice of the list of one category, and how many products of the list of all come `before` the category. */
type Slice = { inCategory: string; before: number; skipped: number; some: number }

type PartQuery = {
  /** Evaluated once, before the page, which refers to it as `first`. */
  first?: SQL
  /** The rows of the page, as `ofIds` makes them. */
  page: SQL
  /** The slices that the part consists of, to be returned as well. */
  slices?: SQL
}

/**
 * Reads a part and the length of its list in one statement. The length is returned even if the part is empty.
 *
 * @param name says how `write` finds the part: together with the order and the filters it identifies the text of the statement
 */
export async function queryPart(
  db: Db,
  { filters, sort, before, limit }: Part,
  { name, values }: { name: string; values?: Record<string, unknown> | undefined },
  write: () => PartQuery,
): Promise<Found & { slices: Slice[] }> {
  const rows = await queryPrepared<NoneOr<ListedRow> & NoneOr<Slice> & { total: number }>(
    db,
    `${name} ${sort} ${filterNamesOf(filters)}`,
    () => {
      const { first, page, slices } = write()
      return sql`
        ${withCounts(filters)} ${first ? sql`, first as materialized (${first})` : sql``}
        select ${totalCounted} as total, ${namesOfListed} ${slices ? sql`, slice.*` : sql``}
        from (select 1) as one
          ${slices ? sql`left join (${slices}) as slice on true` : sql``}
          left join (${page}) as page on true
        order by ${slices ? sql`before, ` : sql``} ${keysOf(sort).inOrder}`
    },
    {
      ...{ ...filters, ...listOf(filters), ...nodesOf(filters) },
      ...{ from: before, upTo: before + limit, offset: before, limit },
      ...values,
    },
  )
  const { total } = onlyRow(rows.slice(0, 1))
  return { rows: rowsOf(rows), total, slices: rows.filter((row) => typeof row.before === 'number') }
}

/** Reads whole rows by their ids, and only those of the page. */
export const ofIds = (sort: ProductSort, ids: SQL) => sql`select ${listedAsNamed}, ${keysOf(sort).keys}
  from ${products} where ${products.id} = any(array(${ids}))`
