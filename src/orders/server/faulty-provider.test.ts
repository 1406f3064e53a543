import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { submitCard } from '#shop/testing/card-page.ts'
import { startFaultyProxy } from '#shop/testing/faulty-proxy.ts'
import { makeBreak, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { loseConnections } from '#shop/testing/lost-connections.ts'
import { confirm, openSession, practiceStripe, signal } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { openCheckout } from './open-checkout.ts'
import { stripeProvider, type PaymentProvider } from './stripe.ts'
import { sweep } from './sweep.ts'
import { isOpenBreak } from './payment-breaks.ts'
import { checkouts, orders, paymentBreaks } from './tables.ts'

async function openShop(t: TestContext) {
  const proxy = await startFaultyProxy(t)
  const shop = await startTestApp({ providerAddress: proxy.url })
  proxy.target = shop.practice.url
  t.after(() => shop.close())
  const product = await makeProduct(shop.database.db)
  const cart = [{ _id: product.id, quantity: 1 }]
  const { db } = shop.database
  return {
    proxy,
    shop,
    cart,
    orders: () => db.select().from(orders),
    breaks: () => db.select().from(paymentBreaks).where(isOpenBreak),
    sweepAll: () => sweep({ db, provider: shop.provider, log: () => {} }),
  }
}

test('a webhook event gets a 503 while the provider is down, and makes the order when sent again', async (t) => {
  const { proxy, shop, cart, orders } = await openShop(t)
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  proxy.fault = 'down'
  const completed = () => signal(shop, 'checkout.session.completed', { id: session.id })
  // The second waits for the first, and then tries itself.
  const both = await Promise.all([completed(), completed()])
  assert.deepEqual([both.map(({ status }) => status), (await orders()).length], [[503, 503], 0])
  proxy.fault = 'nothing'
  assert.equal((await completed()).status, 200)
  assert.equal((await orders()).length, 1)
})

test('an event about a session that another account’s key does not find gets a 503, and makes the order later', async (t) => {
  const { proxy, shop, cart, orders, sweepAll } = await openShop(t)
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  const completed = (id: string) => signal(shop, 'checkout.session.completed', { id })
  const another = await openShop(t)
  proxy.target = another.shop.practice.url
  assert.equal((await completed(session.id)).status, 503)
  const theirs = await openSession(another.shop, another.cart)
  assert.equal((await completed(theirs.id)).status, 200)
  await shop.database.db.update(checkouts).set({ expiresAt: new Date(0) })
  await sweepAll()
  proxy.target = shop.practice.url
  assert.equal((await completed(session.id)).status, 200)
  assert.equal((await orders()).length, 1)
  proxy.target = another.shop.practice.url
  assert.equal((await completed(session.id)).status, 200, 'the order is there')
})

test('losing the database while settling gets a 503, or a 200 if the order is already there', async (t) => {
  const { shop, cart, orders } = await openShop(t)
  const { pool, db } = shop.database
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  const send = () => signal(shop, 'checkout.session.completed', { id: session.id })
  const lose = async (asking: (typeof send)[]) => {
    const { answer } = await loseConnections(pool, {
      lock: 'select from checkouts for update',
      work: () => Promise.all(asking.map((ask) => ask())),
      times: asking.length,
    })
    return answer.map(({ status }) => status)
  }
  assert.deepEqual(await lose([send, () => confirm(shop, session.id)]), [503, 503])
  assert.equal((await orders()).length, 0)
  assert.equal((await confirm(shop, session.id)).status, 200)
  // As a request that waits has read it, before the first one was done.
  await db.update(checkouts).set({ state: 'open' })
  assert.deepEqual(await lose([send, send]), [200, 200])
  assert.equal((await orders()).length, 1)
})

test('after a refund event fails, the sweep makes the missing order with its refund', async (t) => {
  const { proxy, shop, cart, orders, sweepAll } = await openShop(t)
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  const { payment_intent: payment } = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  await practiceStripe(shop).refunds.create({ payment_intent: String(payment), amount: 300 })
  proxy.fault = 'down'
  assert.equal((await signal(shop, 'charge.refunded', { payment_intent: payment })).status, 503)
  proxy.fault = 'nothing'
  await sweepAll()
  assert.deepEqual(
    (await orders()).map(({ refundedCents }) => refundedCents),
    [300],
  )
})

test('a break is replaced by an order once the provider reports the payment correctly', async (t) => {
  const { proxy, shop, cart, orders, breaks, sweepAll } = await openShop(t)
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  proxy.change = (body) => body.replace(/"amount_total": ?\d+/, '"amount_total": 1')
  assert.equal((await confirm(shop, session.id)).status, 409)
  await sweepAll()
  assert.equal((await orders()).length, 0)
  assert.equal((await breaks()).length, 1)
  proxy.change = (body) => body
  await sweepAll()
  assert.equal((await orders()).length, 1)
  assert.equal((await breaks()).length, 0)
  assert.equal((await confirm(shop, session.id)).status, 200)
  // Another process, which got a wrong report before, records its break only now: the next event removes it.
  await makeBreak(shop.database.db, { sessionId: session.id })
  assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
  assert.deepEqual([(await orders()).length, await breaks()], [1, []])
})

function withoutPayment(body: string): string {
  const read = JSON.parse(body) as object
  return JSON.stringify({ ...read, ...('payment_intent' in read && { payment_intent: null }) })
}

const unknownReference = '"0123456789abcdef0123456789abcdef"'
for (const [what, change, reason = 'reference'] of [
  [
    'two different references',
    (body) => body.replace(/"client_reference_id": ?"[\w-]+"/, `"client_reference_id": ${unknownReference}`),
  ],
  [
    'no client_reference_id',
    (body) => body.replace(/"client_reference_id": ?"[\w-]+"/, '"client_reference_id": null'),
  ],
  ['no checkout_id in its metadata', (body) => body.replaceAll(/"checkout_id": ?"[\w-]+"/g, '"x": "y"')],
  [
    'the reference of an unknown checkout',
    (body) => body.replaceAll(/"(client_reference_id|checkout_id)": ?"[\w-]+"/g, `"$1": ${unknownReference}`),
  ],
  [
    'the status no_payment_required',
    (body) => body.replace(/"payment_status": ?"paid"/, '"payment_status": "no_payment_required"'),
    'payment',
  ],
  ['no payment id', (body) => withoutPayment(body), 'payment'],
  ['the wrong livemode', (body) => body.replaceAll(/"livemode": ?false/g, '"livemode": true'), 'mode'],
] satisfies [string, (body: string) => string, string?][]) {
  test(`a session reported with ${what} becomes a break, and an order once reported correctly`, async (t) => {
    const { proxy, shop, cart, orders, breaks, sweepAll } = await openShop(t)
    const session = await openSession(shop, cart)
    await submitCard(session.url)
    proxy.change = change
    assert.equal((await confirm(shop, session.id)).status, 409)
    assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
    await shop.database.db.update(checkouts).set({ expiresAt: new Date(0) })
    await sweepAll()
    assert.equal((await orders()).length, 0)
    const [found, ...more] = await breaks()
    assert.deepEqual([found?.sessionId, found?.reason, more], [session.id, reason, []])
    const [checkout] = await shop.database.db.select().from(checkouts)
    assert.deepEqual([checkout?.state, checkout?.sessionId], ['review', session.id])
    proxy.change = (body) => body
    await sweepAll()
    assert.deepEqual([(await orders()).length, await breaks()], [1, []])
  })
}

test('a session reported with another checkout’s reference becomes a break of its own checkout', async (t) => {
  const { proxy, shop, cart, breaks } = await openShop(t)
  const referenceOf = async ({ id }: { id: string }) =>
    String((await practiceStripe(shop).checkout.sessions.retrieve(id)).client_reference_id)
  const another = await referenceOf(await openSession(shop, cart))
  const session = await openSession(shop, cart)
  const own = await referenceOf(session)
  await submitCard(session.url)
  proxy.change = (body) => body.replaceAll(own, another)
  assert.equal((await confirm(shop, session.id)).status, 409)
  assert.deepEqual(
    (await breaks()).map(({ sessionId, checkoutId }) => [sessionId, checkoutId]),
    [[session.id, own]],
  )
})

test('a full refund, not a partial one, takes a break off the list and lets its key open a new session', async (t) => {
  const { proxy, shop, cart, orders, breaks, sweepAll } = await openShop(t)
  const openWithKey = () => openSession(shop, cart, { 'idempotency-key': 'once' })
  const session = await openWithKey()
  await submitCard(session.url)
  proxy.change = (body) => body.replace(/"amount_total": ?\d+/, '"amount_total": 1000')
  assert.equal((await confirm(shop, session.id)).status, 409)
  const { payment_intent: payment } = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  const giveBack = (amount: number) =>
    practiceStripe(shop).refunds.create({ payment_intent: String(payment), amount })
  const signalRefund = async () =>
    assert.equal((await signal(shop, 'charge.refunded', { payment_intent: payment })).status, 200)
  await giveBack(400)
  await signalRefund()
  assert.equal((await breaks()).length, 1)
  // While the break is open, the customer gets the same session, so as not to pay twice.
  assert.equal((await openWithKey()).id, session.id)
  const { amount_total: all } = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  await giveBack(Number(all) - 400)
  // The break is old, and the webhook event of the refund was lost.
  await shop.database.db.update(paymentBreaks).set({ createdAt: new Date(0) })
  await sweepAll()
  assert.equal((await breaks()).length, 0)
  await signalRefund()
  assert.equal((await confirm(shop, session.id)).status, 409)
  assert.equal((await breaks()).length, 0)
  assert.equal((await orders()).length, 0)
  assert.notEqual((await openWithKey()).id, session.id)
})

/** Opens a session that the shop did not ask for, with the reference of one that it has. */
async function openAnother(shop: TestApp, sessionId: string): Promise<{ id: string; url: string }> {
  const recorded = await practiceStripe(shop).checkout.sessions.retrieve(sessionId)
  const { id, url } = await practiceStripe(shop).checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(recorded.amount_total),
          product_data: { name: 'x' },
        },
      },
    ],
    client_reference_id: recorded.client_reference_id ?? '',
    metadata: recorded.metadata ?? {},
    success_url: String(recorded.success_url),
  })
  return { id, url: String(url) }
}

