import { and, asc, desc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ListOrders, Order } from '#shop/orders/contract.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { escapeForLike, onlyRow, type Db } from '#shop/platform/database.ts'
import { idsOfPage, type Paging } from '#shop/platform/page-window.ts'
import { queryPrepared, typedPlaceholder } from '#shop/platform/statements.ts'
import { orderReply } from './store.ts'
import { orderLines, orders, orderTotals } from './tables.ts'

export async function listOrders(
  db: Db,
  { status, search, ...paging }: z.output<ListOrders['query']>,
): Promise<{ orders: Order[]; total: number }> {
  if (search) {
    const { total, ids } = await findOrders(db, { status, search, ...paging })
    return { orders: ids.length > 0 ? await ordersIn(db, inArray(orders.id, ids)) : [], total }
  }
  const matches = and(isNull(orders.deletedAt), status && eq(orders.status, status))
  const total = await countAll(db, status)
  const counted = { list: 'orders', kind: status } as const
  const ids = await idsOfPage(db, { rows: orders, matches, paging: { ...paging, total }, counted })
  return { orders: await ordersIn(db, inArray(orders.id, ids)), total }
}

/** By the user's id, not by the order's e-mail, which anybody can type in at the provider. */
export async function listOrdersOfUser(
  db: Db,
  userId: string,
  paging: Paging,
): Promise<{ orders: Order[]; total: number }> {
  const matches = and(eq(orders.userId, userId), isNull(orders.deletedAt))
  const total = await db.$count(orders, matches)
  const ids = await idsOfPage(db, { rows: orders, matches, paging: { ...paging, total } })
  return { orders: await ordersIn(db, inArray(orders.id, ids)), total }
}

/** Complete orders with their lines, newest first. */
async function ordersIn(db: Db, condition: SQL): Promise<Order[]> {
  const rows = await db
    .select()
    .from(orders)
    .where(condition)
    .orderBy(...newestFirst)
  // A lateral join looks up each order's lines in the index: without statistics, the planner would read them all.
  const lines = await queryPrepared<typeof orderLines.$inferSelect>(
    db,
    'lines of orders',
    () => sql`
      select order_id as "orderId", position, product_id as "productId", name, image, price_cents as "priceCents", quantity
      from unnest(${typedPlaceholder('ids', 'text[]')}) as wanted(id)
        cross join lateral (select * from ${orderLines} where order_id = wanted.id offset 0) as own
      order by position`,
    { ids: rows.map(({ id }) => id) },
  )
  const byOrder = Map.groupBy(lines, ({ orderId }) => orderId)
  return rows.map((row) => orderReply(row, byOrder.get(row.id) ?? []))
}

const newestFirst = [desc(orders.createdAt), asc(orders.id)]

type Search = Paging & { status: OrderStatus | undefined; search: string }
type Found = { total: number; ids: string[] }

/** A search finds at most this many orders, the newest: to count more, it would have to read them all. */
const mostMatches = 500
/** At most this many entries with the prefix are read from each index: more would take too long. */
const mostRead = 3000
/** When more entries have the prefix, some are among the newest orders: this many of those are searched first. */
const mostNewestSearched = 2500
const enoughNewestMatches = 24

/** If very many orders have the prefix, not all of them are looked at. */
async function findOrders(db: Db, { status, search, page, limit }: Search): Promise<Found> {
  const rows = await queryPrepared<Found>(
    db,
    `orders found ${status ? 'of a status' : ''}`,
    () => {
      const isOfStatus = status ? sql`status = ${typedPlaceholder('status', 'text')}` : sql`true`
      return sql`
        with known(is_rare) as materialized (select ${hasFewPrefixMatches()}),
        with_prefix as (
          select * from (${firstPrefixMatches()}) as few where ${isRare}
          union all
          select * from (${newestPrefixMatches(isOfStatus)}) as many where not ${isRare}
        ),
        found as materialized (
          select id from with_prefix as ${orders} where ${isOfStatus} order by ${newest} limit ${sql.raw(`${mostMatches}`)}
        )
        select (select count(*) from found)::float8 as total,
          array(select id from found offset ${typedPlaceholder('offset', 'bigint')} limit ${typedPlaceholder('limit', 'bigint')}) as ids`
    },
    { ...searchParameters(search), status, offset: (page - 1) * limit, limit },
  )
  return onlyRow(rows)
}

