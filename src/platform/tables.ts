import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/** How many users and reviews there are; kept by triggers and added up over the slots, as `order_totals` is. */
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
 * Long lists that are newest first (`orders`, `users`), cut into blocks of some two to four thousand rows: how
 * many rows of each kind (the status of an order) lie between the start of a block and that of the next one.
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

/**
 * Changes that have not been added to the blocks yet: one row more or one less, and where in the list. To write
 * one, nobody has to wait.
 */
export const listNotes = pgTable('list_notes', {
  list: text('list').notNull(),
  kind: text('kind').notNull(),
  createdAt: moment('created_at').notNull(),
  id: text('id').notNull(),
  change: bigint('change', { mode: 'number' }).notNull(),
})

/** How the database sorted text when its lists were counted, see `letter-order`. */
export const letterOrder = pgTable('letter_order', { letters: text('letters').notNull() })
