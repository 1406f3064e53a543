import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AdminStats } from '#shop/stats/contract.ts'
import { makeUser } from './factories.ts'
import { fillShop } from './fill.ts'
import { startTestApp, type TestApp } from './test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

test('a filled shop has what was asked for, and its lists and totals know it', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  await fillShop(shop.database.db, { products: 60, orders: 2500, users: 40 }, () => {})

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
})
