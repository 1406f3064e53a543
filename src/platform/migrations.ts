import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { onlyRow, withConnection } from './database.ts'
import { isLockConflict } from './database-errors.ts'
import { causesOf, codeOf } from './error-code.ts'
import { locks } from './locks.ts'
import { withoutBounds } from './session-settings.ts'
import { StartError } from './start-error.ts'

const migrationsFolder = resolve(import.meta.dirname, '../../migrations')

/**
 * While a migration waits to lock a whole table, all later statements on it wait too, even reads: for as long as
 * somebody copies the table, say. So it waits less than an old shop that is still open does, lets it go on, and
 * tries again. But it waits longer than a second, after which the server cancels an autovacuum.
 */
const waitsMs = 1200
const pauseMs = 5000

/**
 * Brings the schema up to date, one process at a time. A database that knows later migrations than this code is
 * refused: an old shop must not write into a newer schema.
 */
export async function migrateDatabase(
  connection: pg.PoolConfig,
  log: (line: string) => void = () => undefined,
): Promise<void> {
  await withConnection(withoutBounds(connection), async (client) => {
    await client.query('select pg_advisory_lock($1)', [locks.migrations])
    const migrations = readMigrationFiles({ migrationsFolder })
    const isCurrent = await isUpToDate(client, migrations)
    const dialect = new PgDialect()
    const session = new NodePgSession<Record<string, never>, Record<string, never>>(
      client,
      dialect,
      undefined,
    )
    // Each in a transaction of its own. In a single one, the locks of one migration would be held while another
    // waits for customers of an old shop that is still open, who in turn wait for those locks.
    await client.query(`set lock_timeout = ${waitsMs}`)
    for (const migration of migrations) {
      const apply = () => dialect.migrate([migration], session, { migrationsFolder })
      await retryWhileLocked(apply, log).catch(explainTakenName)
    }
    await client.query('set lock_timeout = 0')
    // After a table was rewritten, index-only scans need a vacuum to work.
    if (!isCurrent) await client.query('vacuum (analyze) products, users')
    await requireWholeDatabase(client)
  })
}

/**
 * For a program that changes a database but does not migrate it.
 *
 * @throws StartError unless the schema is this version's, and whole
 */
export async function requireCurrentDatabase(connection: pg.PoolConfig): Promise<void> {
  await withConnection(withoutBounds(connection), async (client) => {
    if (!(await isUpToDate(client, readMigrationFiles({ migrationsFolder })))) {
      throw new StartError('The database belongs to an older version of the shop: start the shop first.')
    }
    await requireWholeDatabase(client)
  })
}

/** @throws StartError when the database knows later migrations than these */
async function isUpToDate(client: pg.Client, migrations: { folderMillis: number }[]): Promise<boolean> {
  const newestKnown = Math.max(...migrations.map(({ folderMillis }) => folderMillis))
  const applied = await readLastApplied(client)
  if (applied > newestKnown) {
    throw new StartError('The database belongs to a newer version of the shop: update the shop first.')
  }
  return applied === newestKnown
}

/** How many of each the migrations make. */
const made = { constraints: 39, uniqueIndexes: 27, triggers: 36 }

/**
 * A restore brings the rows first, then the constraints and triggers. If it stopped before these, nothing would keep
 * the shop from making two orders of one payment, and totals would not be counted.
 */
async function requireWholeDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<typeof made & { off: number }>(`
    with tables as (select oid from pg_class where relnamespace = 'public'::regnamespace)
    select
      (select count(*)::int from pg_constraint where contype in ('c', 'f', 'p', 'u') and conrelid in (table tables))
        as constraints,
      (select count(*)::int from pg_index where indisunique and indisvalid and indrelid in (table tables))
        as "uniqueIndexes",
      (select count(*)::int from pg_trigger where not tgisinternal and tgrelid in (table tables)) as triggers,
      (select count(*)::int from pg_trigger where tgenabled not in ('O', 'A') and tgrelid in (table tables)) as off`)
  const { off, ...found } = onlyRow(rows)
  const lacking = (['constraints', 'uniqueIndexes', 'triggers'] as const).some(
    (kind) => found[kind] < made[kind],
  )
  if (off === 0 && !lacking) return
  throw new StartError(
    'The database is not whole: constraints or triggers are missing or turned off, as after a restore that did not finish. If it was restored, restore it again, into an empty database.',
  )
}

async function retryWhileLocked(change: () => Promise<void>, log: (line: string) => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change()
    } catch (error) {
      if (!isLockConflict(error)) throw error
    }
    if (tries === 1)
      log('Waiting for another session (a pg_dump, perhaps) that holds a table which a migration must change')
    await wait(pauseMs)
  }
}

/** 42P07, 42710: a table or a type of that name is there already. The migration has then changed nothing. */
function explainTakenName(error: unknown): never {
  const taken = causesOf(error).find((cause) => /^42(P07|710)$/.test(codeOf(cause)))
  if (!taken) throw error
  throw new StartError(
    `DATABASE_URL cannot be used: give the shop a database of its own, in this one a name is taken (${taken.message})`,
  )
}

/** When the latest migration that the database has was made; 0 for none. */
async function readLastApplied(client: pg.Client): Promise<number> {
  const table = await client.query<{ found: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as found`,
  )
  if (!table.rows[0]?.found) return 0
  const applied = await client.query<{ last: string | null }>(
    'select max(created_at)::text as last from drizzle.__drizzle_migrations',
  )
  return Number(applied.rows[0]?.last ?? 0)
}