test('a payment in an unrecorded session stays a break, and the recorded session can still be paid', async (t) => {
  const { shop, cart, orders, breaks } = await openShop(t)
  const session = await openSession(shop, cart)
  const { id, url } = await openAnother(shop, session.id)
  await submitCard(url)
  assert.equal((await confirm(shop, id)).status, 409)
  assert.equal((await confirm(shop, id)).status, 409)
  await submitCard(session.url)
  assert.equal((await confirm(shop, session.id)).status, 200)
  const made = (await orders()).map(({ sessionId }) => sessionId)
  assert.deepEqual([made, (await breaks()).map(({ sessionId }) => sessionId)], [[session.id], [id]])
})

test('a second payment leaves the checkout paid and its key on the paid session, even once the break is closed', async (t) => {
  const { shop, cart } = await openShop(t)
  const { db } = shop.database
  const openWithKey = () => openSession(shop, cart, { 'idempotency-key': 'once' })
  const session = await openWithKey()
  await submitCard(session.url)
  assert.equal((await confirm(shop, session.id)).status, 200)
  const { id, url } = await openAnother(shop, session.id)
  await submitCard(url)
  assert.equal((await confirm(shop, id)).status, 409)
  assert.deepEqual(
    (await db.select().from(checkouts)).map(({ state }) => state),
    ['paid'],
  )
  const { headers } = await makeUser(db, { role: 'admin' })
  const close = { method: 'POST', url: `/api/orders/breaks/${id}/close`, headers } as const
  assert.equal((await shop.call(close)).status, 200)
  assert.equal((await openWithKey()).id, session.id)
})

