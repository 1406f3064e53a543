import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  drizzle,
  NodePgSession,
  type NodePgDatabase,
  type NodePgQueryResultHKT,
} from 'drizzle-orm/node-postgres'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { PgDialect, type PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { locks } from './locks.ts'
import { withBounds, withoutBounds } from './session-settings.ts'
import { StartError } from './start-error.ts'
import { nameStatements } from './statements.ts'

/** A pool or a transaction: store functions take either as their first argument. */
export type Db = PgDatabase<NodePgQueryResultHKT>

export type Database = {
  db: NodePgDatabase
  pool: pg.Pool
  /** For a connection beside the pool's. */
  connection: pg.ClientConfig
  /** Tells `change` when the pool has committed a change of what everybody may see; before its caller knows. */
  ownChanges: EventEmitter<{ change: [] }>
  close(): Promise<void>
}

const migrationsFolder = resolve(import.meta.dirname, '../../migrations')

/** Triggers of the database send to it whenever they see a change of what everybody may see. */
export const changeChannel = 'shop_changed'

/** @param connection may be one `withoutBounds`, for what takes long */
export function openDatabase(connection: pg.PoolConfig, log: (line: string) => void): Database {
  const ownChanges: Database['ownChanges'] = new EventEmitter()
  const pool = new pg.Pool({
    // The pool waits for what this returns.
    onConnect: (client): unknown => hearOwnChanges(client, ownChanges),
    max: 10,
    connectionTimeoutMillis: 5000,
    ...withBounds(connection),
  })
  // Without a listener an idle connection that the server closes ends the whole process.
  let isOpen = true
  const say = sayOnce(log)
  pool.on('error', (error) => void (isOpen && say(error)))
  // The same for one that is in use, between two statements of a transaction: the next statement says it anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = drizzle(pool)
  nameStatements(db, pool)
  const close = () => {
    isOpen = false
    return pool.end()
  }
  return { db, pool, connection, ownChanges, close }
}

/** A server that goes takes every connection with it: one line is enough. */
function sayOnce(log: (line: string) => void): (error: Error) => void {
  let quietUntil = 0
  return ({ message }) => {
    if (performance.now() > quietUntil) log(`A database connection was lost: ${message}`)
    quietUntil = performance.now() + 10_000
  }
}

/**
 * The server tells a connection of what itself has changed together with the answer to its COMMIT. What others change
 * is heard elsewhere; see `Changes`.
 */
async function hearOwnChanges(client: pg.ClientBase, ownChanges: Database['ownChanges']): Promise<void> {
  // What the connection was told of its process may be a pooler's invention.
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  client.on('notification', ({ processId }) => {
    if (processId === rows[0]?.pid) ownChanges.emit('change')
  })
  await client.query(`listen ${changeChannel}`)
}

/**
 * Looks whether a server of one's own can be used before anything else is asked of it.
 *
 * @throws StartError naming the variable and what is wrong, never the address: there is a password in it
 */
export async function requireOwnServer(databaseUrl: string): Promise<void> {
  let client: pg.Client | undefined
  try {
    // Reads the files of certificates that the address names.
    client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ obstacle: string | null }>(`
      select case
        when current_setting('server_version_num')::int < 150000
          then 'PostgreSQL ' || current_setting('server_version') || ' is too old, 15 is needed'
        when current_setting('server_encoding') <> 'UTF8'
          then 'the database is encoded as ' || current_setting('server_encoding') || ', and must be as UTF8'
        when current_setting('transaction_read_only')::boolean then 'it can only be read'
        when current_schema() is distinct from 'public'
          then 'its search_path must begin with the schema public, and begins with ' || coalesce(current_schema(), 'none')
        when not has_database_privilege(current_database(), 'create')
          -- A shop that has its tables can do without.
          or not has_schema_privilege(current_schema(), 'create') and to_regclass('drizzle.__drizzle_migrations') is null
          then 'its user may not make schemas and tables'
        when not exists (select from pg_available_extensions where name = 'pg_trgm')
          then 'its server lacks the extension pg_trgm'
        when exists (
          select from pg_extension where extname = 'pg_trgm'
            and extnamespace <> all (select to_regnamespace(name) from unnest(current_schemas(true)) as name)
        ) then 'its extension pg_trgm lies in a schema that is not in its search_path'
      end as obstacle`)
    const { obstacle } = onlyRow(rows)
    if (obstacle !== null) throw new Error(obstacle)
  } catch (error) {
    throw new StartError(`DATABASE_URL cannot be used: ${inOneLine(error)}`)
  } finally {
    await client?.end()
  }
}

