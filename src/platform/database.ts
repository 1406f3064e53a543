import { EventEmitter } from 'node:events'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { applySettings, withBounds, type Connection } from './session-settings.ts'
import { registerPool } from './statements.ts'

export type { Db } from './statements.ts'

export type Database = {
  db: NodePgDatabase
  pool: pg.Pool
  /** Settings for a connection outside the pool. */
  connection: Connection
  /** Emits `change` when the pool has committed a change to what everybody may see, before the caller knows. */
  ownChanges: EventEmitter<{ change: [] }>
  close(): Promise<void>
}

/** Triggers of the database notify this channel of every change to what everybody may see. */
export const changeChannel = 'shop_changed'

/** @param connection may be one `withoutBounds`, for long work */
export function openDatabase(connection: Connection, log: (line: string) => void): Database {
  const ownChanges: Database['ownChanges'] = new EventEmitter()
  const { bounds, ...options } = withBounds(connection)
  const pool = new pg.Pool({
    // The pool waits for the promise that this returns.
    onConnect: (client): unknown =>
      applySettings(client, bounds).then(() => hearOwnChanges(client, ownChanges)),
    max: 10,
    connectionTimeoutMillis: 5000,
    ...options,
  })
  // Without a listener, an idle connection that the server closes would end the whole process.
  let isOpen = true
  const logLost = logOncePerOutage(log)
  pool.on('error', (error) => void (isOpen && logLost(error)))
  // The same for a connection in use, between two statements of a transaction: the next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = drizzle(pool)
  registerPool(db, pool)
  const close = () => {
    isOpen = false
    return pool.end()
  }
  return { db, pool, connection, ownChanges, close }
}

/** A server that stops closes every connection: one line is enough. */
function logOncePerOutage(log: (line: string) => void): (error: Error) => void {
  let quietUntil = 0
  return ({ message }) => {
    if (performance.now() > quietUntil) log(`A database connection was lost: ${message}`)
    quietUntil = performance.now() + 10_000
  }
}

/**
 * The server notifies a connection of its own changes together with the answer to its COMMIT. Changes of others
 * are heard elsewhere; see `Changes`.
 */
async function hearOwnChanges(client: pg.ClientBase, ownChanges: Database['ownChanges']): Promise<void> {
  // The pid that the connection was told when it opened may be a pooler's invention.
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  client.on('notification', ({ processId }) => {
    if (processId === rows[0]?.pid) ownChanges.emit('change')
  })
  await client.query(`listen ${changeChannel}`)
}

/**
 * Does work on a connection outside the pool, then closes it. If the connection is lost, the running query fails.
 */
export async function withConnection<T>(
  { bounds, ...connection }: Connection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (bounds) await applySettings(client, bounds)
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The row of a result that must have exactly one. Throws when there is none. */
export function onlyRow<T>(rows: T[]): T {
  const row = rows[0]
  if (row === undefined) throw new Error('The statement answered with no row.')
  return row
}

/** Escapes text for LIKE: what somebody typed means itself, `%` and `_` too. */
export function escapeForLike(typed: string): string {
  return typed.replace(/[\\%_]/g, '\\$&')
}