test('a checkout expires with its recorded session, not with another one', async (t) => {
  const { shop, cart } = await openShop(t)
  const states = async () => (await shop.database.db.select().from(checkouts)).map(({ state }) => state)
  const session = await openSession(shop, cart)
  for (const [{ id }, state] of [
    [await openAnother(shop, session.id), 'open'],
    [session, 'expired'],
  ] as const) {
    await practiceStripe(shop).checkout.sessions.expire(id)
    assert.equal((await signal(shop, 'checkout.session.expired', { id })).status, 200)
    assert.deepEqual(await states(), [state])
  }
})

test('a delayed payment makes an order only once it succeeds, and a late failure event does not undo it', async (t) => {
  const { proxy, shop, cart, orders, sweepAll } = await openShop(t)
  const { db } = shop.database
  const states = async () => (await db.select().from(checkouts)).map(({ state }) => state)
  const session = await openSession(shop, cart)
  await submitCard(session.url)
  const reportStates = (payment: string, intent: string) => {
    proxy.change = (body) =>
      body
        .replace(/"payment_status": ?"[\w-]+"/, `"payment_status": "${payment}"`)
        .replace(/"status": ?"succeeded"/g, `"status": "${intent}"`)
  }
  reportStates('unpaid', 'processing')
  assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
  await sweepAll()
  const confirmed = await confirm<{ code: string }>(shop, session.id)
  assert.deepEqual(
    [confirmed.status, confirmed.body.code, await states()],
    [402, 'payment_pending', ['open']],
  )
  const failed = () => signal(shop, 'checkout.session.async_payment_failed', { id: session.id })
  for (const intent of ['requires_payment_method', 'canceled']) {
    reportStates('unpaid', intent)
    assert.equal((await failed()).status, 200)
    assert.deepEqual(await states(), ['expired'])
    const again = await confirm<{ code: string }>(shop, session.id)
    assert.deepEqual([again.status, again.body.code, await states()], [402, 'not_paid', ['expired']])
  }
  assert.equal((await orders()).length, 0)
  reportStates('paid', 'succeeded')
  assert.equal(
    (await signal(shop, 'checkout.session.async_payment_succeeded', { id: session.id })).status,
    200,
  )
  assert.equal((await orders()).length, 1)
  // Neither a late webhook event nor a late report undoes it.
  for (const intent of ['succeeded', 'canceled']) {
    if (intent === 'canceled') reportStates('unpaid', intent)
    assert.equal((await failed()).status, 200)
    assert.deepEqual([(await orders()).length, await states()], [1, ['paid']])
  }
})

