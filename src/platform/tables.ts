import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

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

/**
 * Long lists that are newest first (`orders`, `users`), cut into blocks of two to four thousand rows: how many of each kind
 * (the status of an order) lie from where a block starts to where the next one does.
 */
export const listBlocks = pgTable(
  'list_blocks',
  {
    list: text('list').notNull(),
    startsAt: moment('starts_at').notNull(),
    startsId: text('starts_id').notNull(),
    kind: text('kind').notNull(),
    rows: bigint('rows', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.list, table.startsAt, table.startsId, table.kind] })],
)

/** What has changed since it was last added to the blocks: one more or one less, and where in the list. Nobody waits for it. */
export const listNotes = pgTable('list_notes', {
  list: text('list').notNull(),
  kind: text('kind').notNull(),
  createdAt: moment('created_at').notNull(),
  id: text('id').notNull(),
  change: bigint('change', { mode: 'number' }).notNull(),
})
