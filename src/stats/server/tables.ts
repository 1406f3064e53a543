import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

/** How many users and reviews there are; kept by triggers as `order_totals` is, and read in the same way. */
export const rowCounts = pgTable(
  'row_counts',
  {
    name: text('name').notNull(),
    slot: integer('slot').notNull(),
    rows: bigint('rows', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.slot] })],
)
