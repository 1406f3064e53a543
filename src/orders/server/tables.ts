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
/** Newest first, then the columns that a search compares: the index alone shows which rows to skip. */
const newestFound = (table: Record<'createdAt' | 'id' | 'email' | 'paymentId', ExtraConfigColumn>) =>
  [newest(table.createdAt), table.id, table.email, table.paymentId] as const

/** One line of a checkout: name, picture and price are those of the moment it was made. */
export type SoldLine = {
  productId: string
  name: string
  image: string | null
  priceCents: number
  quantity: number
}

/**
 * `creating` until the provider has answered, then `open` while the customer can pay. It ends as `paid`, which is
 * final, as `expired`, or as `review` when the payment differs from what was recorded. `expired` and `review` can
 * still become `paid`.
 */
const checkoutStates = ['creating', 'open', 'paid', 'expired', 'review'] as const

export const checkouts = pgTable(
  'checkouts',
  {
    /** Also our reference at the provider, and the idempotency key of the request that opens the session. */
    id: text('id').primaryKey(),
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    lines: jsonb('lines').$type<SoldLine[]>().notNull(),
    amountCents: integer('amount_cents').notNull(),
    currency: text('currency').notNull(),
    state: text('state', { enum: checkoutStates }).notNull().default('creating'),
    /** Where the link back from the provider's payment page leads: a URL of this shop. */
    returnTo: text('return_to').notNull(),
    /** Countries that the customer may choose for delivery; empty when no address is asked for. */
    shipTo: text('ship_to').array().notNull().default([]),
    /** When the provider's session ends. Fixed at the start, so that a retry sends the same request. */
    expiresAt: moment('expires_at').notNull(),
    /** Hash of the client's key and user id: one key is one checkout. Null without a key, or once it is free. */
    requestKey: text('request_key').unique(),
    /** Hash of the cart that was sent with that key: the same key with another cart is refused. */
    requestHash: text('request_hash'),
    sessionId: text('session_id').unique(),
    sessionUrl: text('session_url'),
    createdAt: now('created_at'),
  },
  (table) => [
    index('checkouts_unfinished')
      .on(table.createdAt)
      .where(sql`${table.state} in ('creating', 'open')`),
    // Deleting a user has to find the rows that reference them. `orders_user` serves this as well.
    index('checkouts_user').on(table.userId),
  ],
)

export type CheckoutRow = typeof checkouts.$inferSelect

export const orders = pgTable(
  'orders',
  {
    id: text('id').primaryKey(),
    /** The provider's payment intent id. Its unique constraint and the next two rule out a second order. */
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
    /** A deleted order leaves every list and total; its row stays for the books and for repeated webhook events. */
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
    // The last columns are for a customer's totals, which are then read from the index alone.
    index('orders_user').on(
      ...[table.userId, newest(table.createdAt), table.id],
      ...[table.deletedAt, table.amountCents, table.refundedCents],
    ),
    // For searches by prefix: `text_pattern_ops` makes the index usable whatever the locale of the database is.
    index('orders_payment_prefix').on(table.paymentId.op('text_pattern_ops')),
    // Very many e-mails may share a prefix. The other columns filter and sort them without reading their rows.
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

/** Who set which status when. No foreign key to the admin: the history outlives the account. */
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
 * Totals of the orders that are not deleted, by month (UTC) and status. Triggers of the database keep them up to
 * date (see the migrations), whatever writes to `orders`. Each connection adds to one of a few slots, so that
 * orders made at the same moment do not wait for each other's row locks. Only the sum over the slots means
 * anything.
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
  /** When an admin marked it as settled; from then on the row only serves the books. */
  closedAt: moment('closed_at'),
  closedById: text('closed_by_id'),
  closedByName: text('closed_by_name'),
  /** When the shop learned that all of the money has been refunded. */
  givenBackAt: moment('given_back_at'),
})
