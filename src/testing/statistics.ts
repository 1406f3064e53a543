import type { Database } from '#shop/platform/database.ts'

/**
 * Reads a number from the database's statistics, up to date with all that the pool's connections have done so far.
 *
 * @param selection what follows `select`, with the number named `value`
 */
export async function readStatistic({ pool }: Pick<Database, 'pool'>, selection: string): Promise<number> {
  // Each connection reports by itself, and otherwise up to ten seconds later.
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()')
    client.release()
  }
  const { rows } = await pool.query<{ value: string }>(`select ${selection}`)
  return Number(rows[0]?.value)
}

/** How many index entries of a table the pool's connections have read so far. */
export function countIndexEntriesRead(database: Pick<Database, 'pool'>, table: string): Promise<number> {
  return readStatistic(
    database,
    `sum(idx_tup_read) as value from pg_stat_user_indexes where relname = '${table}'`,
  )
}

/** How many rows of a table the pool's connections have fetched after finding them in an index. */
export function countRowsFetched(database: Pick<Database, 'pool'>, table: string): Promise<number> {
  return readStatistic(database, `idx_tup_fetch as value from pg_stat_user_tables where relname = '${table}'`)
}