test('a session whose response one process lost is returned by another, even with a different public URL', async (t) => {
  const { proxy, shop, cart } = await openShop(t)
  const { db } = shop.database
  const returnTo = `${shop.config.publicUrl}/cart`
  const request = { lines: cart, userId: null, key: 'one cart', returnTo, shipTo: [] }
  proxy.fault = 'answers are lost'
  await assert.rejects(openCheckout({ ...shop, db }, request))
  const publicUrl = 'https://second.example'
  const apiBase = shop.practice.url
  const other = stripeProvider({ publicUrl, apiBase, secretKey: 'sk_test_practice', webhookSecrets: [] })
  const { id } = await openCheckout({ ...shop, db, provider: other }, request)
  const { data } = await practiceStripe(shop).checkout.sessions.list({ limit: 10 })
  assert.deepEqual(
    data.map((session) => [session.id, session.cancel_url]),
    [[id, request.returnTo]],
  )
})

test('a process whose clock is ahead does not expire a checkout that another is still opening', async (t) => {
  const { shop, cart, sweepAll } = await openShop(t)
  const { db } = shop.database
  const { timers } = t.mock
  const request = { lines: cart, userId: null, key: 'one cart', returnTo: shop.config.publicUrl, shipTo: [] }
  const [requested, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const openSession: PaymentProvider['openSession'] = async (wanted) => {
    requested.resolve(undefined)
    await released.promise
    return shop.provider.openSession(wanted)
  }
  const first = openCheckout({ ...shop, db, provider: { ...shop.provider, openSession } }, request)
  await requested.promise
  timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3_600_000 })
  const second = openCheckout({ ...shop, db }, request)
  await sweepAll()
  timers.reset()
  released.resolve(undefined)
  assert.deepEqual(await second, await first)
  assert.equal((await db.select().from(checkouts)).length, 1)
})

test('a checkout gets a 503 while the provider is down, and the same key opens one session afterwards', async (t) => {
  const { proxy, shop, cart } = await openShop(t)
  const { headers } = await makeUser(shop.database.db)
  const open = () =>
    shop.call<{ id?: string; title?: string; detail?: string }>({
      method: 'POST',
      url: '/api/orders/create-checkout-session',
      payload: { products: cart },
      headers: { ...headers, 'idempotency-key': 'one cart' },
    })
  for (const fault of ['down', 'answers are lost'] as const) {
    proxy.fault = fault
    const refused = await open()
    assert.equal(refused.status, 503)
    assert.equal(refused.body.title, 'Error creating checkout')
    assert.match(refused.body.detail ?? '', /^The payment provider cannot be reached right now\.$/)
    assert.ok(refused.headers['retry-after'])
    assert.equal((await shop.call({ url: '/api/products/' })).status, 200)
  }
  proxy.fault = 'nothing'
  const [first, second] = await Promise.all([open(), open()])
  assert.equal(first.status, 201)
  assert.equal(first.body.id, second.body.id)
  const { data } = await practiceStripe(shop).checkout.sessions.list({ limit: 10 })
  assert.deepEqual(
    data.map(({ id }) => id),
    [first.body.id],
  )
})
