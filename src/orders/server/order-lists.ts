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
  const matches = and(isNull(orders.deletedAt), status && eq(orders.status, status))
  if (search) {
    const { total, ids } = await findOrders(db, { matches, search, ...paging })
    return { orders: ids.length > 0 ? await ordersIn(db, inArray(orders.id, ids)) : [], total }
  }
  const total = await countAll(db, status)
  const near = await withinMonth(db, { status, window: windowOf({ ...paging, total }), total })
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
  return ordersIn(db, inArray(orders.id, page))
}

/** Whole, newest first. */
async function ordersIn(db: Db, isOne: SQL): Promise<Order[]> {
  const rows = await db
    .select()
    .from(orders)
    .where(isOne)
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

type Found = { total: number; ids: string[] }

/** A search finds so many, the newest: more could be counted only by reading them all. */
const mostFound = 500
/** So many of the newest are looked at first. What many orders begin with is among them, and the rest have an index. */
const nearby = 5000
const enough = 24

async function findOrders(
  db: Db,
  { matches, search, page, limit }: Paging & { matches: SQL | undefined; search: string },
): Promise<Found> {
  const newest = sql`order by ${sql.join(newestFirst, sql`, `)}`
  const read = async (from: SQL) => {
    const { rows } = await db.execute<Found>(sql`
      with found as materialized (
        select id from (select * from ${orders} where ${from}) as ${orders}
        where ${beginsWith(search)} ${newest} limit ${mostFound}
      )
      select (select count(*) from found)::float8 as total,
        array(select id from found offset ${(page - 1) * limit} limit ${limit}) as ids`)
    return onlyRow(rows)
  }
  const found = await read(sql`${matches} ${newest} limit ${nearby}`)
  if (found.total >= enough) return found
  // Collected first and put in order then: "offset 0" keeps the database from reading in order instead.
  return read(sql`${and(matches, beginsWith(search))} offset 0`)
}

/** As it is indexed. */
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
