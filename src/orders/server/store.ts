import { and, asc, eq, exists, isNull, not, or, sql } from 'drizzle-orm'
import { dollarsFromCents } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { laterThan } from '#shop/platform/columns.ts'
import type { Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
import { checkouts, orderLines, orders, paymentBreaks, type CheckoutRow, type SoldLine } from './tables.ts'

export type OrderRow = typeof orders.$inferSelect
type LineRow = typeof orderLines.$inferSelect

/** Returns undefined when the payment, the session or the checkout already has an order. */
export async function insertOrder(
  tx: Db,
  checkout: CheckoutRow,
  paid: Pick<OrderRow, 'sessionId' | 'paymentId' | 'email' | 'shippingAddress'>,
): Promise<OrderRow | undefined> {
  const placeholder = (field: string) => sql.placeholder(field)
  const statement = prepareOnce(tx, 'insert_order', (name) =>
    tx
      .insert(orders)
      .values({
        id: placeholder('id'),
        checkoutId: placeholder('checkoutId'),
        sessionId: placeholder('sessionId'),
        paymentId: placeholder('paymentId'),
        email: placeholder('email'),
        shippingAddress: sql`${placeholder('shippingAddress')}::jsonb`,
        // Read now: the user may have been deleted since the checkout was read.
        userId: sql`(select ${checkouts.userId} from ${checkouts} where ${checkouts.id} = ${placeholder('checkoutId')})`,
        amountCents: placeholder('amountCents'),
        currency: placeholder('currency'),
      })
      .onConflictDoNothing()
      .returning()
      .prepare(name),
  )
  const { id: checkoutId, amountCents, currency, lines } = checkout
  const order = (await statement.execute({ id: newId(), checkoutId, ...paid, amountCents, currency }))[0]
  if (order) await insertLines(tx, order.id, lines)
  return order
}

async function insertLines(tx: Db, orderId: string, lines: SoldLine[]): Promise<void> {
  const statement = prepareOnce(tx, `insert_lines_${lines.length}`, (name) =>
    tx
      .insert(orderLines)
      .values(
        lines.map((_, position) => ({
          orderId: sql.placeholder('orderId'),
          position,
          productId: sql.placeholder(`productId${position}`),
          name: sql.placeholder(`name${position}`),
          image: sql.placeholder(`image${position}`),
          priceCents: sql.placeholder(`priceCents${position}`),
          quantity: sql.placeholder(`quantity${position}`),
        })),
      )
      .prepare(name),
  )
  const values = lines.flatMap((line, position) =>
    Object.entries(line).map(([field, value]) => [`${field}${position}`, value] as const),
  )
  await statement.execute({ orderId, ...Object.fromEntries(values) })
}

/**
 * Records the refunded amount, unless another was recorded since the order was read. Returns whether it is
 * recorded.
 */
export async function recordRefund(
  db: Db,
  { id, refundedCents: before }: Pick<OrderRow, 'id' | 'refundedCents'>,
  refundedCents: number,
): Promise<boolean> {
  if (refundedCents === before) return true
  const rows = await db
    .update(orders)
    .set({ refundedCents, updatedAt: laterThan(orders.updatedAt) })
    .where(and(eq(orders.id, id), eq(orders.refundedCents, before)))
    .returning({ id: orders.id })
  return rows.length > 0
}

/**
 * Whether a refund is news to the shop. For a payment without an order, true if there are any breaks: the payment
 * may belong to one.
 *
 * @param refundedCents null when the amount is not known
 */
export async function isRefundUnknown(
  db: Db,
  paymentId: string,
  refundedCents: number | null,
): Promise<boolean> {
  const [order] = await db
    .select({ refundedCents: orders.refundedCents })
    .from(orders)
    .where(eq(orders.paymentId, paymentId))
  if (order) return order.refundedCents !== refundedCents
  return (await db.select({ id: paymentBreaks.sessionId }).from(paymentBreaks).limit(1)).length > 0
}

/** Includes deleted orders, which repeated webhook events must find. */
export async function findOrderOfSession(db: Db, sessionId: string): Promise<OrderRow | undefined> {
  const statement = prepareOnce(db, 'find_order_of_session', (name) =>
    db
      .select()
      .from(orders)
      .where(eq(orders.sessionId, sql.placeholder('sessionId')))
      .prepare(name),
  )
  return (await statement.execute({ sessionId }))[0]
}

/** The session's order, if nothing is left to do: it has this refund recorded, and there is no break to remove. */
export async function findSettledOrder(
  db: Db,
  { id, refundedCents }: { id: string; refundedCents: number },
): Promise<OrderRow | undefined> {
  const statement = prepareOnce(db, 'find_settled_order', (name) => {
    const isOfSession = eq(paymentBreaks.sessionId, sql.placeholder('id'))
    const hasBreak = exists(db.select({ id: paymentBreaks.sessionId }).from(paymentBreaks).where(isOfSession))
    const isRefunded = eq(orders.refundedCents, sql.placeholder('refundedCents'))
    return db
      .select()
      .from(orders)
      .where(and(eq(orders.sessionId, sql.placeholder('id')), isRefunded, not(hasBreak)))
      .prepare(name)
  })
  return (await statement.execute({ id, refundedCents }))[0]
}

/** By `_id` or by payment id; a deleted order does not exist. */
export const isOrder = (id: string) =>
  and(or(eq(orders.id, id), eq(orders.paymentId, id)), isNull(orders.deletedAt))

export async function findOrder(
  db: Db,
  id: string,
): Promise<{ row: OrderRow; lines: LineRow[] } | undefined> {
  const row = (await db.select().from(orders).where(isOrder(id)))[0]
  if (!row) return undefined
  return { row, lines: await linesOf(db, row.id) }
}

export async function linesOf(db: Db, orderId: string): Promise<LineRow[]> {
  const statement = prepareOnce(db, 'lines_of_order', (name) =>
    db
      .select()
      .from(orderLines)
      .where(eq(orderLines.orderId, sql.placeholder('orderId')))
      .orderBy(asc(orderLines.position))
      .prepare(name),
  )
  return statement.execute({ orderId })
}

export function orderReply(row: OrderRow, lines: LineRow[]): Order {
  return {
    _id: row.id,
    orderId: row.paymentId,
    email: row.email,
    userId: row.userId,
    shippingAddress: row.shippingAddress,
    status: row.status,
    amount: dollarsFromCents(row.amountCents),
    refunded: dollarsFromCents(row.refundedCents),
    currency: row.currency,
    lines: lines.map(({ productId, name, image, priceCents, quantity }) => ({
      productId,
      name,
      image,
      price: dollarsFromCents(priceCents),
      quantity,
    })),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
