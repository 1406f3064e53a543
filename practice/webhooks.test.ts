import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listen } from '#shop/testing/listen.ts'
import { until } from '#shop/testing/until.ts'
import { ApiError } from './api-error.ts'
import { Store } from './store.ts'
import { checkout, clientOf, goodCard, secret, startForTest, startShop, submit } from './testing.ts'
import type { Delivery } from './testing.ts'

function read({ body, headers }: Delivery) {
  return clientOf(0).webhooks.constructEvent(body, String(headers['stripe-signature']), secret)
}

test('payment, refund and expiry are sent to the shop as signed webhook events', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  const { stripe } = await startForTest(t, { webhookUrl })
  const { id, url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until(async () => deliveries.length === 1, 'the payment is sent')
  const paid = await stripe.checkout.sessions.retrieve(id)
  const payment_intent = String(paid.payment_intent)
  await stripe.refunds.create({ payment_intent, amount: 100 })
  await until(async () => deliveries.length === 2, 'the refund is sent')
  await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  await until(async () => deliveries.length === 3, 'the expiry is sent')
  const [completed, refunded, expired] = deliveries.map(read)
  assert.ok(completed?.type === 'checkout.session.completed')
  assert.deepEqual(completed.data.object, { ...paid })
  assert.equal(completed.livemode, false)
  assert.ok(refunded?.type === 'charge.refunded')
  assert.equal(refunded.data.object.amount_refunded, 100)
  assert.equal(refunded.data.object.payment_intent, payment_intent)
  assert.deepEqual(refunded.data.object.metadata, { checkout_id: 'checkout-1' })
  assert.equal(expired?.type, 'checkout.session.expired')
  await until(async () => {
    const events = await stripe.events.list()
    return events.data.length === 3 && events.data.every((event) => event.pending_webhooks === 0)
  }, 'nothing is pending')
})

test('a timer sends the webhook event of an expired session', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, now: () => now })
  await stripe.checkout.sessions.create(checkout)
  now += 24 * 60 * 60 * 1000
  await until(async () => deliveries.length === 1, 'the expiry is sent')
  assert.match(String(deliveries[0]?.body), /"checkout.session.expired"/)
})

test('a failed delivery is repeated with a new signature until it succeeds', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500, 302, 400, 200)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1, 2], now: () => (now += 1000) })
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until(async () => deliveries.length === 4, 'it is sent four times')
  assert.equal(new Set(deliveries.map((delivery) => read(delivery).id)).size, 1)
  assert.equal(new Set(deliveries.map(({ headers }) => headers['stripe-signature'])).size, 4)
  await until(async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0, 'it is delivered')
  assert.equal(deliveries.length, 4)
})

test('a refund that the bank rejects sends refund.failed and does not count as refunded', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  const { stripe } = await startForTest(t, { webhookUrl })
  const { id, url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, { ...goodCard, number: '4000 0000 0000 5126' })
  const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
  const { id: refund } = await stripe.refunds.create({ payment_intent, amount: 100 })
  await until(async () => deliveries.length === 3, 'all events are sent')
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

test('delivery of an event is given up after three days', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500)
  let now = Date.now()
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1], now: () => now })
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  await until(async () => deliveries.length >= 2, 'it is sent twice')
  now += 3 * 24 * 60 * 60 * 1000 + 1
  await until(async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0, 'it is given up')
})

test('undelivered events survive restarts, and delivered ones are not sent again', async (t) => {
  // More than are sent at the same time.
  const count = 20
  const { deliveries, webhookUrl } = await startShop(t, ...Array.from({ length: count }, () => 500), 200)
  const retryDelaysMs = [60 * 60 * 1000]
  const { stripe, practice, folder } = await startForTest(t, { webhookUrl, retryDelaysMs })
  for (let made = 0; made < count; made += 1)
    await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  await until(async () => deliveries.length === count, 'all have been sent in vain')
  await practice.close()
  // A run in between has no webhook URL.
  const second = await startForTest(t, { folder })
  await second.practice.close()
  const third = await startForTest(t, { webhookUrl, retryDelaysMs, folder })
  const isDelivered = async (client: typeof stripe, type?: string) =>
    (await client.events.list({ limit: 100, ...(type && { type }) })).data.every(
      ({ pending_webhooks }) => pending_webhooks === 0,
    )
  await until(() => isDelivered(third.stripe), 'all are delivered')
  await third.practice.close()
  const fourth = await startForTest(t, { webhookUrl, retryDelaysMs, folder })
  await submit((await fourth.stripe.checkout.sessions.create(checkout)).url, goodCard)
  await until(() => isDelivered(fourth.stripe, 'checkout.session.completed'), 'the next one is delivered')
  const ids = deliveries.slice(count).map((delivery) => read(delivery).id)
  assert.deepEqual([ids.length, new Set(ids).size], [count + 1, count + 1])
})

test('the retries of an event that keeps failing become less frequent', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 500)
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1, 60 * 60 * 1000] })
  const timesSent: number[] = []
  for (const type of ['checkout.session.expired', 'checkout.session.completed']) {
    const { id, url } = await stripe.checkout.sessions.create(checkout)
    if (type === 'checkout.session.expired') await stripe.checkout.sessions.expire(id)
    else await submit(url, goodCard)
    const countSent = () => deliveries.filter((delivery) => read(delivery).type === type).length
    await until(async () => countSent() >= 2, 'it is sent again')
    timesSent.push(countSent())
  }
  // The first event's next retry is an hour away, so only the second was sent meanwhile.
  assert.deepEqual([timesSent, deliveries.length], [[2, 2], 4])
})

test('a delivery that gets no response is repeated', async (t) => {
  // The time of the first delivery is up when the shop has received it, that of the others never.
  const first = new AbortController()
  const signals = [first.signal]
  t.mock.method(AbortSignal, 'timeout', () => signals.shift() ?? new AbortController().signal)
  const signatures: string[] = []
  const shop = createServer((request, response) => {
    signatures.push(String(request.headers['stripe-signature']))
    if (signatures.length > 1) response.end()
    else first.abort()
  })
  const { url } = await listen(shop)
  t.after(() => {
    shop.closeAllConnections()
    shop.close()
  })
  const { stripe } = await startForTest(t, { webhookUrl: `${url}/webhook`, retryDelaysMs: [1] })
  await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  await until(async () => (await stripe.events.list()).data[0]?.pending_webhooks === 0, 'it is delivered')
  assert.equal(signatures.length, 2)
})

test('an event is not sent before it is stored on disk', async (t) => {
  const { deliveries, webhookUrl } = await startShop(t, 200)
  const { stripe } = await startForTest(t, { webhookUrl, retryDelaysMs: [1] })
  const { url } = await stripe.checkout.sessions.create(checkout)
  const full = new ApiError(503, 'api_error', 'Nothing can be written down.')
  const { mock } = t.mock.method(Store.prototype, 'durable', () => Promise.reject(full))
  assert.equal((await submit(url, goodCard)).status, 503)
  await until(async () => mock.callCount() > 5, 'it was tried')
  assert.equal(deliveries.length, 0)
  mock.restore()
  await until(async () => deliveries.length === 1, 'it is sent')
})

test('a payment succeeds while its event cannot be delivered and stays pending', async (t) => {
  const { stripe } = await startForTest(t, {
    webhookUrl: 'http://127.0.0.1:9/webhook',
    retryDelaysMs: [60_000],
  })
  const { url } = await stripe.checkout.sessions.create(checkout)
  assert.equal((await submit(url, goodCard)).status, 303)
  assert.equal((await stripe.events.list()).data[0]?.pending_webhooks, 1)
})
