import { EventEmitter } from 'node:events'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { withBounds } from './session-settings.ts'
import { nameStatements } from './statements.ts'

export type { Db } from './statements.ts'

export type Database = {
  db: NodePgDatabase
  pool: pg.Pool
  /** For a connection beside the pool's. */
  connection: pg.ClientConfig
  /** Tells `change` when the pool has committed a change of what everybody may see; before its caller knows. */
  ownChanges: EventEmitter<{ change: [] }>
  close(): Promise<void>
}

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

/** On a connection beside the pool's, which is closed then. When it is lost, what is being asked fails, and says so. */
export async function onConnection<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
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
