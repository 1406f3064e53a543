import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { users } from '#shop/accounts/server/tables.ts'
import { deleteOrder } from '#shop/orders/server/manage-orders.ts'
import { recordRefund } from '#shop/orders/server/store.ts'
import { orders } from '#shop/orders/server/tables.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { onlyRow } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { reviews } from '#shop/reviews/server/tables.ts'
import type { AdminStats, UserStats } from '#shop/stats/contract.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { userStats as readUserStats } from './store.ts'

type Caller = Awaited<ReturnType<typeof makeUser>>

let shop: TestApp
let admin: Caller
let customer: Caller
before(async () => {
  shop = await startTestApp()
  admin = await makeUser(shop.database.db, { role: 'admin' })
  customer = await makeUser(shop.database.db)
})
after(() => shop.close())

const adminStats = (headers: Record<string, string> = admin.headers) =>
  shop.call<{ data: AdminStats }>({ url: '/api/stats/admin-stats', headers })
const userStats = (id: string, headers: Record<string, string> = {}) =>
  shop.call<{ data: UserStats }>({ url: `/api/stats/user-stats/${id}`, headers })
const line = (productId: string, priceCents: number, quantity = 1) => ({
  productId,
  name: 'A thing',
  image: null,
  priceCents,
  quantity,
})

describe('user-stats', () => {
  test('are available only to the user themselves and to admins', async () => {
    const other = await makeUser(shop.database.db)
    const { id } = customer.user
    assert.equal((await userStats(id)).status, 401)
    assert.equal((await userStats(id, other.headers)).status, 403)
    assert.equal((await userStats('unknown', other.headers)).status, 403)
    assert.equal((await userStats('unknown', admin.headers)).status, 404)
    const nothing = { totalPayments: 0, totalReviews: 0, totalPurchadedProducts: 0 }
    for (const { headers } of [admin, customer])
      assert.deepEqual((await userStats(id, headers)).body.data, nothing)
  })

  test('add up payments minus refunds, and count reviews and distinct products, without deleted orders', async () => {
    const { db } = shop.database
    const { user, headers } = await makeUser(db)
    const of = { userId: user.id }
    await makeOrder(db, of, [line('a', 1010, 3), line('b', 99)])
    await makeOrder(db, { ...of, refundedCents: 500 }, [line('a', 1000)])
    await makeOrder(db, { ...of, deletedAt: new Date() }, [line('c', 7777)])
    await makeOrder(db, { email: user.email }, [line('d', 8888)])
    await db
      .insert(reviews)
      .values({ id: newId(), productId: (await makeProduct(db)).id, ...of, rating: 3, comment: '' })
    const expected = { totalPayments: 36.29, totalReviews: 1, totalPurchadedProducts: 2 }
    assert.deepEqual((await userStats(user.id, headers)).body.data, expected)
  })

  test('read only the user’s own order lines, even while the planner has no statistics of that table', async () => {
    const { db } = shop.database
    const { user } = await makeUser(db)
    for (const productId of ['a', 'b', 'b', 'c', 'c', 'd']) {
      await makeOrder(db, { userId: user.id }, [line(productId, 100)])
    }
    const { id } = await makeOrder(db)
    const counted = sql`select seq_tup_read::int as "whole", idx_tup_fetch::int as "own"
      from pg_stat_xact_user_tables where relname = 'order_lines'`
    const forgotten = db.transaction(async (tx) => {
      await tx.execute(sql`insert into order_lines (order_id, position, product_id, name, price_cents, quantity)
        select ${id}, n, 'other', 'A thing', 100, 1 from generate_series(1000, 20000) as n`)
      // With statistics of the orders but not of their lines, the planner prefers to read all lines.
      await tx.execute(sql`analyze orders`)
      await tx.execute(sql`update pg_class set reltuples = -1, relpages = 0 where relname = 'order_lines'`)
      const { rows: before } = await tx.execute(counted)
      assert.equal((await readUserStats(tx, user.id)).totalPurchadedProducts, 4)
      const { rows: after } = await tx.execute<{ own: number }>(counted)
      assert.deepEqual(after, [{ ...before[0], own: Number(before[0]?.own) + 6 }])
      throw new Error('as it was')
    })
    await assert.rejects(forgotten, { message: 'as it was' })
  })
})

