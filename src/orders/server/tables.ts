import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  type ExtraConfigColumn,
} from 'drizzle-orm/pg-core'
import { users } from '#shop/accounts/server/tables.ts'
import type { ShippingAddress } from '#shop/orders/contract.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { moment, now } from '#shop/platform/columns.ts'

const newest = (column: ExtraConfigColumn) => column.desc().nullsFirst()
/** With what the newest are searched by, so that no row is read of those that are passed over. */
const newestFound = (table: Record<'createdAt' | 'id' | 'email' | 'paymentId', ExtraConfigColumn>) =>
  [newest(table.createdAt), table.id, table.email, table.paymentId] as const

/** What a customer is about to pay for: names, pictures and prices as they were at this moment. */
export type SoldLine = {
  productId: string
  name: string
  image: string | null
  priceCents: number
  quantity: number
}

/**
 * `creating` before the provider has answered, `open` while it waits for the customer, then `paid` for good,
 * `expired`, or `review` when what was paid is not what was recorded; both of these may still turn out to be paid.
 */
const checkoutStates = ['creating', 'open', 'paid', 'expired', 'review'] as const

export const checkouts = pgTable(
  'checkouts',
  {
    /** Also our reference at the provider, and the idempotency key under which the session is made. */
    id: text('id').primaryKey(),
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    lines: jsonb('lines').$type<SoldLine[]>().notNull(),
    amountCents: integer('amount_cents').notNull(),
    currency: text('currency').notNull(),
    state: text('state', { enum: checkoutStates }).notNull().default('creating'),
    /** Where the link back from the card page leads: an address of ours. */
    returnTo: text('return_to').notNull(),
    /** Countries that the customer may have it sent to; none when nobody is asked for an address. */
    shipTo: text('ship_to').array().notNull().default([]),
    /** When the provider's session ends; fixed at the start, so that a repeated request is the same request. */
    expiresAt: moment('expires_at').notNull(),
    /** The caller's own key, bound to who called: one key is one checkout. */
    requestKey: text('request_key').unique(),
    /** What was asked under that key: the same key with another cart is refused. */
    requestHash: text('request_hash'),
    sessionId: text('session_id').unique(),
    sessionUrl: text('session_url'),
    createdAt: now('created_at'),
  },
  (table) => [
    index('checkouts_unfinished')
      .on(table.createdAt)
      .where(sql`${table.state} in ('creating', 'open')`),
    // Deleting a user looks for what names them; so does the one of the orders.
    index('checkouts_user').on(table.userId),
  ],
)

export type CheckoutRow = typeof checkouts.$inferSelect

export const orders = pgTable(
  'orders',
  {
    id: text('id').primaryKey(),
    /** The provider's payment intent. This and the next two are what makes a second order impossible. */
    paymentId: text('payment_id').notNull().unique(),
    sessionId: text('session_id').notNull().unique(),
    checkoutId: text('checkout_id')
      .notNull()
      .unique()
      .references(() => checkouts.id),
    /** Null for a guest, and once the user is deleted. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    email: text('email'),
    shippingAddress: jsonb('shipping_address').$type<ShippingAddress>(),
    status: text('status', { enum: orderStatuses }).notNull().default('pending'),
    amountCents: integer('amount_cents').notNull(),
    refundedCents: integer('refunded_cents').notNull().default(0),
    currency: text('currency').notNull(),
    createdAt: now('created_at'),
    updatedAt: now('updated_at'),
    /** A deleted order leaves every list and total, and keeps its row for the books: its signals find it here. */
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    check('orders_refunded', sql`${table.refundedCents} between 0 and ${table.amountCents}`),
    index('orders_newest')
      .on(...newestFound(table), table.status)
      .where(sql`${table.deletedAt} is null`),
    index('orders_status')
      .on(table.status, ...newestFound(table))
      .where(sql`${table.deletedAt} is null`),
    // With what a customer's orders add up to.
    index('orders_user').on(
      ...[table.userId, newest(table.createdAt), table.id],
      ...[table.deletedAt, table.amountCents, table.refundedCents],
    ),
    // How a search begins, whatever the language of the database.
    index('orders_payment_prefix').on(table.paymentId.op('text_pattern_ops')),
    // By an e-mail very many may begin: with all that puts them in order, so that no row is read of those.
    index('orders_email_prefix')
      .on(
        sql`lower(${table.email}) text_pattern_ops`,
        ...[newest(table.createdAt), table.id, table.status, table.email],
      )
      .where(sql`${table.deletedAt} is null`),
  ],
)

export const orderLines = pgTable(
  'order_lines',
  {
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    position: integer('position').notNull(),
    /** No foreign key: the line outlives the product. */
    productId: text('product_id').notNull(),
    name: text('name').notNull(),
    image: text('image'),
    priceCents: integer('price_cents').notNull(),
    quantity: integer('quantity').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.position] })],
)

/** Who set which state when. No foreign keys to the admin: the history outlives the account. */
export const orderStatusChanges = pgTable(
  'order_status_changes',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    fromStatus: text('from_status', { enum: orderStatuses }).notNull(),
    toStatus: text('to_status', { enum: orderStatuses }).notNull(),
    adminId: text('admin_id').notNull(),
    adminName: text('admin_name').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('order_status_changes_order').on(table.orderId, table.createdAt)],
)

/**
 * What the orders that are not deleted add up to, by month (UTC) and status; kept by triggers of the database (see
 * the migrations), so that whatever writes an order keeps it. Each connection adds to one of a few slots: orders
 * that are made at the same moment do not wait for each other. Only the sum over the slots means anything.
 */
export const orderTotals = pgTable(
  'order_totals',
  {
    month: date('month').notNull(),
    status: text('status', { enum: orderStatuses }).notNull(),
    slot: integer('slot').notNull(),
    orders: bigint('orders', { mode: 'number' }).notNull(),
    /** Paid minus refunded. */
    earnedCents: bigint('earned_cents', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.month, table.status, table.slot] })],
)

/** A session that is paid, but not as recorded: somebody has to look at it. */
export const paymentBreaks = pgTable('payment_breaks', {
  sessionId: text('session_id').primaryKey(),
  checkoutId: text('checkout_id'),
  reason: text('reason').notNull(),
  recorded: text('recorded').notNull(),
  reported: text('reported').notNull(),
  createdAt: now('created_at'),
  /** An admin has said that nothing is left to do: then only the books have it. */
  closedAt: moment('closed_at'),
  closedById: text('closed_by_id'),
  closedByName: text('closed_by_name'),
  /** All of the money has gone back since then. */
  givenBackAt: moment('given_back_at'),
})
