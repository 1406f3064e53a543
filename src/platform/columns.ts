import { sql, type Column, type SQL } from 'drizzle-orm'
import { timestamp } from 'drizzle-orm/pg-core'

/** A column with a timestamp, a `Date` in the code. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** When the row was made, unless the insert says otherwise. */
export const now = (name: string) => moment(name).notNull().defaultNow()

/**
 * The current time, but always later than the column's value, by at least the millisecond that clients can see.
 */
export const laterThan = (column: Column): SQL =>
  sql`greatest(clock_timestamp(), ${column} + interval '1 ms')`
