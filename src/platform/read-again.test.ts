import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eq } from 'drizzle-orm'
import { reviews } from '#shop/reviews/server/tables.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { loseConnections } from '#shop/testing/lost-connections.ts'
import { startTestApp, type Answer, type TestApp } from '#shop/testing/test-app.ts'
import { isConnectionLost, isDatabaseUnavailable } from './database-errors.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

type Call = Parameters<TestApp['call']>[0]

/** Makes a call that finds the table locked, and ends its connection `times` times. */
async function lose<T>(call: Call, table: string, times = 1): Promise<Answer<T>> {
  const { answer, ended } = await loseConnections(shop.database.pool, {
    lock: `lock table ${table} in access exclusive mode`,
    work: () => shop.call<T>(call),
    times,
  })
  assert.equal(ended, times)
  return answer
}

test('a GET request whose database connection is lost once still succeeds', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  assert.equal((await lose({ url: '/api/orders/', headers }, 'order_totals')).status, 200)
})

test('ENOENT means an unavailable database only when connecting, not when opening a file', () => {
  const missing = (syscall: string) => Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall })
  for (const isWhatItSeems of [isConnectionLost, isDatabaseUnavailable]) {
    assert.equal(isWhatItSeems(missing('open')), false)
    assert.equal(isWhatItSeems(missing('connect')), true)
  }
})

test('a connect without free file descriptors means an unavailable database, not a lost connection', () => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const left = (syscall: string) => Object.assign(new Error(code), { code, syscall })
    assert.equal(isDatabaseUnavailable(new Error('query', { cause: left('connect') })), true)
    assert.equal(isDatabaseUnavailable(left('open')), false)
    assert.equal(isConnectionLost(left('connect')), false)
  }
})

test('a GET request still succeeds when the connection is lost during its session lookup', async () => {
  const { headers, user } = await makeUser(shop.database.db)
  const { status, body } = await lose({ url: '/api/auth/me', headers }, 'sessions')
  assert.equal(status, 200)
  assert.match(JSON.stringify(body), new RegExp(user.id))
})

test('a GET request whose database connection is lost twice gets 503', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  assert.equal((await lose({ url: '/api/orders/', headers }, 'order_totals', 2)).status, 503)
})

test('a POST whose database connection is lost gets 503, and a retry leaves exactly one review', async () => {
  const { headers } = await makeUser(shop.database.db)
  const { id } = await makeProduct(shop.database.db)
  const payload = { productId: id, rating: 4, comment: 'Fits.' }
  const call = { method: 'POST', url: '/api/reviews/post-review', payload, headers } as const
  assert.equal((await lose(call, 'reviews')).status, 503)
  const written = await shop.database.db.select().from(reviews).where(eq(reviews.productId, id))
  assert.ok(written.length <= 1)
  // After a second try there is exactly one.
  assert.ok([200, 201].includes((await shop.call(call)).status))
  const again = await shop.database.db.select().from(reviews).where(eq(reviews.productId, id))
  assert.equal(again.length, 1)
})
