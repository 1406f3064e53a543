import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { Idempotency } from './idempotency.ts'
import { Store } from './store.ts'
import { checkout, goodCard, makeFolder, startForTest, submit } from './testing.ts'

const hour = 60 * 60 * 1000

test('the same request under the same key is the same session', async (t) => {
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

test('twenty at once under one key make one session', async (t) => {
  const { stripe } = await startForTest(t)
  const asked = Array.from({ length: 20 }, () =>
    stripe.checkout.sessions.create(checkout, { idempotencyKey: 'burst', maxNetworkRetries: 3 }),
  )
  const ids = new Set((await Promise.all(asked)).map(({ id }) => id))
  assert.equal(ids.size, 1)
  assert.equal((await stripe.checkout.sessions.list()).data.length, 1)
})

test('refused parameters leave the key free, a refused refund does not', async (t) => {
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

test('keys outlive a restart for a day', async (t) => {
  let now = Date.now()
  const before = await startForTest(t, { now: () => now })
  const first = await before.stripe.checkout.sessions.create(checkout, { idempotencyKey: 'kept' })
  await before.practice.close()
  now += 23 * hour
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

test("a failure of the provider's own is saved under the key", async (t) => {
  const idempotency = await openIdempotency(t)
  await idempotency.run('broken', 'print', () => ({ status: 500, body: 'sorry' }))
  assert.deepEqual(idempotency.find('broken', 'print'), { status: 500, body: 'sorry', isReplayed: true })
})

test('while the first request is not answered, the same key is refused with a conflict', async (t) => {
  const idempotency = await openIdempotency(t)
  const running = idempotency.run('held', 'print', () => ({ status: 200, body: 'done' }))
  assert.throws(() => idempotency.find('held', 'print'), { status: 409, code: 'idempotency_key_in_use' })
  assert.throws(() => idempotency.find('held', 'other'), { status: 400, type: 'idempotency_error' })
  await running
  assert.equal(idempotency.find('held', 'print')?.body, 'done')
})
