import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDemoOrder } from '#shop/orders/server/demo-orders.ts'
import { orders } from '#shop/orders/server/tables.ts'
import type { AdminStats } from '#shop/stats/contract.ts'
import { makeProduct, makeUser } from './factories.ts'
import { fillShop } from './fill.ts'
import { startTestApp, type TestApp } from './test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

test('a filled shop has the requested numbers of rows, matching totals and lists, and only demo orders', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  await fillShop(shop.database.connection, { products: 60, orders: 2500, users: 40 }, () => {})

  const stats = await shop.call<{ data: AdminStats }>({ url: '/api/stats/admin-stats', headers })
  const { totalProducts, totalOrders, totalUsers, totalEarnings } = stats.body.data
  assert.deepEqual([totalProducts, totalOrders, totalUsers], [60, 2500, 41])
  const { rows } = await shop.database.pool.query<{ sold: string }>(
    'select sum(price_cents * quantity) as sold from order_lines',
  )
  assert.equal(Math.round(totalEarnings * 100), Number(rows[0]?.sold))

  const page = await shop.call<{ data: { status: string; lines: unknown[] }[] }>({
    url: '/api/orders/?status=completed&limit=20',
    headers,
  })
  assert.equal(page.status, 200)
  assert.ok(page.body.data.every(({ status, lines }) => status === 'completed' && lines.length > 0))
  // No provider knows these orders, so whatever compares the shop with a provider must skip them.
  assert.ok((await shop.database.db.select().from(orders)).every(isDemoOrder))
})

test('every one of many orders is on exactly one page, the newest on the first', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  for (const status of ['all', 'completed']) {
    const { rows } = await shop.database.pool.query<{ id: string }>(
      `select id from orders where deleted_at is null and $1 in ('all', status) order by created_at desc, id`,
      [status],
    )
    assert.ok(rows.length > 2300)
    const seen: string[] = []
    for (let page = 1; page <= Math.ceil(rows.length / 100); page += 1) {
      const url = `/api/orders/?status=${status}&page=${page}&limit=100`
      const { body } = await shop.call<{ data: { _id: string }[] }>({ url, headers })
      seen.push(...body.data.map(({ _id }) => _id))
    }
    assert.deepEqual(
      seen,
      rows.map(({ id }) => id),
    )
  }
})

test('a recount yields the same counts and blocks as the triggers have kept', async () => {
  const { db, pool } = shop.database
  for (let n = 0; n < 30; n += 1) await makeProduct(db, { priceCents: 1 + n * 997, color: 'red' })
  await pool.query(`update products set color = 'gold' where price_cents % 2 = 0`)
  const counted = async () => {
    const counts = await pool.query('select * from product_counts where products <> 0 order by 1, 2, 3, 4')
    const blocks = await pool.query(
      'select * from product_blocks where products <> 0 order by 1, 2, 3, 4, 5, 6',
    )
    const names = await pool.query(
      'select * from product_name_blocks where products <> 0 order by 1, 2, 3, 4, 5',
    )
    const ratings = await pool.query(
      `select sign, sum(products) from (
        select sign, products from whole_rating_blocks union all select sign, change from product_rating_changes
      ) as each group by sign order by sign`,
    )
    return [counts.rows, blocks.rows, names.rows, ratings.rows]
  }
  const byTriggers = await counted()
  await pool.query('select recount_products()')
  assert.deepEqual(await counted(), byTriggers)
})
