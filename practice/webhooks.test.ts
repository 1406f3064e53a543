import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkout, clientOf, goodCard, secret, startForTest, startShop, submit, until } from './testing.ts'
import type { Delivery } from './testing.ts'

function read({ body, headers }: Delivery) {
  return clientOf(0).webhooks.constructEvent(body, String(headers['stripe-signature']), secret)
}

test('payment, refund and expiry are told to the shop, signed', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  const { stripe } = await startForTest(t, { webhookUrl })
  const { id, url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until('the payment is told', () => deliveries.length === 1)
  const paid = await stripe.checkout.sessions.retrieve(id)
  const payment_intent = String(paid.payment_intent)
  await stripe.refunds.create({ payment_intent, amount: 100 })
  await until('the refund is told', () => deliveries.length === 2)
  await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  await until('the expiry is told', () => deliveries.length === 3)
  const [completed, refunded, expired] = deliveries.map(read)
  assert.ok(completed?.type === 'checkout.session.completed')
  assert.deepEqual(completed.data.object, { ...paid })
  assert.equal(completed.livemode, false)
  assert.ok(refunded?.type === 'charge.refunded')
  assert.equal(refunded.data.object.amount_refunded, 100)
  assert.equal(refunded.data.object.payment_intent, payment_intent)
  assert.deepEqual(refunded.data.object.metadata, { checkout_id: 'checkout-1' })
  assert.equal(expired?.type, 'checkout.session.expired')
  await until('nothing is pending', async () => {
    const events = await stripe.events.list()
    return events.data.length === 3 && events.data.every((event) => event.pending_webhooks === 0)
  })
})

test('a timer notices that a session is over', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, now: () => now })
  await stripe.checkout.sessions.create(checkout)
  now += 24 * 60 * 60 * 1000
  await until('the expiry is told', () => deliveries.length === 1)
  assert.match(String(deliveries[0]?.body), /"checkout.session.expired"/)
})

test('a shop that fails is told again, signed anew, until it succeeds', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500, 302, 400, 200)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1, 2], now: () => (now += 1000) })
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until('it is told four times', () => deliveries.length === 4)
  assert.equal(new Set(deliveries.map((delivery) => read(delivery).id)).size, 1)
  assert.equal(new Set(deliveries.map(({ headers }) => headers['stripe-signature'])).size, 4)
  await until('it is delivered', async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0)
  assert.equal(deliveries.length, 4)
})

test('a refund that the bank does not take is told as such', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  const { stripe } = await startForTest(t, { webhookUrl })
  const { id, url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, { ...goodCard, number: '4000 0000 0000 5126' })
  const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
  const { id: refund } = await stripe.refunds.create({ payment_intent, amount: 100 })
  await until('all is told', () => deliveries.length === 3)
  const events = await stripe.events.list({ types: ['charge.refunded', 'refund.failed'] })
  assert.deepEqual(
    events.data.map(({ type }) => type),
    ['refund.failed', 'charge.refunded'],
  )
  assert.equal((await stripe.refunds.retrieve(refund)).status, 'failed')
  const { latest_charge } = await stripe.paymentIntents.retrieve(payment_intent, {
    expand: ['latest_charge'],
  })
  assert.ok(typeof latest_charge === 'object' && latest_charge?.amount_refunded === 0)
})

test('after three days the shop is told no more', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1], now: () => now })
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until('it is told twice', () => deliveries.length >= 2)
  now += 3 * 24 * 60 * 60 * 1000 + 1
  await until('it is given up', async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0)
})

test('what was not delivered survives a restart', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500, 200)
  const hourMs = 60 * 60 * 1000
  const before = await startForTest(t, { webhookUrl, retryDelaysMs: [hourMs] })
  const { url } = await before.stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until('the first attempt has failed', () => deliveries.length === 1)
  await before.practice.close()
  const { stripe } = await startForTest(t, { webhookUrl, folder: before.folder, retryDelaysMs: [hourMs] })
  await until('it is told again', () => deliveries.length === 2)
  await until('it is delivered', async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0)
})

test('the customer does not wait for a shop that does not answer', async (t) => {
  const { stripe } = await startForTest(t, {
    webhookUrl: 'http://127.0.0.1:9/webhook',
    retryDelaysMs: [60_000],
  })
  const { url } = await stripe.checkout.sessions.create(checkout)
  assert.equal((await submit(url, goodCard)).status, 303)
  assert.equal((await stripe.events.list()).data[0]?.pending_webhooks, 1)
})
