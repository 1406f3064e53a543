import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { withConnection, type Database, type Db } from './database.ts'
import { withoutBounds } from './session-settings.ts'
import { tryPeriodically } from './run-periodically.ts'
import { listBlocks, listNotes } from './tables.ts'

const everyMs = 10_000
/** Up to this many notes cost next to nothing to read along with the blocks. */
const fewNotes = 500
/** A million notes at once take some five seconds. */
const longestMs = 120_000

/**
 * Adds the notes on long lists to their blocks, see `list_blocks`. Uses a connection of its own: after a million
 * orders at once this takes longer than the shop lets a statement take.
 */
export async function foldLists(connection: pg.ClientConfig): Promise<void> {
  const patient = { ...withoutBounds(connection), connectionTimeoutMillis: 10_000, query_timeout: longestMs }
  await withConnection(patient, async (client) => {
    await client.query('begin isolation level repeatable read')
    await client.query('select fold_lists()')
    await client.query('commit')
  })
}

/**
 * Builds the blocks anew, as if every row had just come; for a transaction in which nobody else changes the rows.
 */
export async function recountLists(tx: Db): Promise<void> {
  await tx.delete(listBlocks)
  await tx.delete(listNotes)
  await tx.execute(sql`insert into list_notes (list, kind, created_at, id, change)
    select list, kind, created_at, id, 1 from listed_rows`)
  await tx.execute(sql`select fold_lists()`)
}

/** Folds the lists now and every few seconds, when there are enough notes, until stopped. */
export function keepListsFolded({ db, connection }: Database, log: (line: string) => void) {
  const fold = async () => {
    const noted = await db.select({ list: listNotes.list }).from(listNotes).limit(1).offset(fewNotes)
    if (noted.length > 0) await foldLists(connection)
  }
  return tryPeriodically(everyMs, fold, 'Long lists could not be counted, trying again in a few seconds', log)
}
