import { and, asc, count, desc, eq, inArray, isNull, like, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ListOrders, Order, PaymentBreak } from '#shop/orders/contract.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { idsOfPage } from '#shop/platform/page-window.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
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
  const counted = { list: 'orders', kind: status } as const
  const ids = await idsOfPage(db, { rows: orders, matches, paging: { ...paging, total }, counted })
  return { orders: await ordersIn(db, inArray(orders.id, ids)), total }
}

/** By the user's id, not by the e-mail on the order: that one was typed at the provider, by anybody. */
export async function listOrdersOfUser(
  db: Db,
  userId: string,
  paging: Paging,
): Promise<{ orders: Order[]; total: number }> {
  const matches = and(eq(orders.userId, userId), isNull(orders.deletedAt))
  const total = await countWhere(db, matches)
  const ids = await idsOfPage(db, { rows: orders, matches, paging: { ...paging, total } })
  return { orders: await ordersIn(db, inArray(orders.id, ids)), total }
}

/** Whole, newest first. */
async function ordersIn(db: Db, isOne: SQL): Promise<Order[]> {
  const rows = await db
    .select()
    .from(orders)
    .where(isOne)
    .orderBy(...newestFirst)
  const lines = await prepareOnce(db, 'lines_of_orders', (name) =>
    db
      .select()
      .from(orderLines)
      .where(sql`${orderLines.orderId} = any(${sql.placeholder('ids')})`)
      .orderBy(asc(orderLines.position))
      .prepare(name),
  ).execute({ ids: rows.map(({ id }) => id) })
  const byOrder = Map.groupBy(lines, ({ orderId }) => orderId)
  return rows.map((row) => orderReply(row, byOrder.get(row.id) ?? []))
}

const newestFirst = [desc(orders.createdAt), asc(orders.id)]

type Search = Paging & { matches: SQL | undefined; search: string }
type Found = { total: number; ids: string[] }

/** A search finds so many, the newest: more could be counted only by reading them all. */
const mostFound = 500
/** What fewer begin with is read by its index. */
const rare = 300
/** Of what more begin with some are among the newest: so many of those are looked at. */
const nearby = 5000
const enough = 24
/** Of what many have, but none of the newest, so many are collected and put in order; all of it would take too long. */
const mostCollected = 5000

async function findOrders(db: Db, search: Search): Promise<Found> {
  const { matches } = search
  const looked = sql`(select count(*) from begun)::float8`
  const few = await readFound(db, search, beginningSo(search, rare), looked)
  if (few.looked < rare) return few
  const near = await readFound(
    db,
    { ...search, matches: beginsWith(search) },
    sql`select ${asFound} from ${orders} where ${matches} order by ${newest} limit ${nearby}`,
  )
  return near.total >= enough ? near : readFound(db, search, beginningSo(search, mostCollected))
}

const newest = sql.join(newestFirst, sql`, `)

/** What orders are searched and listed by; one index has it all. */
const asFound = sql`id, created_at, status, email, payment_id`

/** The newest of some orders that match; whoever does not ask how many were looked at has none read beyond those found. */
async function readFound(
  db: Db,
  { matches, page, limit }: Search,
  some: SQL,
  looked = sql`0`,
): Promise<Found & { looked: number }> {
  const { rows } = await db.execute<Found & { looked: number }>(sql`
    with begun as (${some}),
    found as materialized (select id from begun as ${orders} where ${matches} order by ${newest} limit ${mostFound})
    select (select count(*) from found)::float8 as total, ${looked} as looked,
      array(select id from found offset ${(page - 1) * limit} limit ${limit}) as ids`)
  return onlyRow(rows)
}

/** The first `most` of each index, in its order: else the database may look up all that begin so before it reads any. */
function beginningSo(search: Search, most: number): SQL {
  const pieces = waysToBegin(search).map(
    ({ has, by }) => sql`(
      select id, created_at, status, deleted_at from ${orders} where ${has}
      order by ${by} using ~<~ limit ${most}::int
    )`,
  )
  return sql.join(pieces, sql` union `)
}

const beginsWith = (search: Search) => or(...waysToBegin(search).map(({ has }) => has))

function waysToBegin({ search }: Search): { has: SQL; by: SQL }[] {
  const pattern = `${literally(search)}%`
  const [id, paymentId, email] = [sql`${orders.id}`, sql`${orders.paymentId}`, sql`lower(${orders.email})`]
  return [
    { by: id, has: eq(id, search) },
    { by: paymentId, has: like(paymentId, pattern) },
    { by: email, has: like(email, pattern.toLowerCase()) },
  ]
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
