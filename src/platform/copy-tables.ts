import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { onlyRow } from './database.ts'

/** A table with its name and columns as SQL has them, and the tables that its foreign keys name. */
export type Table = { name: string; columns: string; parents: string[] }

/** All tables of a database, each after those that its foreign keys name. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select format('public.%I', relname) as name,
      -- One that is made of others is made again.
      (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      array(select format('public.%I', parent.relname) from pg_constraint join pg_class as parent on parent.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f') as parents
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`)
  return inOrder(rows)
}

function inOrder(tables: readonly Table[]): Table[] {
  const ordered = new Map<string, Table>()
  while (ordered.size < tables.length) {
    const next = tables.filter(
      ({ name, parents }) => !ordered.has(name) && parents.every((parent) => ordered.has(parent)),
    )
    if (next.length === 0) {
      const left = tables.filter(({ name }) => !ordered.has(name)).map(({ name }) => name)
      throw new Error(`Tables name each other in a circle, so that none can be first: ${left.join(', ')}`)
    }
    for (const table of next) ordered.set(table.name, table)
  }
  return [...ordered.values()]
}

/**
 * Replaces the target's rows, in the text format that one server writes and the other reads. Both clients are in a
 * transaction; the target's tables are locked and their triggers off, since what triggers count is copied too.
 */
export async function copyTables(
  source: pg.Client,
  target: pg.Client,
  tables: readonly Table[],
): Promise<void> {
  await target.query(`truncate ${namesOf(tables)}`)
  for (const { name, columns } of tables) {
    await pipeline(
      source.query(copyTo(`copy ${name} (${columns}) to stdout`)),
      target.query(copyFrom(`copy ${name} (${columns}) from stdin`)),
    )
  }
}

export const namesOf = (tables: readonly Table[]) => tables.map(({ name }) => name).join(', ')

/** Copies the next number of each sequence. Unlike setval, this is undone with the transaction. */
export async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows: sequences } = await source.query<{ name: string }>(
    `select format('public.%I', sequencename) as name from pg_sequences where schemaname = 'public'`,
  )
  for (const { name } of sequences) {
    const { rows } = await source.query<{ next: string }>(
      `select last_value + is_called::int as next from ${name}`,
    )
    await target.query(`alter sequence ${name} restart with ${onlyRow(rows).next}`)
  }
}

/** How many rows each table has, in the order of `tables`. */
export async function countTables(client: pg.Client, tables: readonly Table[]): Promise<number[]> {
  const counts = tables.map(({ name }) => `(select count(*)::float8 from ${name})`)
  const { rows } = await client.query<{ counts: number[] }>(`select array[${counts.join(', ')}] as counts`)
  return onlyRow(rows).counts
}
