import { fillPlaceholders, sql, type SQL } from 'drizzle-orm'
import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'

/** A pool or a transaction: store functions take either as their first argument. */
export type Db = PgDatabase<NodePgQueryResultHKT>

type Statement = { name: string; text: string; parameters: unknown[] }

/** Each takes two to four tenths of a megabyte of every connection, and who asks in ever new ways would fill its machine with them. */
const mostNamed = 100

const dialect = new PgDialect()
const written = new Map<string, Statement>()
/** The names that are never forgotten, see `prepareOnce`. */
const lasting = new Set<string>()
let timesForgotten = 0
const knownForgotten = new WeakMap<pg.PoolClient, number>()
const pools = new WeakMap<Db, pg.Pool>()
const connections = new WeakMap<pg.PoolClient, Db>()
const prepared = new WeakMap<Db, Map<string, unknown>>()

/** From now on this database can be asked by name. */
export function nameStatements(db: Db, pool: pg.Pool): void {
  pools.set(db, pool)
}

/** What a client knows of its connection; not documented, and without it a connection keeps what it has. */
type Client = pg.PoolClient & { connection?: { parsedStatements?: Record<string, string> } }

/** Takes them from a connection before it is asked anything else. */
async function dropForgotten(client: Client): Promise<void> {
  knownForgotten.set(client, timesForgotten)
  const { parsedStatements = {} } = client.connection ?? {}
  for (const name of Object.keys(parsedStatements).filter(isForgotten)) {
    Reflect.deleteProperty(parsedStatements, name)
    // A connection that is lost has lost them too, and whoever is to ask it is told.
    await client.query(`deallocate ${pg.escapeIdentifier(name)}`).catch(() => undefined)
  }
}

const isForgotten = (name: string) => !written.has(name) && !lasting.has(name)

function poolOf(db: Db): pg.Pool {
  const pool = pools.get(db)
  if (!pool) throw new Error('This is asked of the database itself, not in a transaction')
  return pool
}

/**
 * Asks what is often asked: it is put into words once, and each connection reads those words once. Its rows come as they
 * are named in it, moments as dates. A hundred names of a process are kept: what is asked often is
 * mostly among them, whatever was asked before.
 *
 * @param db the shop's database itself, no transaction
 * @param name stands for the words: the same name must always be the same words
 * @param write the words, with a placeholder for each of `values`
 */
export async function ask<Row extends pg.QueryResultRow>(
  db: Db,
  name: string,
  write: () => SQL,
  values: Record<string, unknown>,
): Promise<Row[]> {
  const { parameters, ...statement } = statementOf(name, write)
  const client = await poolOf(db).connect()
  let isBroken = true
  try {
    if (knownForgotten.get(client) !== timesForgotten) await dropForgotten(client)
    const { rows } = await client.query<Row>({ ...statement, values: fillPlaceholders(parameters, values) })
    isBroken = false
    return rows
  } finally {
    client.release(isBroken)
  }
}

function statementOf(name: string, write: () => SQL): Statement {
  const found = written.get(name)
  if (found) return found
  const { sql: text, params: parameters } = dialect.sqlToQuery(write())
  if (written.size >= mostNamed) forgetAny()
  const statement = { name, text, parameters }
  written.set(name, statement)
  return statement
}

/** Not the one asked longest ago: who asks for a few more than there is room for, in turn, would find none of them. */
function forgetAny(): void {
  const name = [...written.keys()][Math.floor(Math.random() * written.size)]
  if (name === undefined) return
  written.delete(name)
  timesForgotten += 1
}

/**
 * The same for what also happens in a `transaction`, with a statement as it is written elsewhere.
 *
 * @param prepare makes it, with placeholders, under the name that it is given
 */
export function prepareOnce<T>(db: Db, name: string, prepare: (name: string) => T): T {
  const known = prepared.get(db) ?? new Map<string, unknown>()
  prepared.set(db, known)
  lasting.add(name)
  if (!known.has(name)) known.set(name, prepare(name))
  // What was kept under this name came from the same `prepare`.
  return known.get(name) as T
}

/**
 * Everything in it happens, or nothing. Each connection has one `tx` for all that come after each other, with the
 * statements that were prepared on it.
 */
export async function transaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const client = await poolOf(db).connect()
  const tx = connections.get(client) ?? drizzle(client)
  connections.set(client, tx)
  let isBroken = false
  try {
    await client.query('begin')
    const result = await work(tx)
    await client.query('commit')
    return result
  } catch (error) {
    isBroken = isWithoutAnswer(error) || (await isLost(client.query('rollback')))
    throw error
  } finally {
    client.release(isBroken)
  }
}

const isLost = (asked: Promise<unknown>) =>
  asked.then(
    () => false,
    () => true,
  )

/** The connection is not to be asked anything else: it would wait for as long again. */
function isWithoutAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message === 'Query read timeout' || isWithoutAnswer(error.cause)
}

/** A value that the database does not know when it plans: it plans once on each connection, and not for each value. */
export function unseen(name: string, type: string): SQL {
  return sql`${sql.placeholder(name)}::${sql.raw(type)}`
}
