import type { Database } from '#shop/platform/database.ts'

/** How many index entries of a table have been read so far, those of the last used connection included. */
export async function entriesRead({ pool }: Pick<Database, 'pool'>, table: string): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ read: number }>(
    'select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = $1',
    [table],
  )
  return rows[0]?.read ?? 0
}
