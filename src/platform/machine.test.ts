import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailable } from '#shop/platform/errors.ts'
import { fullDiskOf } from '#shop/platform/room-on-disk.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { lockTable } from '#shop/testing/lock-table.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

async function postReview(shop: TestApp, productId: string, headers: Record<string, string>) {
  const payload = { productId, rating: 4, comment: 'Fits.' }
  return shop.call({ method: 'POST', url: '/api/reviews/post-review', payload, headers })
}

for (const [what, code, reason] of [
  ['full disk', '53100', 'No space left on device'],
  ['failing disk', '58030', 'Input/output error'],
] as const) {
  test(`a ${what}: writes get 503 and a log line, reads go on, and writes work again afterwards`, async () => {
    const shop = await startTestApp()
    const { pool, db } = shop.database
    const { id } = await makeProduct(db)
    const { headers } = await makeUser(db)
    await pool.query(`create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: ${reason}' using errcode = '${code}'; end $$`)
    await pool.query(
      'create trigger full_disk before insert on reviews for each row execute function full_disk()',
    )
    const refused = await postReview(shop, id, headers)
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    const line = shop.logged.find(({ reqId }) => reqId === refused.headers['x-request-id'])
    assert.match(String(line?.reason), new RegExp(reason))
    assert.equal((await shop.call({ method: 'GET', url: `/api/products/${id}` })).status, 200)
    await pool.query('drop trigger full_disk on reviews')
    assert.equal((await postReview(shop, id, headers)).status, 201)
    await shop.close()
  })
}

test('a full disk is recognized as the cause of a failed query, whichever part reported it', () => {
  const found = [
    // From a server whose messages are in another language.
    Object.assign(new Error('Auf dem Gerät ist kein Platz mehr'), { code: '53100' }),
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    unavailable('storage_full', 'There is no room for more pictures right now.'),
    new Error('could not write lock file: No space left on device'),
  ]
  for (const each of found) {
    const expected = `a disk is full (${each.message}): make room on it`
    assert.equal(fullDiskOf(new Error('Failed query', { cause: each })), expected)
  }
  assert.equal(fullDiskOf(new Error('Failed query', { cause: new Error('no such column') })), undefined)
})

test('a shop closed under load answers all received requests and accepts no new connections', async () => {
  const shop = await startTestApp()
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  await using orders = await lockTable(shop.database, 'orders')
  let received = 0
  const allReceived = new Promise<void>((resolve) => {
    shop.app.server.on('request', () => (received += 1) === 30 && resolve())
  })
  const answers = Array.from({ length: 30 }, () => fetch(`${shop.url}/api/orders/`, { headers }))
  await allReceived
  const closed = shop.app.close()
  await orders.release()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(
    statuses,
    Array.from({ length: 30 }, () => 200),
  )
  await closed
  await assert.rejects(fetch(`${shop.url}/health`))
  await shop.close()
})
