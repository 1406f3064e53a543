import { timestamp } from 'drizzle-orm/pg-core'

/** A column with a moment, a `Date` in the code. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** When its row was made, unless something else is said. */
export const now = (name: string) => moment(name).notNull().defaultNow()
