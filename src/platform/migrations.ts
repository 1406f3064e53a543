import { resolve } from 'node:path'
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { onConnection } from './database.ts'
import { locks } from './locks.ts'
import { withoutBounds } from './session-settings.ts'
import { StartError } from './start-error.ts'

const migrationsFolder = resolve(import.meta.dirname, '../../migrations')

/**
 * Brings the schema up to date, one process at a time. A database that knows later migrations than this code is
 * refused: an old shop must not write into a newer schema.
 */
export async function migrateDatabase(connection: pg.PoolConfig): Promise<void> {
  await onConnection(withoutBounds(connection), async (client) => {
    await client.query('select pg_advisory_lock($1)', [locks.migrations])
    const migrations = readMigrationFiles({ migrationsFolder })
    const known = Math.max(...migrations.map(({ folderMillis }) => folderMillis))
    const applied = await lastApplied(client)
    if (applied > known) {
      throw new StartError('The database belongs to a newer version of the shop: update the shop first.')
    }
    const dialect = new PgDialect()
    const session = new NodePgSession<Record<string, never>, Record<string, never>>(
      client,
      dialect,
      undefined,
    )
    // Each in a transaction of its own: together they would hold what one has locked while another waits for customers, who
    // wait for that, of an old shop that is still open.
    for (const migration of migrations) await dialect.migrate([migration], session, { migrationsFolder })
    // Of a table that was written anew nothing is read from an index alone until then.
    if (applied < known) await client.query('vacuum (analyze) products')
  })
}

/** When the last migration was made that the database has; 0 for none. */
async function lastApplied(client: pg.Client): Promise<number> {
  const table = await client.query<{ found: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as found`,
  )
  if (!table.rows[0]?.found) return 0
  const applied = await client.query<{ last: string | null }>(
    'select max(created_at)::text as last from drizzle.__drizzle_migrations',
  )
  return Number(applied.rows[0]?.last ?? 0)
}