const newest = sql.join(newestFirst, sql`, `)
const isNotDeleted = isNull(orders.deletedAt)

/** Whether no index has more than `mostRead` entries with the prefix, so that all of them are read. */
function hasFewPrefixMatches(): SQL | undefined {
  const haveNoMore = searchableColumns.map(
    ({ has, by }) => sql`not exists (
      select from ${orders} where ${isNotDeleted} and ${has} order by ${by} using ~<~ offset ${sql.raw(`${mostRead}`)}
    )`,
  )
  return and(...haveNoMore)
}

const isRare = sql`(select is_rare from known)`

/**
 * The first entries with the prefix in each index, in its order. An order that matches in two ways is listed for
 * the first of them only; `is not true` allows for orders without an e-mail.
 */
function firstPrefixMatches(): SQL {
  const pieces = searchableColumns.map(
    ({ has, by }, index) => sql`(
      select id, created_at, status from ${orders}
      where ${and(isNotDeleted, has, ...searchableColumns.slice(0, index).map(({ isLike }) => sql`(${isLike}) is not true`))}
      order by ${by} using ~<~ limit ${sql.raw(`${mostRead}`)}
    )`,
  )
  return sql.join(pieces, sql` union all `)
}

/**
 * Matches among the newest orders, read from one index that has all columns compared; if they are fewer than
 * `enoughNewestMatches`, also the first entries with the prefix in each index.
 */
function newestPrefixMatches(isOfStatus: SQL): SQL {
  const isLike = sql.join(
    searchableColumns.map((column) => column.isLike),
    sql` or `,
  )
  return sql`
    with near as materialized (
      select id, created_at, status from (
        select id, created_at, status, email, payment_id from ${orders}
        where ${isNotDeleted} and ${isOfStatus} order by ${newest} limit ${sql.raw(`${mostNewestSearched}`)}
      ) as ${orders}
      where ${isLike} order by ${newest} limit ${sql.raw(`${mostMatches}`)}
    )
    select * from near union
    select * from (${firstPrefixMatches()}) as others
    where (select count(*) < ${sql.raw(`${enoughNewestMatches}`)} from near)`
}

/**
 * A search as statement parameters. What has the prefix sorts before `last`: no character sorts after U+10FFFF.
 */
function searchParameters(search: string) {
  const lower = search.toLowerCase()
  const end = '\u{10ffff}'
  return {
    ...{ search, last: search + end, pattern: `${escapeForLike(search)}%` },
    ...{ lower, lastLower: lower + end, lowerPattern: `${escapeForLike(lower)}%` },
  }
}

const parameter = (name: keyof ReturnType<typeof searchParameters>) => typedPlaceholder(name, 'text')

const id = sql`${orders.id}`
const paymentId = sql`${orders.paymentId}`
const email = sql`lower(${orders.email})`
const isId = sql`${id} = ${parameter('search')}`
/**
 * Condition that a value sorts before a text. It compares rows of two, of which the second never decides: the
 * planner takes a plain range for half a percent of the table, and would sort all matches before it returns any.
 */
const comesBefore = (it: SQL, text: SQL) => sql`(${it}, '') operator(pg_catalog.~<~) (${text}, '')`
/** The ways in which an order can match: `has` is for the index on `by`, `isLike` is quicker without an index. */
const searchableColumns = [
  {
    by: email,
    has: sql`${email} ~>=~ ${parameter('lower')} and ${comesBefore(email, parameter('lastLower'))}`,
    isLike: sql`${email} like ${parameter('lowerPattern')}`,
  },
  {
    by: paymentId,
    has: sql`${paymentId} ~>=~ ${parameter('search')} and ${comesBefore(paymentId, parameter('last'))}`,
    isLike: sql`${paymentId} like ${parameter('pattern')}`,
  },
  { by: id, has: isId, isLike: isId },
]

async function countAll(db: Db, status: OrderStatus | undefined): Promise<number> {
  const rows = await db
    .select({ all: sql<number>`coalesce(sum(${orderTotals.orders}), 0)::float8` })
    .from(orderTotals)
    .where(status && eq(orderTotals.status, status))
  return onlyRow(rows).all
}
