import type { TestApp } from '#shop/testing/test-app.ts'

/** One hash over every row of every table: if two are equal, nothing has changed in between. */
export async function hashOfDatabase({ database }: TestApp): Promise<string> {
  const hashes = (await tableNames(database)).map(
    (name) => `(select md5(coalesce(string_agg(t::text, e'\\n' order by t::text), '')) from "${name}" t)`,
  )
  const { rows } = await database.pool.query<{ all: string }>(
    `select concat_ws(' ', ${hashes.join(', ')}) as all`,
  )
  return rows[0]?.all ?? ''
}

/** The names of all columns of all tables, as the database and as the code spell them. */
export async function columnNames({ database }: TestApp): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select distinct column_name as name from information_schema.columns where table_schema = 'public'`,
  )
  const camel = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  return [...new Set(rows.flatMap(({ name }) => [name, camel(name)]))]
}

/** The tables that contain this text in any row. */
export async function tablesContaining({ database }: TestApp, text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await tableNames(database)) {
    const { rows } = await database.pool.query(
      `select 1 from "${name}" t where strpos(t::text, $1) > 0 limit 1`,
      [text],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

async function tableNames({ pool }: TestApp['database']): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}
