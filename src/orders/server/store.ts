import { and, asc, desc, eq, exists, gt, gte, inArray, isNull, lt, ne, not, or, sql } from 'drizzle-orm'
import { dollarsFromCents } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import type { Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
import { checkouts, orderLines, orders, paymentBreaks, type SoldLine } from './tables.ts'

export type CheckoutRow = typeof checkouts.$inferSelect
export type OrderRow = typeof orders.$inferSelect
type LineRow = typeof orderLines.$inferSelect

const isUnfinished = inArray(checkouts.state, ['creating', 'open'])

/** Undefined when another checkout holds the same request key. */
export async function insertCheckout(
  db: Db,
  row: typeof checkouts.$inferInsert & { userId: string | null },
): Promise<CheckoutRow | undefined> {
  const question = prepareOnce(db, `insert_checkout_${row.userId ? 'user' : 'guest'}`, (name) => {
    const given = (field: string) => sql.placeholder(field)
    return db
      .insert(checkouts)
      .values({
        id: given('id'),
        // A user who is deleted at this moment checks out as a guest.
        userId: row.userId ? sql`(select id from users where id = ${given('userId')} for key share)` : null,
        lines: given('lines'),
        amountCents: given('amountCents'),
        currency: given('currency'),
        returnTo: given('returnTo'),
        expiresAt: given('expiresAt'),
        requestKey: given('requestKey'),
        requestHash: given('requestHash'),
      })
      .onConflictDoNothing()
      .returning()
      .prepare(name)
  })
  return (await question.execute(row))[0]
}

export async function findCheckout(db: Db, id: string): Promise<CheckoutRow | undefined> {
  const question = prepareOnce(db, 'find_checkout', (name) =>
    db
      .select()
      .from(checkouts)
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  return (await question.execute({ id }))[0]
}

export async function findCheckoutByKey(db: Db, requestKey: string): Promise<CheckoutRow | undefined> {
  return (await db.select().from(checkouts).where(eq(checkouts.requestKey, requestKey)))[0]
}

/** Serialises everything that ends a checkout; take it first in the transaction. */
export async function lockCheckout(tx: Db, id: string): Promise<void> {
  const question = prepareOnce(tx, 'lock_checkout', (name) => {
    const isThis = eq(checkouts.id, sql.placeholder('id'))
    return tx.select({ id: checkouts.id }).from(checkouts).where(isThis).for('update').prepare(name)
  })
  await question.execute({ id })
}

export async function keepSession(db: Db, id: string, session: { id: string; url: string }): Promise<void> {
  const question = prepareOnce(db, 'keep_session', (name) =>
    db
      .update(checkouts)
      .set({
        sessionId: sql`${sql.placeholder('sessionId')}`,
        sessionUrl: sql`${sql.placeholder('sessionUrl')}`,
        // A webhook may have been quicker than this answer. One that was given up meanwhile can be paid after all:
        // it is looked after again.
        state: sql`case when ${checkouts.state} in ('creating', 'expired') then 'open' else ${checkouts.state} end`,
      })
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  await question.execute({ id, sessionId: session.id, sessionUrl: session.url })
}

/** The key of a checkout that can not be paid any more is free for a new one. */
export async function expireCheckout(db: Db, id: string): Promise<void> {
  await db
    .update(checkouts)
    .set({ state: 'expired', requestKey: null })
    .where(and(eq(checkouts.id, id), isUnfinished))
}

/**
 * Takes a user who is about to be deleted off their checkouts; those that are paid later become a guest's orders.
 * Locked in the order in which settling locks, the checkout before the user, or the two would wait for each other.
 */
export async function releaseCheckouts(tx: Db, userId: string): Promise<void> {
  await tx.update(checkouts).set({ userId: null }).where(eq(checkouts.userId, userId))
}

/** A checkout that has its order keeps it, whatever is found to be wrong with another payment for it. */
export async function finishCheckout(
  tx: Db,
  id: string,
  state: 'paid' | 'review',
  sessionId: string,
): Promise<void> {
  const question = prepareOnce(tx, `finish_checkout_${state}`, (name) => {
    const isFree = state === 'review' ? ne(checkouts.state, 'paid') : undefined
    return tx
      .update(checkouts)
      .set({ state, sessionId: sql`${sql.placeholder('sessionId')}` })
      .where(and(eq(checkouts.id, sql.placeholder('id')), isFree))
      .prepare(name)
  })
  await question.execute({ id, sessionId })
}

/** Checkouts that are still open, oldest first, from `after` on. */
export async function listUnfinishedCheckouts(
  db: Db,
  after: CheckoutRow | undefined,
): Promise<CheckoutRow[]> {
  // Compared in the database: a Date has milliseconds, and the row itself would be later than its own.
  const isLater =
    after &&
    sql`(${checkouts.createdAt}, ${checkouts.id}) >
      (select created_at, id from checkouts where id = ${after.id})`
  return db
    .select()
    .from(checkouts)
    .where(and(isUnfinished, lt(checkouts.createdAt, sql`now() - interval '20 seconds'`), isLater))
    .orderBy(asc(checkouts.createdAt), asc(checkouts.id))
    .limit(100)
}

/** Undefined when the payment, the session or the checkout has its order already. */
export async function insertOrder(
  tx: Db,
  checkout: CheckoutRow,
  paid: { sessionId: string; paymentId: string; email: string | null },
): Promise<OrderRow | undefined> {
  const given = (field: string) => sql.placeholder(field)
  const question = prepareOnce(tx, 'insert_order', (name) =>
    tx
      .insert(orders)
      .values({
        id: given('id'),
        checkoutId: given('checkoutId'),
        sessionId: given('sessionId'),
        paymentId: given('paymentId'),
        email: given('email'),
        // As it is now: the user may have been deleted since the checkout was read.
        userId: sql`(select ${checkouts.userId} from ${checkouts} where ${checkouts.id} = ${given('checkoutId')})`,
        amountCents: given('amountCents'),
        currency: given('currency'),
      })
      .onConflictDoNothing()
      .returning()
      .prepare(name),
  )
  const { id: checkoutId, amountCents, currency, lines } = checkout
  const order = (await question.execute({ id: newId(), checkoutId, ...paid, amountCents, currency }))[0]
  if (order) await insertLines(tx, order.id, lines)
  return order
}

async function insertLines(tx: Db, orderId: string, lines: SoldLine[]): Promise<void> {
  const question = prepareOnce(tx, `insert_lines_${lines.length}`, (name) =>
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
  await question.execute({ orderId, ...Object.fromEntries(values) })
}

/** Refunds only ever grow; a late, older report changes nothing. */
export async function recordRefund(db: Db, sessionId: string, refundedCents: number): Promise<void> {
  await db
    .update(orders)
    .set({ refundedCents, updatedAt: sql`now()` })
    .where(and(eq(orders.sessionId, sessionId), lt(orders.refundedCents, refundedCents)))
}

/** False for a payment that has no order here, or one that knows of at least so much. */
export async function isRefundUnknown(db: Db, paymentId: string, refundedCents: number): Promise<boolean> {
  const isBehind = and(eq(orders.paymentId, paymentId), lt(orders.refundedCents, refundedCents))
  return (await db.select({ id: orders.id }).from(orders).where(isBehind)).length > 0
}

/** The deleted too: a signal that is repeated must find them. */
export async function findOrderOfSession(db: Db, sessionId: string): Promise<OrderRow | undefined> {
  const question = prepareOnce(db, 'find_order_of_session', (name) =>
    db
      .select()
      .from(orders)
      .where(eq(orders.sessionId, sql.placeholder('sessionId')))
      .prepare(name),
  )
  return (await question.execute({ sessionId }))[0]
}

/** The order of a session of which there is nothing new: no later refund, and no break that is to go. */
export async function findSettledOrder(
  db: Db,
  { id, refundedCents }: { id: string; refundedCents: number },
): Promise<OrderRow | undefined> {
  const question = prepareOnce(db, 'find_settled_order', (name) => {
    const isOfSession = eq(paymentBreaks.sessionId, sql.placeholder('id'))
    const hasBreak = exists(db.select({ id: paymentBreaks.sessionId }).from(paymentBreaks).where(isOfSession))
    const isRefunded = gte(orders.refundedCents, sql.placeholder('refundedCents'))
    return db
      .select()
      .from(orders)
      .where(and(eq(orders.sessionId, sql.placeholder('id')), isRefunded, not(hasBreak)))
      .prepare(name)
  })
  return (await question.execute({ id, refundedCents }))[0]
}

/** False when it was known already. */
export async function insertBreak(tx: Db, row: typeof paymentBreaks.$inferInsert): Promise<boolean> {
  return (await tx.insert(paymentBreaks).values(row).onConflictDoNothing().returning()).length > 0
}

/** What the provider reported wrongly once and rightly now is nothing that anybody has to look at. */
export async function removeBreak(tx: Db, sessionId: string): Promise<void> {
  const question = prepareOnce(tx, 'remove_break', (name) =>
    tx
      .delete(paymentBreaks)
      .where(eq(paymentBreaks.sessionId, sql.placeholder('sessionId')))
      .prepare(name),
  )
  await question.execute({ sessionId })
}

/** Checkouts without an order because of a break that was recorded since then, newest first; a hundred at most. */
export async function listReviewedCheckouts(db: Db, since: Date): Promise<CheckoutRow[]> {
  const rows = await db
    .select({ checkout: checkouts })
    .from(paymentBreaks)
    .innerJoin(checkouts, eq(checkouts.id, paymentBreaks.checkoutId))
    .where(and(eq(checkouts.state, 'review'), gt(paymentBreaks.createdAt, since)))
    .orderBy(desc(paymentBreaks.createdAt))
    .limit(100)
  return rows.map(({ checkout }) => checkout)
}

/** By `_id` or by payment id; a deleted order does not exist. */
export async function findOrder(
  db: Db,
  id: string,
): Promise<{ row: OrderRow; lines: LineRow[] } | undefined> {
  const rows = await db
    .select()
    .from(orders)
    .where(and(or(eq(orders.id, id), eq(orders.paymentId, id)), isNull(orders.deletedAt)))
  const row = rows[0]
  if (!row) return undefined
  return { row, lines: await linesOf(db, row.id) }
}

export async function linesOf(db: Db, orderId: string): Promise<LineRow[]> {
  return db.select().from(orderLines).where(eq(orderLines.orderId, orderId)).orderBy(asc(orderLines.position))
}

export function orderReply(row: OrderRow, lines: LineRow[]): Order {
  return {
    _id: row.id,
    orderId: row.paymentId,
    email: row.email,
    userId: row.userId,
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
