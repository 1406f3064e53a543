import { and, asc, count, desc, eq, inArray, isNull, like, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ListOrders, Order, PaymentBreak } from '#shop/orders/contract.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { windowOf, type Window } from '#shop/platform/page-window.ts'
import { orderReply } from './store.ts'
import { orderLines, orders, orderTotals, paymentBreaks } from './tables.ts'

type Paging = { page: number; limit: number }

export async function listOrders(
  db: Db,
  { status, search, ...paging }: z.output<ListOrders['query']>,
): Promise<{ orders: Order[]; total: number }> {
  const matches = and(
    isNull(orders.deletedAt),
    status && eq(orders.status, status),
    search ? beginsWith(search) : undefined,
  )
  const total = await (search ? countFound(db, matches) : countAll(db, status))
  const window = windowOf({ ...paging, total })
  if (search) {
    const { isFromEnd, offset, limit } = window
    // A search ends where its count ended, so its last pages are counted from the front.
    const start = isFromEnd ? total - offset - limit : offset
    return { orders: await ordersWhere(db, matches, { isFromEnd: false, offset: start, limit }), total }
  }
  const near = await withinMonth(db, { status, window, total })
  return { orders: await ordersWhere(db, and(matches, near.where), near.window), total }
}

/** By the user's id, not by the e-mail on the order: that one was typed at the provider, by anybody. */
export async function listOrdersOfUser(
  db: Db,
  userId: string,
  paging: Paging,
): Promise<{ orders: Order[]; total: number }> {
  const matches = and(eq(orders.userId, userId), isNull(orders.deletedAt))
  const total = await countWhere(db, matches)
  return { orders: await ordersWhere(db, matches, windowOf({ ...paging, total })), total }
}

/** Newest first. */
async function ordersWhere(db: Db, matches: SQL | undefined, window: Window): Promise<Order[]> {
  const { isFromEnd, offset, limit } = window
  if (limit === 0) return []
  // Ids alone come from an index; whole rows are read only for the page.
  const page = db
    .select({ id: orders.id })
    .from(orders)
    .where(matches)
    .orderBy(...(isFromEnd ? oldestFirst : newestFirst))
    .limit(limit)
    .offset(offset)
  const rows = await db
    .select()
    .from(orders)
    .where(inArray(orders.id, page))
    .orderBy(...newestFirst)
  const lines = await db
    .select()
    .from(orderLines)
    .where(
      inArray(
        orderLines.orderId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(orderLines.position))
  const byOrder = Map.groupBy(lines, ({ orderId }) => orderId)
  return rows.map((row) => orderReply(row, byOrder.get(row.id) ?? []))
}

const newestFirst = [desc(orders.createdAt), asc(orders.id)]
const oldestFirst = [asc(orders.createdAt), desc(orders.id)]

/** So many entries of an index are passed over in less time than a further question takes. */
const shortWalk = 1000

/**
 * The same page, counted from the nearer end of its month: how many orders each month has is kept (see `orderTotals`),
 * so that those before it need not be walked past.
 */
async function withinMonth(
  db: Db,
  { status, window, total }: { status: OrderStatus | undefined; window: Window; total: number },
): Promise<{ where: SQL | undefined; window: Window }> {
  const { isFromEnd, offset, limit } = window
  if (offset <= shortWalk) return { where: undefined, window }
  const before = isFromEnd ? total - offset - limit : offset
  const { rows } = await db.execute<{ month: string; skipped: number; inMonth: number }>(sql`
    select month::text, (${before} - earlier)::float8 as skipped, orders::float8 as "inMonth"
    from (
      select month, sum(orders) as orders, sum(sum(orders)) over (order by month desc) - sum(orders) as earlier
      from ${orderTotals} where ${status ? eq(orderTotals.status, status) : sql`true`} group by month
    ) as each
    where earlier <= ${before} order by month limit 1`)
  const found = rows[0]
  if (!found) return { where: undefined, window }
  const { skipped, inMonth } = found
  const monthStart = sql`(${found.month}::date)::timestamp at time zone 'UTC'`
  const left = inMonth - skipped - limit
  if (left >= 0 && left < skipped) {
    return {
      where: sql`${orders.createdAt} >= ${monthStart}`,
      window: { isFromEnd: true, offset: left, limit },
    }
  }
  const nextMonth = sql`(${found.month}::date + interval '1 month')::timestamp at time zone 'UTC'`
  return {
    where: sql`${orders.createdAt} < ${nextMonth}`,
    window: { isFromEnd: false, offset: skipped, limit },
  }
}

/** From indexes, so that it is as quick with a million orders. */
function beginsWith(search: string): SQL | undefined {
  const pattern = `${literally(search)}%`
  return or(
    eq(orders.id, search),
    like(orders.paymentId, pattern),
    like(sql`lower(${orders.email})`, pattern.toLowerCase()),
  )
}

async function countWhere(db: Db, matches: SQL | undefined): Promise<number> {
  return onlyRow(await db.select({ all: count() }).from(orders).where(matches)).all
}

/** A search finds so many, the newest: more could be counted only by reading them all. */
const mostFound = 500

async function countFound(db: Db, matches: SQL | undefined): Promise<number> {
  const found = db.select({ id: orders.id }).from(orders).where(matches).limit(mostFound)
  return onlyRow(await db.select({ all: count() }).from(found.as('found'))).all
}

async function countAll(db: Db, status: OrderStatus | undefined): Promise<number> {
  const rows = await db
    .select({ all: sql<number>`coalesce(sum(${orderTotals.orders}), 0)::float8` })
    .from(orderTotals)
    .where(status && eq(orderTotals.status, status))
  return onlyRow(rows).all
}

export async function listBreaks(
  db: Db,
  { page, limit }: Paging,
): Promise<{ breaks: PaymentBreak[]; total: number }> {
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(paymentBreaks)
      .orderBy(desc(paymentBreaks.createdAt), asc(paymentBreaks.sessionId))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ all: count() }).from(paymentBreaks),
  ])
  const breaks = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
  return { breaks, total: onlyRow(total).all }
}