describe('admin-stats', () => {
  test('are available to admins only', async () => {
    assert.equal((await adminStats({})).status, 401)
    assert.equal((await adminStats(customer.headers)).status, 403)
  })

  test('give monthly earnings for exactly the current UTC year, and totals for all years', async () => {
    const { db } = shop.database
    const year = new Date().getUTCFullYear()
    const before = (await adminStats()).body.data
    const moments = [`${year - 1}-12-31T23:59:59.999Z`, `${year}-01-01T00:00:00Z`, `${year}-12-31T23:59:59Z`]
    for (const [index, moment] of [...moments, `${year + 1}-01-01T00:00:00Z`].entries()) {
      await makeOrder(db, { createdAt: new Date(moment), amountCents: 10 ** index })
    }
    const { data } = (await adminStats()).body
    const gained = data.monthlyEarnings.map(({ month, earnings }, index) => {
      assert.equal(month, index + 1)
      return Math.round((earnings - (before.monthlyEarnings[index]?.earnings ?? 0)) * 100)
    })
    assert.deepEqual(gained, [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100])
    assert.equal(Math.round((data.totalEarnings - before.totalEarnings) * 100), 1111)
    assert.equal(data.totalOrders - before.totalOrders, 4)
  })

  test('equal a full recount after thousands of random concurrent operations', async () => {
    const operation = fc.record({
      kind: fc.constantFrom(...kinds),
      chance: fc.nat(),
      amountCents: fc.integer({ min: 50, max: 99_999_999 }),
      status: fc.constantFrom(...orderStatuses),
      daysAgo: fc.integer({ min: 0, max: 800 }),
    })
    const batch = fc.array(operation, { minLength: 100, maxLength: 200 })
    const property = fc.asyncProperty(batch, async (operations) => {
      const queue = operations.values()
      await Promise.all(Array.from({ length: 8 }, () => runAll(queue)))
      assert.deepEqual((await adminStats()).body.data, await recount())
    })
    await fc.assert(property, { numRuns: 20, endOnFailure: true })
  })

  test('equal a full recount after orders, reviews and products are truncated', async () => {
    await shop.database.db.execute(sql`truncate orders, reviews, products cascade`)
    const { data } = (await adminStats()).body
    assert.deepEqual(data, await recount())
    assert.deepEqual(
      [data.totalOrders, data.totalEarnings, data.totalProducts, data.totalReviews],
      [0, 0, 0, 0],
    )
  })
})

const kinds = [
  'order',
  'order',
  'order',
  'refund',
  'refund',
  'status',
  'status',
  'delete',
  'restore',
  'erase',
  'move',
  'many',
  'user',
  'noUser',
  'product',
  'noProduct',
  'review',
  'noReview',
] as const
type Operation = {
  kind: (typeof kinds)[number]
  chance: number
  amountCents: number
  status: (typeof orderStatuses)[number]
  daysAgo: number
}

const made = { orders: [] as string[], users: [] as string[], products: [] as string[] }

async function runAll(queue: Iterable<Operation>): Promise<void> {
  for (const operation of queue) await run(operation)
}

/** What the shop does to these tables, and what somebody at a console might. */
async function run({ kind, chance, amountCents, status, daysAgo }: Operation): Promise<void> {
  const { db } = shop.database
  const createdAt = new Date(Date.now() - daysAgo * 86_400_000)
  const one = (ids: string[]) => ids[chance % ids.length] ?? 'none'
  const id = one(made.orders)
  switch (kind) {
    case 'order':
      made.orders.push((await makeOrder(db, { amountCents, status, createdAt, userId: null })).id)
      return
    case 'refund': {
      const row = (await db.select().from(orders).where(eq(orders.id, id)))[0]
      if (row) await recordRefund(db, row, chance % (row.amountCents + 1))
      return
    }
    case 'status':
      await db.update(orders).set({ status }).where(eq(orders.id, id))
      return
    case 'delete':
      await deleteOrder(db, id)
      return
    case 'restore':
      await db.update(orders).set({ deletedAt: null }).where(eq(orders.id, id))
      return
    case 'erase':
      await db.execute(sql`with gone as (delete from order_lines where order_id = ${id}) select`)
      await db.delete(orders).where(eq(orders.id, id))
      return
    case 'move':
      await db.update(orders).set({ createdAt }).where(eq(orders.id, id))
      return
    case 'many':
      // Locks the rows in one order, or two of these would wait for each other.
      await db.execute(sql`
        update orders set status = ${status}, refunded_cents = 0
        where id in (select id from orders where md5(id) < '2' order by id for update)`)
      return
    case 'user':
      made.users.push((await makeUser(db)).user.id)
      return
    case 'noUser':
      await db.delete(users).where(eq(users.id, one(made.users)))
      return
    case 'product':
      made.products.push((await makeProduct(db)).id)
      return
    case 'noProduct':
      await db.execute(sql`update products set deleted_at = now() where id = ${one(made.products)}`)
      return
    case 'review':
      await db.execute(sql`
        insert into reviews (id, product_id, user_id, rating, comment)
        select ${newId()}, id, ${customer.user.id}, 4, '' from products where id = ${one(made.products)}
        on conflict (product_id, user_id) do update set rating = 5`)
      return
    case 'noReview':
      await db.delete(reviews).where(eq(reviews.productId, one(made.products)))
  }
}

/** Computes the same figures from the rows themselves. */
async function recount(): Promise<AdminStats> {
  const { rows } = await shop.database.db.execute<Record<string, number>>(sql`
    select
      (select coalesce(sum(amount_cents - refunded_cents), 0)::float8 from orders where deleted_at is null) as earned,
      (select count(*)::int from orders where deleted_at is null) as orders,
      (select count(*)::int from users) as users,
      (select count(*)::int from products where deleted_at is null) as products,
      (select count(*)::int from reviews) as reviews`)
  const months = await shop.database.db.execute<{ month: number; cents: number }>(sql`
    select extract(month from created_at)::int as month, sum(amount_cents - refunded_cents)::float8 as cents
    from orders where deleted_at is null and extract(year from created_at) = extract(year from now()) group by 1`)
  const { earned = 0, ...counts } = onlyRow(rows)
  return {
    totalEarnings: earned / 100,
    totalOrders: counts.orders ?? 0,
    totalUsers: counts.users ?? 0,
    totalProducts: counts.products ?? 0,
    totalReviews: counts.reviews ?? 0,
    monthlyEarnings: Array.from({ length: 12 }, (_, index) => ({
      month: index + 1,
      earnings: (months.rows.find(({ month }) => month === index + 1)?.cents ?? 0) / 100,
    })),
  }
}
