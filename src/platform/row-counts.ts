import { sql, type SQL } from 'drizzle-orm'
import { rowCounts } from './tables.ts'

/** How many there are, as a question within another: from counts that triggers keep, so that it does not matter how many. */
export function countOfRows(name: 'users' | 'reviews'): SQL {
  return sql`(select coalesce(sum(${rowCounts.rows}), 0)::float8 from ${rowCounts} where ${rowCounts.name} = ${name})`
}
