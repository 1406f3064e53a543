import type { Database } from '#shop/platform/database.ts'

/** How many index entries of a table the pool's connections have read so far. */
export async function countIndexEntriesRead(
  { pool }: Pick<Database, 'pool'>,
  table: string,
): Promise<number> {
  // Each connection reports by itself, and otherwise up to ten seconds later.
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()')
    client.release()
  }
  const { rows } = await pool.query<{ read: number }>(
    'select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = $1',
    [table],
  )
  return rows[0]?.read ?? 0
}
