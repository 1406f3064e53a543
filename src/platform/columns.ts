import { sql, type Column, type SQL } from 'drizzle-orm'
import { timestamp } from 'drizzle-orm/pg-core'

/** A column with a moment, a `Date` in the code. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** When its row was made, unless something else is said. */
export const now = (name: string) => moment(name).notNull().defaultNow()

/** This moment, but always later than what a row has there, in the milliseconds that callers see. */
export const laterThan = (column: Column): SQL =>
  sql`greatest(clock_timestamp(), ${column} + interval '1 ms')`
