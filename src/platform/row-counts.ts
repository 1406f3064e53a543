import { sql, type SQL } from 'drizzle-orm'
import { onlyRow, type Db } from './database.ts'
import { rowCounts } from './tables.ts'

type Counted = 'users' | 'reviews'

/** How many there are, as a question within another: from counts that triggers keep, so that it does not matter how many. */
export function countOfRows(name: Counted): SQL {
  return sql`(select coalesce(sum(${rowCounts.rows}), 0)::float8 from ${rowCounts} where ${rowCounts.name} = ${name})`
}

export async function countRows(db: Db, name: Counted): Promise<number> {
  const { rows } = await db.execute<{ all: number }>(sql`select ${countOfRows(name)} as all`)
  return onlyRow(rows).all
}
