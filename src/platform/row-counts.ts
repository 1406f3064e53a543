import { sql, type SQL } from 'drizzle-orm'
import { onlyRow, type Db } from './database.ts'
import { rowCounts } from './tables.ts'

type Counted = 'users' | 'reviews'

/**
 * A subquery for how many rows there are, from counts that triggers keep: its time does not depend on the number.
 */
export function countOfRows(name: Counted): SQL {
  return sql`(select coalesce(sum(${rowCounts.rows}), 0)::float8 from ${rowCounts} where ${rowCounts.name} = ${name})`
}

export async function countRows(db: Db, name: Counted): Promise<number> {
  const { rows } = await db.execute<{ all: number }>(sql`select ${countOfRows(name)} as all`)
  return onlyRow(rows).all
}
