import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from './api-error.ts'
import { Idempotency } from './idempotency.ts'
import { Store } from './store.ts'
import { checkout, goodCard, makeFolder, startForTest, submit } from './testing.ts'

const hour = 60 * 60 * 1000

test('a repeated request with its key gets the same session, and another request with that key is refused', async (t) => {
  const { stripe } = await startForTest(t)
  const first = await stripe.checkout.sessions.create(checkout, { idempotencyKey: 'one' })
  const second = await stripe.checkout.sessions.create(checkout, { idempotencyKey: 'one' })
  assert.equal(second.id, first.id)
  assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined)
  assert.equal(second.lastResponse.headers['idempotent-replayed'], 'true')
  const other = { ...checkout, client_reference_id: 'checkout-2' }
  await assert.rejects(stripe.checkout.sessions.create(other, { idempotencyKey: 'one' }), {
    type: 'StripeIdempotencyError',
    statusCode: 400,
  })
  assert.equal((await stripe.checkout.sessions.list()).data.length, 1)
})

test('a key is bound to its URL and parameters in any order, and has at most 255 characters', async (t) => {
  const { practice } = await startForTest(t)
  const post = async (path: string, fields: [name: string, value: string][], key: string) => {
    const response = await fetch(`${practice.url}/v1${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { authorization: 'Bearer sk_test_1', 'idempotency-key': key },
    })
    const { id } = (await response.json()) as { id?: string }
    return { status: response.status, id }
  }
  const fields: [string, string][] = [
    ['mode', 'payment'],
    ['success_url', checkout.success_url],
    ['line_items[0][quantity]', '1'],
    ['line_items[0][price_data][currency]', 'usd'],
    ['line_items[0][price_data][unit_amount]', '1000'],
    ['line_items[0][price_data][product_data][name]', 'Shirt'],
  ]
  const first = await post('/checkout/sessions', fields, 'first')
  assert.deepEqual(await post('/checkout/sessions', fields.toReversed(), 'first'), first)
  const second = await post('/checkout/sessions', fields, 'second')
  assert.equal((await post(`/checkout/sessions/${first.id}/expire`, [], 'expire')).status, 200)
  // The same key and the same (empty) parameters, but another URL.
  assert.equal((await post(`/checkout/sessions/${second.id}/expire`, [], 'expire')).status, 400)
  assert.equal((await post('/checkout/sessions', fields, 'k'.repeat(255))).status, 200)
  assert.equal((await post('/checkout/sessions', fields, 'k'.repeat(256))).status, 400)
})

test('twenty concurrent requests with one key create one session', async (t) => {
  const { stripe } = await startForTest(t)
  const creating = Array.from({ length: 20 }, () =>
    stripe.checkout.sessions.create(checkout, { idempotencyKey: 'burst', maxNetworkRetries: 10 }),
  )
  const ids = new Set((await Promise.all(creating)).map(({ id }) => id))
  assert.equal(ids.size, 1)
  assert.equal((await stripe.checkout.sessions.list()).data.length, 1)
})

test('invalid parameters do not use up the key, but a refused refund does', async (t) => {
  const { stripe } = await startForTest(t)
  const wrong = { ...checkout, line_items: [] }
  await assert.rejects(stripe.checkout.sessions.create(wrong, { idempotencyKey: 'typo' }), {
    statusCode: 400,
  })
  const { id, url } = await stripe.checkout.sessions.create(checkout, { idempotencyKey: 'typo' })
  await submit(url, goodCard)
  const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
  const tooMuch = () =>
    stripe.refunds.create({ payment_intent, amount: 99_999 }, { idempotencyKey: 'refund' })
  await assert.rejects(tooMuch, { statusCode: 400 })
  await assert.rejects(tooMuch, (error: { headers: Record<string, string> }) => {
    return error.headers['idempotent-replayed'] === 'true'
  })
})

test('keys survive restarts and expire after a day', async (t) => {
  let now = Date.now()
  const before = await startForTest(t, { now: () => now })
  const first = await before.stripe.checkout.sessions.create(checkout, { idempotencyKey: 'kept' })
  await before.practice.close()
  now += 22 * hour
  const between = await startForTest(t, { folder: before.folder, now: () => now })
  await between.practice.close()
  now += hour
  const after = await startForTest(t, { folder: before.folder, now: () => now })
  const again = await after.stripe.checkout.sessions.create(checkout, { idempotencyKey: 'kept' })
  assert.equal(again.id, first.id)
  now += 2 * hour
  const fresh = await after.stripe.checkout.sessions.create(checkout, { idempotencyKey: 'kept' })
  assert.notEqual(fresh.id, first.id)
})

async function openIdempotency(t: TestContext): Promise<Idempotency> {
  const store = new Store(await makeFolder(t), Date.now)
  await store.open()
  t.after(() => store.close())
  return new Idempotency({ store, now: Date.now, publicUrl: '', deliver: undefined })
}

test('an internal error is saved under the key and tells the client not to retry', async (t) => {
  const { stripe } = await startForTest(t)
  const logged = t.mock.method(console, 'error', () => undefined)
  const put = t.mock.method(Store.prototype, 'put')
  put.mock.mockImplementationOnce(() => {
    throw new Error('broken')
  })
  const create = () => stripe.checkout.sessions.create(checkout, { idempotencyKey: 'broken' })
  for (const replayed of [undefined, 'true']) {
    await assert.rejects(create, (error: { statusCode: number; headers: Record<string, string> }) => {
      assert.equal(error.statusCode, 500)
      assert.equal(error.headers['stripe-should-retry'], 'false')
      assert.equal(error.headers['idempotent-replayed'], replayed)
      return true
    })
  }
  assert.equal(logged.mock.callCount(), 1)
})

test('requests get 503 while nothing can be stored, and a later retry returns the one session', async (t) => {
  const { stripe } = await startForTest(t)
  const full = new ApiError(503, 'api_error', 'Nothing can be written down.')
  const { mock } = t.mock.method(Store.prototype, 'durable', () => Promise.reject(full))
  const create = () =>
    stripe.checkout.sessions.create(checkout, { idempotencyKey: 'full', maxNetworkRetries: 0 })
  const list = () => stripe.checkout.sessions.list({}, { maxNetworkRetries: 0 })
  for (const ask of [create, create, list]) await assert.rejects(ask, { statusCode: 503 })
  mock.restore()
  const { id } = await create()
  assert.deepEqual(
    (await list()).data.map((session) => session.id),
    [id],
  )
})

test('while the first request is not answered, the same key is refused with a conflict', async (t) => {
  const idempotency = await openIdempotency(t)
  const running = idempotency.run('held', 'print', () => ({ status: 200, body: 'done' }))
  assert.throws(() => idempotency.find('held', 'print'), { status: 409, code: 'idempotency_key_in_use' })
  assert.throws(() => idempotency.find('held', 'other'), { status: 400, type: 'idempotency_error' })
  await running
  assert.equal(idempotency.find('held', 'print')?.body, 'done')
})
