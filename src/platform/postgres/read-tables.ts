import type { PoolConfig } from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'

/** 64 MB are read in some tenths of a second. */
const mostBytes = 64 * 1024 * 1024

/**
 * Reads all rows of each table, or the first ones of a large table, so that damaged files are noticed before
 * anything is sold: reads by an index may succeed for a long time while nothing can be added.
 *
 * @throws pg.DatabaseError XX001
 */
export async function readTables(connection: PoolConfig): Promise<void> {
  await withConnection(withoutBounds(connection), async (client) => {
    await client.query(
      'set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off',
    )
    const { rows } = await client.query<{ name: string; isLarge: boolean }>(
      `select oid::regclass::text as name, pg_relation_size(oid) > $1 as "isLarge" from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
      [mostBytes],
    )
    for (const { name, isLarge } of rows)
      await client.query(`select count(*) from (select from ${name} ${isLarge ? 'limit 10000' : ''}) as read`)
  })
}
