import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { copySequences, copyTables, countTables, listTables, namesOf, type Table } from './copy-tables.ts'
import { changeChannel, onlyRow, type Db } from './database.ts'
import { recountIfReordered } from './letter-order.ts'
import { migrateDatabase } from './migrations.ts'
import { applySettings, withoutBounds } from './session-settings.ts'
import { StartError } from './start-error.ts'

type Move = {
  from: pg.PoolConfig
  to: pg.PoolConfig
  /** Tables that must be empty in the target database: every shop has rows in these. */
  emptyTables: readonly string[]
  /** Counts anew, in the transaction of the move, what was counted by the sort order of text. */
  recount: (tx: Db) => Promise<void>
}

type Moved = { version: string; tables: number; rows: number }

/**
 * Copies a shop's whole database to another one, where either all of it arrives or nothing. Nobody else may be
 * writing to the source.
 *
 * @throws StartError when the target has a shop's data already, or one of the two belongs to a newer version
 */
export async function moveDatabase(move: Move): Promise<Moved> {
  const [from, to] = [withoutBounds(move.from), withoutBounds(move.to)]
  const [source, target] = [new pg.Client(from), new pg.Client(to)]
  // If a connection is lost, the running query fails and says so.
  for (const client of [source, target]) client.on('error', () => undefined)
  try {
    await Promise.all([source.connect(), target.connect()])
    await Promise.all([applySettings(source, from.bounds), applySettings(target, to.bounds)])
    // First, so that a database that is refused has not been changed.
    await refuseFilled(target, move.emptyTables)
    await migrateDatabase(move.from)
    await migrateDatabase(move.to)
    await source.query('begin isolation level repeatable read read only')
    const moved = await inTransaction(target, () => fill(source, target, move))
    // The server would do so by itself, but not at once.
    await target.query('vacuum analyze').catch(() => undefined)
    return moved
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

async function refuseFilled(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query<{ isThere: boolean }>(
      `select to_regclass($1) is not null as "isThere"`,
      [table],
    )
    if (!onlyRow(rows).isThere) continue
    const filled = await client.query(`select from ${table} limit 1`)
    if (filled.rowCount === 0) continue
    throw new StartError(
      `DATABASE_URL has a shop's data already, such as ${table}: it must be an empty database`,
    )
  }
}

/** Without a commit the server undoes everything, however the work ends. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  const result = await work()
  await client.query('commit')
  return result
}

async function fill(source: pg.Client, target: pg.Client, { emptyTables, recount }: Move): Promise<Moved> {
  const tables = await listTables(source)
  await target.query(`lock table ${namesOf(tables)} in access exclusive mode`)
  // A shop may have started there meanwhile.
  await refuseFilled(target, emptyTables)
  await setTriggers(target, tables, 'disable')
  await copyTables(source, target, tables)
  await copySequences(source, target)
  const rows = await compareCounts(source, target, tables)
  await recountIfReordered(drizzle(target), recount)
  await setTriggers(target, tables, 'enable')
  await target.query(`select pg_notify($1, '')`, [changeChannel])
  const { rows: versions } = await target.query<{ version: string }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version`,
  )
  return { ...onlyRow(versions), tables: tables.length, rows }
}

async function setTriggers(
  client: pg.Client,
  tables: readonly Table[],
  state: 'enable' | 'disable',
): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${name} ${state} trigger user`)
}

/** @returns how many rows there are in all */
async function compareCounts(
  source: pg.Client,
  target: pg.Client,
  tables: readonly Table[],
): Promise<number> {
  const [there, here] = [await countTables(source, tables), await countTables(target, tables)]
  const different = tables.filter((_, index) => there[index] !== here[index])
  if (different.length > 0) throw new Error(`Not all rows have arrived in ${namesOf(different)}`)
  return here.reduce((sum, rows) => sum + rows, 0)
}
