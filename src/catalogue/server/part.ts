import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { listOf } from './blocks.ts'
import { namesOfGiven, nodesOf, totalCounted, withCounts } from './counts.ts'
import { keysOf, type Filters } from './matching.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

/** So many entries of an index are passed over in less time than counts say where a place lies. */
export const shortWalk = 1000

/** A part of a list: so many after the first so many, of all that match. */
export type Part = { filters: Filters; sort: ProductSort; before: number; limit: number }
/** What is there of it, and how long the list is. */
export type Found = { rows: ListedRow[]; total: number }

/** So much of the list of a category that is in the list of all. */
type Slice = { inCategory: string; before: number; skipped: number; some: number }

type Question = {
  /** Asked once, before the page, which knows it as `first`. */
  first?: SQL
  /** The rows of the page, as `ofIds` makes them. */
  page: SQL
  /** What the part consists of, too. */
  slices?: SQL
}

/**
 * A single question for a part and for how long its list is, which it says also when there is nothing there.
 *
 * @param name of the way: with the order and the filters it stands for the words of the question
 */
export async function askFor(
  db: Db,
  { filters, sort, before, limit }: Part,
  { name, values }: { name: string; values?: Record<string, unknown> | undefined },
  write: () => Question,
): Promise<Found & { slices: Slice[] }> {
  const rows = await ask<NoneOr<ListedRow> & NoneOr<Slice> & { total: number }>(
    db,
    `${name} ${sort} ${namesOfGiven(filters)}`,
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

/** Whole rows are read for a page only, by its ids. */
export const ofIds = (sort: ProductSort, ids: SQL) => sql`select ${listedAsNamed}, ${keysOf(sort).keys}
  from ${products} where ${products.id} = any(array(${ids}))`
