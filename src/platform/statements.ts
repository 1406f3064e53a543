import { fillPlaceholders, sql, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import type { Db } from './database.ts'

type Statement = { name: string; text: string; parameters: unknown[] }

const dialect = new PgDialect()
const written = new WeakMap<pg.Pool, Map<string, Statement>>()
const pools = new WeakMap<Db, pg.Pool>()

/** From now on this database can be asked by name. */
export function nameStatements(db: Db, pool: pg.Pool): void {
  pools.set(db, pool)
  written.set(pool, new Map())
}

/**
 * Asks what is often asked: it is put into words once, and each connection reads those words once. Its rows come as they
 * are named in it, moments as dates.
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
  const pool = pools.get(db)
  if (!pool) throw new Error('Only the database itself is asked by name')
  const { parameters, ...statement } = statementOf(pool, name, write)
  const { rows } = await pool.query<Row>({ ...statement, values: fillPlaceholders(parameters, values) })
  return rows
}

function statementOf(pool: pg.Pool, name: string, write: () => SQL): Statement {
  const known = written.get(pool)
  const found = known?.get(name)
  if (found) return found
  const { sql: text, params: parameters } = dialect.sqlToQuery(write())
  const statement = { name, text, parameters }
  known?.set(name, statement)
  return statement
}

/**
 * A value that the database does not look at before it plans how to read. With nothing to look at it makes one plan for
 * each connection instead of one for each question, which would take longer than the reading.
 */
export function unseen(name: string, type: string): SQL {
  return sql`(select ${sql.placeholder(name)}::${sql.raw(type)})`
}
