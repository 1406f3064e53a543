import { and, asc, desc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { holdUser } from '#shop/accounts/server/store.ts'
import type { PaymentBreak } from '#shop/orders/contract.ts'
import type { Db } from '#shop/platform/database.ts'
import { notFound, notSignedIn } from '#shop/platform/errors.ts'
import type { Paging } from '#shop/platform/page-window.ts'
import { prepareOnce, transaction } from '#shop/platform/statements.ts'
import { checkouts, paymentBreaks, type CheckoutRow } from './tables.ts'

/** Condition: an admin still has to look at it. */
export const isOpenBreak = and(isNull(paymentBreaks.closedAt), isNull(paymentBreaks.givenBackAt))

/** Returns false for a known break. One that was marked as given back is reopened: its refund has failed. */
export async function insertBreak(tx: Db, row: typeof paymentBreaks.$inferInsert): Promise<boolean> {
  const opened = await tx
    .insert(paymentBreaks)
    .values(row)
    .onConflictDoUpdate({
      target: paymentBreaks.sessionId,
      set: { ...row, givenBackAt: null, closedAt: null },
      setWhere: isNotNull(paymentBreaks.givenBackAt),
    })
    .returning({ sessionId: paymentBreaks.sessionId })
  return opened.length > 0
}

/** Nobody has to look at the break any more; its row stays for the books. */
export async function markGivenBack(tx: Db, sessionId: string): Promise<void> {
  await tx
    .update(paymentBreaks)
    .set({ givenBackAt: sql`now()` })
    .where(and(eq(paymentBreaks.sessionId, sessionId), isNull(paymentBreaks.givenBackAt)))
}

/** Whether an admin has settled by hand what was paid in this session. */
export async function isClosedBreak(tx: Db, sessionId: string): Promise<boolean> {
  const closed = and(eq(paymentBreaks.sessionId, sessionId), isNotNull(paymentBreaks.closedAt))
  return (
    (await tx.select({ sessionId: paymentBreaks.sessionId }).from(paymentBreaks).where(closed)).length > 0
  )
}

/** Once the provider reports a payment as it was recorded, its break is of no use to anybody. */
export async function removeBreak(tx: Db, sessionId: string): Promise<void> {
  const statement = prepareOnce(tx, 'remove_break', (name) =>
    tx
      .delete(paymentBreaks)
      .where(eq(paymentBreaks.sessionId, sql.placeholder('sessionId')))
      .prepare(name),
  )
  await statement.execute({ sessionId })
}

export async function listBreaks(
  db: Db,
  { page, limit }: Paging,
): Promise<{ breaks: PaymentBreak[]; total: number }> {
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(paymentBreaks)
      .where(isOpenBreak)
      .orderBy(desc(paymentBreaks.createdAt), asc(paymentBreaks.sessionId))
      .limit(limit)
      .offset((page - 1) * limit),
    db.$count(paymentBreaks, isOpenBreak),
  ])
  const breaks = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
  return { breaks, total }
}

/**
 * Takes a break off the list and records who closed it; one that is closed already stays as it is. The row stays,
 * so that the same session does not come up again.
 *
 * @throws ShopError 401 when the admin's account is gone; 404 for an unknown break, or one whose money was given back
 */
export async function closeBreak(
  db: NodePgDatabase,
  sessionId: string,
  adminId: string,
): Promise<{ sessionId: string; closedAt: string }> {
  return transaction(db, async (tx) => {
    const admin = await holdUser(tx, adminId)
    if (!admin) throw notSignedIn()
    const isIt = eq(paymentBreaks.sessionId, sessionId)
    await tx
      .update(paymentBreaks)
      .set({ closedAt: sql`now()`, closedById: admin.id, closedByName: admin.username })
      .where(and(isIt, isOpenBreak))
    const [row] = await tx.select({ closedAt: paymentBreaks.closedAt }).from(paymentBreaks).where(isIt)
    if (!row?.closedAt) throw notFound()
    return { sessionId, closedAt: row.closedAt.toISOString() }
  })
}

/** Checkouts under review whose break is open and was recorded since then, newest first; a hundred at most. */
export async function listReviewedCheckouts(db: Db, since: Date): Promise<CheckoutRow[]> {
  const rows = await db
    .select({ checkout: checkouts })
    .from(paymentBreaks)
    .innerJoin(checkouts, eq(checkouts.id, paymentBreaks.checkoutId))
    .where(and(eq(checkouts.state, 'review'), isOpenBreak, gt(paymentBreaks.createdAt, since)))
    .orderBy(desc(paymentBreaks.createdAt))
    .limit(100)
  return rows.map(({ checkout }) => checkout)
}
