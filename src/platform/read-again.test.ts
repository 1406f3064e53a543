import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type Answer, type TestApp } from '#shop/testing/test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

type Call = Parameters<TestApp['call']>[0]

/** A call that finds the table locked, and whose connection is ended as often, as by a server that is being stopped. */
async function lose<T>(call: Call, table: string, times = 1): Promise<Answer<T>> {
  const { pool } = shop.database
  const client = await pool.connect()
  await client.query('begin')
  await client.query(`lock table ${table} in access exclusive mode`)
  let isAnswered = false
  const answer = shop.call<T>(call).finally(() => (isAnswered = true))
  const ended = new Set<number>()
  while (ended.size < times && !isAnswered) {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    for (const { pid } of rows) ended.add(pid)
  }
  await client.query('rollback')
  client.release()
  assert.equal(ended.size, times)
  return answer
}

test('who reads while a connection to the database is lost is answered all the same', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  assert.equal((await lose({ url: '/api/orders/', headers }, 'order_totals')).status, 200)
})

test('so is who is only asked who they are', async () => {
  const { headers, user } = await makeUser(shop.database.db)
  const { status, body } = await lose({ url: '/api/auth/me', headers }, 'sessions')
  assert.equal(status, 200)
  assert.match(JSON.stringify(body), new RegExp(user.id))
})

test('once, and not for ever', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  assert.equal((await lose({ url: '/api/orders/', headers }, 'order_totals', 2)).status, 503)
})

test('who writes is told to come back: nobody knows whether it was done', async () => {
  const { headers } = await makeUser(shop.database.db)
  const { id } = await makeProduct(shop.database.db)
  const payload = { productId: id, rating: 4, comment: 'Fits.' }
  const call = { method: 'POST', url: '/api/reviews/post-review', payload, headers } as const
  assert.equal((await lose(call, 'reviews')).status, 503)
})
