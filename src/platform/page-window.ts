import { sql, type Column, type SQL } from 'drizzle-orm'
import type { Db } from './database.ts'

/** What a database has to skip and to read, and from which end of its order. */
export type Window = { isFromEnd: boolean; offset: number; limit: number }

/**
 * Where a page lies in a list of this length. The database walks past everything before it, so what is nearer to
 * the end is counted from there: the last page costs no more than the first.
 */
export function windowOf(paging: { page: number; limit: number; total: number }): Window {
  const { page, limit, total } = paging
  const start = (page - 1) * limit
  const end = Math.min(start + limit, total)
  if (start >= total) return { isFromEnd: false, offset: 0, limit: 0 }
  if (start <= total / 2) return { isFromEnd: false, offset: start, limit: end - start }
  return { isFromEnd: true, offset: total - end, limit: end - start }
}

/** So many entries of an index are passed over in less time than a further question takes. */
const shortWalk = 1000

/**
 * The same page of a list that is newest first, counted from the nearer end of its month, so that those before it need
 * not be walked past.
 *
 * @param months a question for each `month` (a date, UTC) and its number of `rows`, as triggers keep them
 */
export async function withinMonth(
  db: Db,
  { months, createdAt, window, total }: { months: SQL; createdAt: Column; window: Window; total: number },
): Promise<{ where: SQL | undefined; window: Window }> {
  const { isFromEnd, offset, limit } = window
  if (offset <= shortWalk) return { where: undefined, window }
  const before = isFromEnd ? total - offset - limit : offset
  const { rows } = await db.execute<{ month: string; skipped: number; inMonth: number }>(sql`
    select month::text, (${before} - earlier)::float8 as skipped, rows::float8 as "inMonth"
    from (
      select month, rows, sum(rows) over (order by month desc) - rows as earlier from (${months}) as counted
    ) as each
    where earlier <= ${before} order by month limit 1`)
  const found = rows[0]
  if (!found) return { where: undefined, window }
  const { skipped, inMonth } = found
  const monthStart = sql`(${found.month}::date)::timestamp at time zone 'UTC'`
  const left = inMonth - skipped - limit
  if (left >= 0 && left < skipped) {
    return { where: sql`${createdAt} >= ${monthStart}`, window: { isFromEnd: true, offset: left, limit } }
  }
  const nextMonth = sql`(${found.month}::date + interval '1 month')::timestamp at time zone 'UTC'`
  return { where: sql`${createdAt} < ${nextMonth}`, window: { isFromEnd: false, offset: skipped, limit } }
}
