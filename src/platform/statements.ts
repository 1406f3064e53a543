import { fillPlaceholders, sql, type SQL } from 'drizzle-orm'
import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { causesOf } from './error-code.ts'
import { hashOf } from './ids.ts'

/** A pool or a transaction: store functions take either as their first argument. */
export type Db = PgDatabase<NodePgQueryResultHKT>

type Statement = { name: string; text: string; parameters: unknown[] }

/**
 * Each prepared statement takes 0.2 to 0.4 MB of every connection: clients that send ever new queries would fill
 * the database's memory.
 */
const mostNamed = 100
/** PostgreSQL cuts off the rest of a longer name, and would take two such statements for one. */
const longestName = 63

const dialect = new PgDialect()
const statementsByName = new Map<string, Statement>()
/** The names that are never forgotten, see `prepareOnce`. */
const permanentNames = new Set<string>()
let timesForgotten = 0
const timesForgottenOfClient = new WeakMap<pg.PoolClient, number>()
const pools = new WeakMap<Db, pg.Pool>()
const connections = new WeakMap<pg.PoolClient, Db>()
const prepared = new WeakMap<Db, Map<string, unknown>>()

/** Registers the pool of a database, for `queryPrepared` and `transaction`. */
export function registerPool(db: Db, pool: pg.Pool): void {
  pools.set(db, pool)
}

/**
 * What the driver knows of its prepared statements; not documented, and without it a connection keeps them all.
 */
type Client = pg.PoolClient & { connection?: { parsedStatements?: Record<string, string> } }

/** Removes forgotten statements from a connection before its next query. */
async function dropForgotten(client: Client): Promise<void> {
  timesForgottenOfClient.set(client, timesForgotten)
  const { parsedStatements = {} } = client.connection ?? {}
  for (const name of Object.keys(parsedStatements).filter(isForgotten)) {
    Reflect.deleteProperty(parsedStatements, name)
    // A connection that is lost has lost them too, and the next query on it fails.
    await client.query(`deallocate ${pg.escapeIdentifier(name)}`).catch(() => undefined)
  }
}

const isForgotten = (name: string) => !statementsByName.has(name) && !permanentNames.has(name)

function poolOf(db: Db): pg.Pool {
  const pool = pools.get(db)
  if (!pool) throw new Error('Prepared statements run on the database itself, not in a transaction')
  return pool
}

/**
 * Runs a frequent query as a prepared statement: its SQL is built once, and each connection parses it once. The
 * rows have the names of the columns in the SQL, and moments as dates. A process keeps a hundred names: frequent
 * queries are mostly among them, whatever was queried before.
 *
 * @param db the shop's database itself, no transaction
 * @param name stands for the SQL: the same name must always have the same SQL
 * @param write builds the SQL, with a placeholder for each of `values`
 */
export async function queryPrepared<Row extends pg.QueryResultRow>(
  db: Db,
  name: string,
  write: () => SQL,
  values: Record<string, unknown>,
): Promise<Row[]> {
  const { parameters, ...statement } = statementOf(name, write)
  const client = await poolOf(db).connect()
  let isBroken = true
  try {
    if (timesForgottenOfClient.get(client) !== timesForgotten) await dropForgotten(client)
    const { rows } = await client.query<Row>({ ...statement, values: fillPlaceholders(parameters, values) })
    isBroken = false
    return rows
  } finally {
    client.release(isBroken)
  }
}

function statementOf(wanted: string, write: () => SQL): Statement {
  const name = shortenName(wanted)
  const found = statementsByName.get(name)
  if (found) return found
  const { sql: text, params: parameters } = dialect.sqlToQuery(write())
  if (statementsByName.size >= mostNamed) forgetAny()
  const statement = { name, text, parameters }
  statementsByName.set(name, statement)
  return statement
}

function shortenName(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, 40)} ${hashOf(name).slice(0, 22)}`
}

/**
 * Drops a random one, not the least recently used: of a few more queries than there is room for, run in turn, none
 * would ever be found.
 */
function forgetAny(): void {
  const name = [...statementsByName.keys()][Math.floor(Math.random() * statementsByName.size)]
  if (name === undefined) return
  statementsByName.delete(name)
  timesForgotten += 1
}

/**
 * The same for a statement that Drizzle builds, and that may also run in a `transaction`.
 *
 * @param prepare builds it, with placeholders, under the name that it is given
 */
export function prepareOnce<T>(db: Db, name: string, prepare: (name: string) => T): T {
  const known = prepared.get(db) ?? new Map<string, unknown>()
  prepared.set(db, known)
  permanentNames.add(name)
  if (!known.has(name)) known.set(name, prepare(name))
  // What is cached under this name came from the same `prepare`.
  return known.get(name) as T
}

/**
 * Everything in `work` happens, or nothing. Each connection has one `tx` for all its transactions, with the
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

const isLost = (query: Promise<unknown>) =>
  query.then(
    () => false,
    () => true,
  )

/** Whether a query timed out: then no other one is sent on its connection, since that would take as long again. */
function isWithoutAnswer(error: unknown): boolean {
  return causesOf(error).some(({ message }) => message === 'Query read timeout')
}

/** A parameter: the database plans without its value, once on each connection, and not for each value. */
export function typedPlaceholder(name: string, type: string): SQL {
  return sql`${sql.placeholder(name)}::${sql.raw(type)}`
}
