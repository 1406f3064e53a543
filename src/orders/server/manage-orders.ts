import { asc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { holdUser } from '#shop/accounts/server/store.ts'
import type { Order, StatusChange } from '#shop/orders/contract.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { laterThan } from '#shop/platform/columns.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { isOutdated, notFound, notSignedIn, stale } from '#shop/platform/errors.ts'
import { newId } from '#shop/platform/ids.ts'
import { transaction } from '#shop/platform/statements.ts'
import { isOrder, linesOf, orderReply, type OrderRow } from './store.ts'
import { orders, orderStatusChanges } from './tables.ts'

type Change = {
  status: OrderStatus
  adminId: string
  /** `If-Match`: the version of the order that the admin saw. */
  ifMatch: string | undefined
}

/**
 * Sets the status and records which admin did it.
 *
 * @throws ShopError 401 if the admin is gone, 404, or 412 `stale` when the order has changed since the admin saw
 *   it
 */
export async function changeStatus(db: NodePgDatabase, id: string, change: Change): Promise<Order> {
  return transaction(db, async (tx) => {
    const admin = await holdUser(tx, change.adminId)
    if (!admin) throw notSignedIn()
    const before = (await tx.select().from(orders).where(isOrder(id)).for('no key update'))[0]
    if (!before) throw notFound()
    if (isOutdated(change.ifMatch, before.updatedAt)) throw stale(await fullReply(tx, before))
    const after = await setStatus(tx, before.id, change.status)
    if (after.status !== before.status) {
      await tx.insert(orderStatusChanges).values({
        id: newId(),
        orderId: before.id,
        fromStatus: before.status,
        toStatus: after.status,
        adminId: admin.id,
        adminName: admin.username,
        createdAt: after.updatedAt,
      })
    }
    return fullReply(tx, after)
  })
}

async function setStatus(tx: Db, id: string, status: OrderStatus): Promise<OrderRow> {
  const changed = { status, updatedAt: laterThan(orders.updatedAt) }
  return onlyRow(await tx.update(orders).set(changed).where(eq(orders.id, id)).returning())
}

async function fullReply(db: Db, row: OrderRow): Promise<Order> {
  const lines = await linesOf(db, row.id)
  return { ...orderReply(row, lines), history: await listStatusChanges(db, row.id) }
}

/** Oldest first. */
export async function listStatusChanges(db: Db, orderId: string): Promise<StatusChange[]> {
  const rows = await db
    .select()
    .from(orderStatusChanges)
    .where(eq(orderStatusChanges.orderId, orderId))
    .orderBy(asc(orderStatusChanges.createdAt), asc(orderStatusChanges.id))
  return rows.map(({ fromStatus, toStatus, adminId, adminName, createdAt }) => ({
    from: fromStatus,
    to: toStatus,
    by: { _id: adminId, username: adminName },
    createdAt: createdAt.toISOString(),
  }))
}

/** The row stays for the books, and for repeated webhook events to find. Undefined when there is no such order. */
export async function deleteOrder(db: Db, id: string): Promise<{ _id: string; orderId: string } | undefined> {
  const rows = await db
    .update(orders)
    .set({ deletedAt: sql`now()` })
    .where(isOrder(id))
    .returning({ _id: orders.id, orderId: orders.paymentId })
  return rows[0]
}