/**
 * Brings the schema up to date, one process at a time. A database that knows later migrations than this code is
 * refused: an old shop must not write into a newer schema.
 */
export async function migrateDatabase(connection: pg.PoolConfig): Promise<void> {
  const client = new pg.Client(withoutBounds(connection))
  // What is being asked when the connection is lost fails, and says so.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [locks.migrations])
    await refuseNewerSchema(client)
    const dialect = new PgDialect()
    const session = new NodePgSession<Record<string, never>, Record<string, never>>(
      client,
      dialect,
      undefined,
    )
    // Each in a transaction of its own: together they would hold what one has locked while another waits for customers, who
    // wait for that, of an old shop that is still open.
    for (const migration of readMigrationFiles({ migrationsFolder }))
      await dialect.migrate([migration], session, { migrationsFolder })
  } finally {
    await client.end()
  }
}

async function refuseNewerSchema(client: pg.Client): Promise<void> {
  const journal: unknown = JSON.parse(await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8'))
  const known = lastMigration(journal)
  const table = await client.query<{ found: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as found`,
  )
  if (!table.rows[0]?.found) return
  const applied = await client.query<{ last: string | null }>(
    'select max(created_at)::text as last from drizzle.__drizzle_migrations',
  )
  if (Number(applied.rows[0]?.last ?? 0) > known) {
    throw new StartError('The database belongs to a newer version of the shop: update the shop first.')
  }
}

function lastMigration(journal: unknown): number {
  const entries = typeof journal === 'object' && journal && 'entries' in journal ? journal.entries : []
  if (!Array.isArray(entries)) return 0
  return Math.max(0, ...entries.map((entry: { when?: unknown }) => Number(entry.when ?? 0)))
}

/** One line; a name with two addresses fails with two errors, and then with none of its own. */
function inOneLine(error: unknown): string {
  const each = error instanceof AggregateError ? (error.errors as unknown[])[0] : error
  return (each instanceof Error ? each.message : String(each)).replace(/\s+/g, ' ')
}

/**
 * What to do about files that the database can not read any more; undefined for any other error. Nothing repairs them
 * by itself: what is lost is for people to decide.
 */
export function damageOf(error: unknown): string | undefined {
  // What drizzle throws has the database's own error as its cause.
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof pg.DatabaseError && each.code?.startsWith('XX'))
      return `The database is damaged (${each.message}): put back a copy, as README.md says under “Copies”`
  }
  return undefined
}

/** The row of a statement that answers with exactly one, or fails. */
export function onlyRow<T>(rows: T[]): T {
  const row = rows[0]
  if (row === undefined) throw new Error('The statement answered with no row.')
  return row
}

/** For LIKE: what somebody typed means itself, `%` and `_` too. */
export function literally(typed: string): string {
  return typed.replace(/[\\%_]/g, '\\$&')
}

// 40P01: two waited for each other and this one gave way. 25006: the server takes no writes, as a copy of another does.
// 57014 and 55P03: it took longer than it may.
const unavailableCodes = /^(08|53|57P0[1235]|57014|40001|40P01|55P03|25006|XX)/
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])
const networkWords =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|Query read timeout/i

/** A socket that is not there is the database's; any other file is not. */
function isOfNetwork(error: Error, code: string): boolean {
  const isFile = code === 'ENOENT' && !('syscall' in error && error.syscall === 'connect')
  return networkCodes.has(code) && !isFile
}

/** Whether it, or what caused it, is the network's or has a code like that; '' is none. */
function isOrComesFrom(error: unknown, isLike: (code: string) => boolean): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : ''
    if (isOfNetwork(each, code) || networkWords.test(each.message) || isLike(code)) return true
  }
  return false
}

/** What was asked may or may not have been done. */
export function isConnectionLost(error: unknown): boolean {
  return isOrComesFrom(error, (code) => /^(08|57P0[123])/.test(code))
}

/**
 * True when the database could not answer (gone, starting, full, timed out), as against a mistake in what it was
 * asked: the first is answered with 503 and may be tried again.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isOrComesFrom(error, (code) => unavailableCodes.test(code))
}
