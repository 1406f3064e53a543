import { sql, type Column, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './database.ts'
import { queryPrepared, typedPlaceholder } from './statements.ts'
import { listBlocks, listNotes } from './tables.ts'

/** A page of a list, from 1, and how many rows a page has. */
export type Paging = { page: number; limit: number }

/** How many rows to skip and to read, and from which end of the order. */
type Window = { isFromEnd: boolean; offset: number; limit: number }

/**
 * Where a page lies in a list of this length. The database walks past everything before it, so a page nearer to
 * the end is counted from there: the last page costs no more than the first.
 */
export function windowOf({ page, limit, total }: Paging & { total: number }): Window {
  const start = (page - 1) * limit
  const end = Math.min(start + limit, total)
  if (start >= total) return { isFromEnd: false, offset: 0, limit: 0 }
  if (start <= total / 2) return { isFromEnd: false, offset: start, limit: end - start }
  return { isFromEnd: true, offset: total - end, limit: end - start }
}

/** To skip this many entries of an index takes less time than another query. */
const shortWalk = 1000

type Listed = PgTable & { id: Column; createdAt: Column }
/** The list and the kind by which `list_blocks` counts the rows; without a kind, all of them. */
type Counted = { list: 'orders' | 'users'; kind?: string | undefined }

/**
 * The ids of a page of rows that match, newest first, as a subquery: an index has them, and whole rows are read
 * only for the page.
 *
 * @param counted what `list_blocks` counts the rows by, if it does: then a page far from both ends needs no walk
 */
export async function idsOfPage(
  db: Db,
  {
    rows,
    matches = sql`true`,
    paging,
    counted,
  }: { rows: Listed; matches?: SQL | undefined; paging: Paging & { total: number }; counted?: Counted },
): Promise<SQL> {
  const { isFromEnd, offset, limit } = windowOf(paging)
  const before = (paging.page - 1) * paging.limit
  const block = counted && offset > shortWalk ? await blockAt(db, counted, before) : undefined
  if (block) return idsFrom(block, { rows, matches, limit })
  const inOrder = isFromEnd ? sql`${rows.createdAt}, ${rows.id} desc` : newestFirst(rows)
  return sql`(select ${rows.id} from ${rows} where ${matches} order by ${inOrder} ${limitedTo(limit, offset)})`
}

/** In numbers that the database knows when it plans: for each unknown one it assumes a tenth of all rows. */
export const limitedTo = (limit: number, offset = 0) => sql.raw(`limit ${limit} offset ${offset}`)

const newestFirst = ({ createdAt, id }: Listed) => sql`${createdAt} desc, ${id}`

type Block = { startsAt: string; startsId: string; skipped: number }

/** Reads two ranges of an index, each no further than needed: one scan of an index cannot do an "or". */
function idsFrom(
  { startsAt, startsId, skipped }: Block,
  { rows, matches, limit }: { rows: Listed; matches: SQL; limit: number },
): SQL {
  const { id, createdAt } = rows
  const pieces = [
    sql`${createdAt} = ${startsAt} and ${id} >= ${startsId}`,
    sql`${createdAt} < ${startsAt}`,
  ].map(
    (piece) => sql`(select ${id}, ${createdAt} from ${rows} where ${matches} and ${piece}
      order by ${newestFirst(rows)} ${limitedTo(skipped + limit)})`,
  )
  return sql`(select id from (${sql.join(pieces, sql` union all `)}) as piece
    order by created_at desc, id ${limitedTo(limit, skipped)})`
}

/** The block that has the row after the first `before` ones, and how many of its rows come before that one. */
async function blockAt(db: Db, { list, kind }: Counted, before: number): Promise<Block | undefined> {
  const [ofList, from] = [
    sql`list = ${typedPlaceholder('list', 'text')}`,
    typedPlaceholder('before', 'float8'),
  ]
  const isOfKind = kind === undefined ? sql`true` : sql`kind = ${typedPlaceholder('kind', 'text')}`
  const rows = await queryPrepared<Block>(
    db,
    `block of rows ${kind === undefined ? '' : 'of a kind'}`,
    () => sql`
    select starts_at::text as "startsAt", starts_id as "startsId", (${from} - before)::float8 as skipped
    from (
      select starts_at, starts_id, is_start, sum(rows) over in_order - rows as before
      from (
        select starts_at, starts_id, true as is_start, coalesce(sum(rows::int) filter (where ${isOfKind}), 0)::int as rows
        from ${listBlocks} where ${ofList} group by starts_at, starts_id
        union all
        select created_at, id, false, change::int from ${listNotes} where ${ofList} and ${isOfKind}
      ) as each
      window in_order as (order by starts_at desc, starts_id, is_start desc rows unbounded preceding)
    ) as placed
    where is_start and before <= ${from} order by starts_at, starts_id desc limit 1`,
    { list, kind, before },
  )
  return rows[0]
}
