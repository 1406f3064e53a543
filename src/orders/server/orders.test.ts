import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, test, type TestContext } from 'node:test'
import { and, eq } from 'drizzle-orm'
import type { InjectOptions } from 'fastify'
import { buildApp } from '#shop/app.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { cards, submitCard } from '#shop/testing/card-page.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, practiceStripe, signal } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { shopUrlOf } from './routes.ts'
import { settle } from './settle.ts'
import { stripeProvider, type PaymentProvider } from './stripe.ts'
import { sweep } from './sweep.ts'
import { isOpenBreak } from './payment-breaks.ts'
import { checkouts, orderLines, orders, paymentBreaks } from './tables.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const ordersOf = (sessionId: string) =>
  shop.database.db.select().from(orders).where(eq(orders.sessionId, sessionId))
const checkoutOf = async (sessionId: string) =>
  (await shop.database.db.select().from(checkouts).where(eq(checkouts.sessionId, sessionId)))[0]
const sessionsAtProvider = async () =>
  (await practiceStripe(shop).checkout.sessions.list({ limit: 100 })).data

async function paidSession(quantity = 2) {
  const product = await makeProduct(shop.database.db, { priceCents: 1999, image: '/uploads/a.webp' })
  const session = await openSession(shop, [{ _id: product.id, quantity, price: 19.99 }])
  assert.equal(await submitCard(session.url), `${shop.config.publicUrl}/success?session_id=${session.id}`)
  return { product, session }
}

test('confirming a paid session makes its order, with names and prices as they were at checkout', async () => {
  const { product, session } = await paidSession(3)
  await shop.database.db
    .update(products)
    .set({ name: 'Renamed', priceCents: 1 })
    .where(eq(products.id, product.id))
  const answer = await confirm(shop, session.id)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.data.status, 'pending')
  assert.match(answer.body.data.orderId, /^pi_/)

  const order = await shop.call<{ data: Record<string, unknown> }>({
    url: `/api/orders/order/${answer.body.data.orderId}`,
  })
  assert.equal(order.status, 200)
  assert.equal(order.body.data.amount, 59.97)
  assert.equal(order.body.data.refunded, 0)
  assert.deepEqual(order.body.data.lines, [
    { productId: product.id, name: product.name, image: '/uploads/a.webp', price: 19.99, quantity: 3 },
  ])
  assert.deepEqual(answer.body.data, order.body.data, 'as everybody sees it who has its link')
  // The payment at the provider says what it was for.
  const { metadata } = await practiceStripe(shop).paymentIntents.retrieve(answer.body.data.orderId)
  assert.deepEqual(metadata, { checkout_id: (await checkoutOf(session.id))?.id })
})

test('an order shows its e-mail and user id to its owner and to admins only', async () => {
  const product = await makeProduct(shop.database.db)
  const owner = await makeUser(shop.database.db)
  const other = await makeUser(shop.database.db)
  const admin = await makeUser(shop.database.db, { role: 'admin' })
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }], owner.headers)
  await submitCard(session.url)
  const confirmed = (await confirm(shop, session.id)).body.data
  assert.equal('email' in confirmed || 'userId' in confirmed, false)
  const { orderId } = confirmed
  const seenBy = async (headers: Record<string, string>) =>
    (await shop.call<{ data: Record<string, unknown> }>({ url: `/api/orders/order/${orderId}`, headers }))
      .body.data
  for (const headers of [{}, other.headers]) {
    const seen = await seenBy(headers)
    assert.equal('email' in seen || 'userId' in seen, false)
  }
  for (const headers of [owner.headers, admin.headers]) {
    const seen = await seenBy(headers)
    assert.equal(seen.email, 'guest@example.com')
    assert.equal(seen.userId, owner.user.id)
  }
})

test('concurrent, repeated confirmations, webhook events and sweeps make exactly one order', async () => {
  const { session } = await paidSession()
  await shop.database.db
    .update(checkouts)
    .set({ createdAt: new Date(Date.now() - 60_000) })
    .where(eq(checkouts.sessionId, session.id))
  // A provider for each call, as in several processes: within one they would take turns.
  const parts = () => ({ db: shop.database.db, provider: { ...shop.provider }, log: () => {} })
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const [confirmed, signalled] = await Promise.all([
        confirm(shop, session.id),
        signal(shop, 'checkout.session.completed', { id: session.id }),
        sweep(parts()),
      ])
      return [confirmed.status, signalled.status, confirmed.body.data.orderId]
    }),
  )
  const made = await ordersOf(session.id)
  assert.equal(made.length, 1)
  for (const answer of answers) assert.deepEqual(answer, [200, 200, made[0]?.paymentId])
  const lines = await shop.database.db
    .select()
    .from(orderLines)
    .where(eq(orderLines.orderId, made[0]?.id ?? ''))
  assert.equal(lines.length, 1)
})

/** Holds back the provider's answers about sessions until `release`; `first` takes the place of the first one. */
function holdFindSession(t: TestContext, first?: PaymentProvider['findSession']) {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const findSession = shop.provider.findSession.bind(shop.provider)
  const { mock } = t.mock.method(shop.provider, 'findSession', async (id: string) => {
    const isFirst = mock.callCount() === 0
    const found = await findSession(id)
    requested.resolve()
    await released.promise
    return isFirst && first ? first(id) : found
  })
  return { requested: requested.promise, release: released.resolve, countCalls: () => mock.callCount() }
}

/** Resolves when the handler of the next request has done what it does without waiting. */
function handlerBegins(t: TestContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listener = () => resolve()
  // See https://fastify.dev/docs/latest/Reference/Hooks/#diagnostics-channel-hooks
  subscribe('tracing:fastify.request.handler:end', listener)
  t.after(() => unsubscribe('tracing:fastify.request.handler:end', listener))
  return promise
}

test('a confirmation during a webhook event waits for its order and does not ask the provider again', async (t) => {
  const { session } = await paidSession()
  const held = holdFindSession(t)
  const signalled = signal(shop, 'checkout.session.completed', { id: session.id })
  await held.requested
  const waiting = handlerBegins(t)
  const confirmed = confirm(shop, session.id)
  await waiting
  held.release()
  assert.deepEqual([(await signalled).status, (await confirmed).status, held.countCalls()], [200, 200, 1])
  assert.equal((await ordersOf(session.id)).length, 1)
})

test('a confirmation during a webhook event that fails makes the order itself', async (t) => {
  const { session } = await paidSession()
  const held = holdFindSession(t, () => Promise.reject(unavailable('provider_unavailable', 'not now')))
  const signalled = signal(shop, 'checkout.session.completed', { id: session.id })
  await held.requested
  const waiting = handlerBegins(t)
  const confirmed = confirm(shop, session.id)
  await waiting
  held.release()
  assert.deepEqual([(await signalled).status, (await confirmed).status], [503, 200])
  assert.equal((await ordersOf(session.id)).length, 1)
})

test('a refund made while the order is being created is recorded on it', async (t) => {
  const { session } = await paidSession(1)
  const held = holdFindSession(t)
  const made = signal(shop, 'checkout.session.completed', { id: session.id })
  await held.requested
  const { payment_intent } = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  const refund = await practiceStripe(shop).refunds.create({ payment_intent: String(payment_intent) })
  const refunded = signal(shop, 'charge.refunded', refund)
  held.release()
  assert.deepEqual([(await made).status, (await refunded).status], [200, 200])
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 1999)
})

test('the sweep makes the order if the customer never returns and the webhook event is lost', async () => {
  const { session } = await paidSession()
  await shop.database.db
    .update(checkouts)
    .set({ createdAt: new Date(Date.now() - 60_000) })
    .where(eq(checkouts.sessionId, session.id))
  await sweep({ db: shop.database.db, provider: shop.provider, log: () => {} })
  assert.equal((await ordersOf(session.id)).length, 1)
})

test('a webhook event that arrives before its session is recorded still makes the order', async () => {
  const { session } = await paidSession()
  await shop.database.db
    .update(checkouts)
    .set({ state: 'creating', sessionId: null, sessionUrl: null })
    .where(eq(checkouts.sessionId, session.id))
  assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
  assert.equal((await ordersOf(session.id)).length, 1)
})

test('confirming an open, declined, expired, unknown or malformed session makes no order', async () => {
  const product = await makeProduct(shop.database.db)
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  assert.equal((await confirm(shop, session.id)).status, 402)
  assert.equal(await submitCard(session.url, cards.declined), null)
  assert.equal((await confirm(shop, session.id)).status, 402)
  await practiceStripe(shop).checkout.sessions.expire(session.id)
  assert.equal((await signal(shop, 'checkout.session.expired', { id: session.id })).status, 200)
  assert.equal((await confirm(shop, session.id)).status, 402)
  assert.equal((await checkoutOf(session.id))?.state, 'expired')
  assert.equal((await ordersOf(session.id)).length, 0)
  const lengths = [10, 58, 230, 247, 248]
  const invented = ['cs_test_', 'cs_live_'].flatMap((begin) =>
    lengths.map((length) => begin + 'a'.repeat(length)),
  )
  const malformed = ['../charges', `${session.id}/../x`, `${session.id}?expand=x`, 'x'.repeat(20_000), '']
  for (const id of [...invented, ...malformed, [session.id], { id: session.id }, 7, true]) {
    assert.equal((await confirm(shop, id)).status, 404, JSON.stringify(id).slice(0, 80))
  }
  for (const id of [undefined, null]) assert.equal((await confirm(shop, id)).status, 400)
})

test('a paid session of another shop on the same provider account makes no order', async () => {
  const foreign = await practiceStripe(shop).checkout.sessions.create({
    mode: 'payment',
    success_url: 'http://localhost/x',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'x' } } },
    ],
  })
  await submitCard(foreign.url ?? '')
  assert.equal((await confirm(shop, foreign.id)).status, 404)
  assert.equal((await signal(shop, 'checkout.session.completed', { id: foreign.id })).status, 200)
  assert.equal((await ordersOf(foreign.id)).length, 0)
})

test('a payment in a different amount or currency gets a 409 and one break instead of an order', async () => {
  for (const wrong of [{ amountCents: 200_000 }, { currency: 'eur' }]) {
    const { session } = await paidSession()
    await shop.database.db.update(checkouts).set(wrong).where(eq(checkouts.sessionId, session.id))
    const answer = await confirm<{ title: string }>(shop, session.id)
    assert.equal(answer.status, 409)
    assert.equal(answer.body.title, 'Payment needs review')
    const loggedBreaks = () =>
      shop.operatorLog.filter((line) => line.startsWith(`Payment needs review: ${session.id} `))
    assert.equal(loggedBreaks().length, 1)
    assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
    assert.equal((await ordersOf(session.id)).length, 0)
    const breaks = await shop.database.db
      .select()
      .from(paymentBreaks)
      .where(eq(paymentBreaks.sessionId, session.id))
    assert.equal(breaks.length, 1)
    assert.equal(breaks[0]?.reason, Object.keys(wrong)[0]?.replace('Cents', ''))
    assert.equal(loggedBreaks().length, 1)
  }
})

test('partial and full refunds at the provider are recorded on the order and advance its updatedAt', async () => {
  const { session } = await paidSession(2)
  const paid = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  const paymentId = String(paid.payment_intent)
  await practiceStripe(shop).refunds.create({ payment_intent: paymentId, amount: 1000 })
  // There is no order yet: the webhook event of the refund makes it.
  assert.equal((await signal(shop, 'charge.refunded', { payment_intent: paymentId })).status, 200)
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 1000)
  // Changed by a clock that was ahead: `updatedAt` must still grow, or an outdated `If-Match` would pass.
  const changedAt = new Date(Date.now() + 60_000)
  await shop.database.db.update(orders).set({ updatedAt: changedAt }).where(eq(orders.sessionId, session.id))
  await practiceStripe(shop).refunds.create({ payment_intent: paymentId })
  await signal(shop, 'charge.refunded', { payment_intent: paymentId })
  const order = (await ordersOf(session.id))[0]
  assert.equal(order?.refundedCents, 3998)
  assert.ok(order.updatedAt > changedAt)
  assert.equal(order?.status, 'pending')
})

test('a failed refund is removed from the order, and late answers or events do not restore it', async () => {
  const product = await makeProduct(shop.database.db, { priceCents: 1999 })
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  await submitCard(session.url, cards.refundsFail)
  await confirm(shop, session.id)
  const order = (await ordersOf(session.id))[0]
  const refunded = async () => (await ordersOf(session.id))[0]?.refundedCents
  const refund = await practiceStripe(shop).refunds.create({ payment_intent: order?.paymentId ?? '' })
  // An answer from before the refund failed.
  const findSession = async (id: string) => {
    const found = await shop.provider.findSession(id)
    return found && { ...found, refundedCents: 1999, isGivenBack: true }
  }
  const asBefore = { db: shop.database.db, provider: { ...shop.provider, findSession }, log: () => {} }
  await settle(asBefore, session.id)
  assert.equal(await refunded(), 1999)
  assert.equal((await signal(shop, 'refund.failed', refund)).status, 200)
  assert.equal(await refunded(), 0)
  // A late answer from before is not believed: the provider is asked again.
  let timesAsked = 0
  const late = (id: string) => (timesAsked++ === 0 ? findSession : shop.provider.findSession)(id)
  await settle({ ...asBefore, provider: { ...shop.provider, findSession: late } }, session.id)
  assert.deepEqual([timesAsked, await refunded()], [2, 0])
  assert.equal((await signal(shop, 'charge.refunded', refund)).status, 200)
  assert.equal(await refunded(), 0)
})

test('when refunds are recorded concurrently, the provider’s latest answer wins', async () => {
  const { session } = await paidSession(2)
  await confirm(shop, session.id)
  const parts = { db: shop.database.db, log: () => {} }
  const partsReporting = (refundedCents: () => number | Promise<number>) => ({
    ...parts,
    provider: {
      ...shop.provider,
      findSession: async (id: string) => {
        const found = await shop.provider.findSession(id)
        return found && { ...found, refundedCents: await refundedCents() }
      },
    },
  })
  let now = 500
  let timesAsked = 0
  const slow = partsReporting(async () => {
    const then = now
    timesAsked += 1
    if (timesAsked !== 2) return then
    // While this answer is on its way, more is refunded and recorded.
    now = 700
    await settle(
      partsReporting(() => now),
      session.id,
    )
    return then
  })
  await settle(slow, session.id)
  assert.deepEqual([timesAsked, (await ordersOf(session.id))[0]?.refundedCents], [3, 700])
})

test('a refund event that keeps losing to concurrent updates gets a 503, and is recorded when sent again', async (t) => {
  const { session } = await paidSession(1)
  await confirm(shop, session.id)
  const { payment_intent } = await practiceStripe(shop).checkout.sessions.retrieve(session.id)
  const refund = await practiceStripe(shop).refunds.create({ payment_intent: String(payment_intent) })
  const findSession = shop.provider.findSession.bind(shop.provider)
  const { mock } = t.mock.method(shop.provider, 'findSession', async (id: string) => {
    // Another process records another amount.
    await shop.database.db
      .update(orders)
      .set({ refundedCents: mock.callCount() + 1 })
      .where(eq(orders.sessionId, id))
    return findSession(id)
  })
  const signalRefund = async () => (await signal(shop, 'charge.refunded', refund)).status
  assert.equal(await signalRefund(), 503)
  mock.restore()
  assert.equal(await signalRefund(), 200)
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 1999)
})

test('a refunded break stays on record but is no longer open, and reopens when the refund fails', async () => {
  const { db } = shop.database
  const { session } = await paidSession(2)
  const isIt = eq(paymentBreaks.sessionId, session.id)
  const settleAndReadBreak = async (isGivenBack: boolean) => {
    const findSession = async (id: string) => {
      const found = await shop.provider.findSession(id)
      return found && { ...found, amountCents: 1, isGivenBack }
    }
    await settle({ db, log: () => {}, provider: { ...shop.provider, findSession } }, session.id)
    const [row] = await db.select().from(paymentBreaks).where(isIt)
    const open = await db.select().from(paymentBreaks).where(and(isIt, isOpenBreak))
    return { reported: row?.reported, closedBy: row?.closedByName, isOpen: open.length === 1 }
  }
  const seen = { reported: '1', closedBy: null, isOpen: true }
  assert.deepEqual(await settleAndReadBreak(false), seen)
  assert.deepEqual(await settleAndReadBreak(true), { ...seen, isOpen: false })
  assert.deepEqual(await settleAndReadBreak(false), seen)
  await db.update(paymentBreaks).set({ closedAt: new Date(), closedByName: 'Boss' }).where(isIt)
  for (const isGivenBack of [false, true])
    assert.deepEqual(await settleAndReadBreak(isGivenBack), { ...seen, closedBy: 'Boss', isOpen: false })
  assert.deepEqual(await settleAndReadBreak(false), { ...seen, closedBy: 'Boss' })
})

test('a repeated webhook event or confirmation does not restore a deleted order', async () => {
  const { session } = await paidSession()
  const { orderId } = (await confirm(shop, session.id)).body.data
  await shop.database.db.update(orders).set({ deletedAt: new Date() }).where(eq(orders.paymentId, orderId))
  assert.equal((await signal(shop, 'checkout.session.completed', { id: session.id })).status, 200)
  assert.equal((await confirm(shop, session.id)).status, 410)
  assert.equal((await shop.call({ url: `/api/orders/order/${orderId}` })).status, 404)
  const made = await ordersOf(session.id)
  assert.equal(made.length, 1)
  assert.ok(made[0]?.deletedAt)
})

test('lines of the same product are merged, and the session is opened at the shop’s prices', async () => {
  const [a, b] = [
    await makeProduct(shop.database.db, { priceCents: 10 }),
    await makeProduct(shop.database.db, { priceCents: 20 }),
  ]
  const session = await openSession(shop, [
    { _id: a.id, quantity: 1 },
    { _id: b.id, quantity: 3 },
    { _id: a.id, quantity: 2 },
  ])
  const retrieved = await practiceStripe(shop).checkout.sessions.retrieve(session.id, {
    expand: ['line_items'],
  })
  assert.equal(retrieved.amount_total, 90)
  assert.deepEqual(
    retrieved.line_items?.data.map((line) => [line.description, line.quantity, line.amount_total]),
    [
      [a.name, 3, 30],
      [b.name, 3, 60],
    ],
  )
})

test('a picture URL too long for the provider is left out, and a return URL too long becomes the home page', async () => {
  const product = await makeProduct(shop.database.db, { image: `https://x.example/${'é'.repeat(1000)}` })
  const { status, body } = await shop.call<{ id: string }>({
    method: 'POST',
    url: '/api/orders/create-checkout-session',
    payload: {
      products: [{ _id: product.id, quantity: 1 }],
      returnTo: `/search?search=${'é'.repeat(1500)}&from=${'a'.repeat(2000)}`,
    },
  })
  assert.equal(status, 201)
  const session = await practiceStripe(shop).checkout.sessions.retrieve(body.id, {
    expand: ['line_items.data.price.product'],
  })
  assert.equal(new URL(String(session.cancel_url)).pathname, '/')
  const sold = session.line_items?.data[0]?.price?.product
  assert.deepEqual([typeof sold === 'object' && 'images' in sold && sold.images], [[]])
})

test('a cart with outdated prices or deleted products gets a 409 with the current ones, and no session', async () => {
  const db = shop.database.db
  const unchanged = await makeProduct(db, { priceCents: 1000 })
  const dearer = await makeProduct(db, { priceCents: 3000 })
  const gone = await makeProduct(db, { deletedAt: new Date() })
  const before = (await sessionsAtProvider()).length
  const answer = await shop.call<{
    code: string
    data: { products: { _id: string; price: number; quantity: number }[] }
  }>({
    method: 'POST',
    url: '/api/orders/create-checkout-session',
    payload: {
      products: [
        { _id: unchanged.id, quantity: 1, price: 10 },
        { _id: dearer.id, quantity: 2, price: 25 },
        { _id: gone.id, quantity: 1, price: 25 },
        { _id: 'never-was', quantity: 1 },
      ],
    },
  })
  assert.equal(answer.status, 409)
  assert.equal(answer.body.code, 'cart_changed')
  assert.deepEqual(
    answer.body.data.products.map(({ _id, price, quantity }) => [_id, price, quantity]),
    [
      [unchanged.id, 10, 1],
      [dearer.id, 30, 2],
    ],
  )
  assert.equal((await sessionsAtProvider()).length, before)
})

test('invalid carts get a 400 that points at the products, and no session is opened', async () => {
  const db = shop.database.db
  const cheap = await makeProduct(db, { priceCents: 49 })
  const dear = await makeProduct(db, { priceCents: 99_999_999 })
  const cent = await makeProduct(db, { priceCents: 1 })
  const many = await Promise.all(Array.from({ length: 51 }, () => makeProduct(db)))
  const line = (quantity: unknown, _id: unknown = cheap.id) => ({ _id, quantity })
  const carts: unknown[] = [
    [],
    null,
    'all',
    [line(0)],
    [line(-1)],
    [line(1.5)],
    [line('2')],
    [line(100)],
    [line(null)],
    [line(1e400)],
    [line(50), line(50)],
    [line(1, 5)],
    [line(1, '')],
    [line(1)],
    [line(1, dear.id), line(1, cent.id)],
    many.map(({ id }) => line(1, id)),
  ]
  const before = (await sessionsAtProvider()).length
  for (const products of carts) {
    const answer = await shop.call<{ errors: { path: string }[] }>({
      method: 'POST',
      url: '/api/orders/create-checkout-session',
      payload: JSON.stringify({ products }),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 400, JSON.stringify(products))
    assert.match(answer.body.errors[0]?.path ?? '', /^products/)
  }
  assert.equal((await sessionsAtProvider()).length, before)
})

test('accepts carts at the limits: lowest and highest total, most lines, most of one product', async () => {
  const { db } = shop.database
  const [small, dear] = [
    await makeProduct(db, { priceCents: 50 }),
    await makeProduct(db, { priceCents: 99_999_999 }),
  ]
  const many = await Promise.all(Array.from({ length: 50 }, () => makeProduct(db)))
  const line = ({ id }: { id: string }, quantity = 1) => ({ _id: id, quantity })
  for (const lines of [
    [line(small)],
    [line(dear)],
    [line(small, 50), line(small, 49)],
    many.map((each) => line(each)),
  ])
    assert.match((await openSession(shop, lines)).id, /^cs_test_/)
})

test('a cart is refused if any price sent for a product is not the current one', async () => {
  const { id } = await makeProduct(shop.database.db, { priceCents: 1500 })
  const line = (price?: number) => ({ _id: id, quantity: 1, ...(price !== undefined && { price }) })
  for (const [status, ...products] of [
    [201, line(15), line()],
    [201, line(15), line(15)],
    [409, line(15), line(14)],
    [409, line(14), line()],
  ] as const) {
    const url = '/api/orders/create-checkout-session'
    const answer = await shop.call<{ data?: { products: object[] } }>({
      method: 'POST',
      url,
      payload: { products },
    })
    assert.equal(answer.status, status, JSON.stringify(products))
    if (status === 409) assert.equal(answer.body.data?.products.length, 1)
  }
})

test('reordered or split lines without prices are the same cart for a key; lines with a wrong price are not', async () => {
  const { db } = shop.database
  const [one, other] = [await makeProduct(db, { priceCents: 1500 }), await makeProduct(db)]
  const headers = { 'idempotency-key': `order-${one.id}` }
  const first = await openSession(
    shop,
    [
      { _id: one.id, quantity: 2, price: 15 },
      { _id: other.id, quantity: 1 },
    ],
    headers,
  )
  const again = [
    { _id: other.id, quantity: 1 },
    { _id: one.id, quantity: 1 },
    { _id: one.id, quantity: 1 },
  ]
  assert.equal((await openSession(shop, again, headers)).id, first.id)
  const products = again.map((line) => ({ ...line, price: 14 }))
  const url = '/api/orders/create-checkout-session'
  assert.equal((await shop.call({ method: 'POST', url, payload: { products }, headers })).status, 409)
})

test('twenty concurrent requests with one key and cart open one session; another cart with that key gets a 409', async () => {
  const product = await makeProduct(shop.database.db)
  const headers = { 'idempotency-key': `key-${product.id}` }
  const before = (await sessionsAtProvider()).length
  const all = await Promise.all(
    Array.from({ length: 20 }, () => openSession(shop, [{ _id: product.id, quantity: 1 }], headers)),
  )
  assert.equal(new Set(all.map(({ id }) => id)).size, 1)
  assert.equal((await sessionsAtProvider()).length, before + 1)
  const other = await shop.call<{ code: string }>({
    method: 'POST',
    url: '/api/orders/create-checkout-session',
    payload: { products: [{ _id: product.id, quantity: 2 }] },
    headers,
  })
  assert.equal(other.status, 409)
  assert.equal(other.body.code, 'key_reused')
})

test('of concurrent requests with different carts under one key, one opens a session and the rest get a 409', async () => {
  const product = await makeProduct(shop.database.db)
  const open = (quantity: number) =>
    shop.call({
      method: 'POST',
      url: '/api/orders/create-checkout-session',
      payload: { products: [{ _id: product.id, quantity }] },
      headers: { 'idempotency-key': `carts-${product.id}` },
    })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => open(index + 1)))
  const taken = answers.filter(({ status }) => status !== 409)
  assert.deepEqual(
    taken.map(({ status }) => status),
    [201],
  )
})

test('a guest and two users with the same idempotency key get separate sessions', async () => {
  const { db } = shop.database
  const product = await makeProduct(db)
  const callers = [{}, (await makeUser(db)).headers, (await makeUser(db)).headers]
  const ids = new Set<string>()
  for (const headers of callers) {
    const keyed = { ...headers, 'idempotency-key': `weak-${product.id}` }
    ids.add((await openSession(shop, [{ _id: product.id, quantity: 1 }], keyed)).id)
  }
  assert.equal(ids.size, 3)
})

test('accepts idempotency keys of up to 255 characters, spaces included', async () => {
  const product = await makeProduct(shop.database.db)
  for (const [key, status] of [
    ['1', 201],
    ['a b', 201],
    ['k'.repeat(255), 201],
    ['k'.repeat(256), 400],
  ] as const) {
    const answer = await shop.call({
      method: 'POST',
      url: '/api/orders/create-checkout-session',
      payload: { products: [{ _id: product.id, quantity: 1 }] },
      headers: { 'idempotency-key': key },
    })
    assert.equal(answer.status, status, key)
  }
})

test('a key whose session expired unpaid opens a new session, as does every request without a key', async () => {
  const product = await makeProduct(shop.database.db)
  const lines = [{ _id: product.id, quantity: 1 }]
  const headers = { 'idempotency-key': `ended-${product.id}` }
  const first = await openSession(shop, lines, headers)
  await practiceStripe(shop).checkout.sessions.expire(first.id)
  await signal(shop, 'checkout.session.expired', { id: first.id })
  const second = await openSession(shop, lines, headers)
  assert.notEqual(second.id, first.id)
  // Also after a session whose end was not reported.
  await practiceStripe(shop).checkout.sessions.expire(second.id)
  await shop.database.db
    .update(checkouts)
    .set({ expiresAt: new Date(0) })
    .where(eq(checkouts.sessionId, second.id))
  assert.notEqual((await openSession(shop, lines, headers)).id, second.id)
  assert.notEqual((await openSession(shop, lines)).id, (await openSession(shop, lines)).id)
})

test('a key whose order was deleted opens a new session', async () => {
  const product = await makeProduct(shop.database.db)
  const open = () =>
    openSession(shop, [{ _id: product.id, quantity: 1 }], { 'idempotency-key': `deleted-${product.id}` })
  const first = await open()
  await submitCard(first.url)
  await confirm(shop, first.id)
  assert.equal((await open()).id, first.id)
  await shop.database.db.update(orders).set({ deletedAt: new Date() }).where(eq(orders.sessionId, first.id))
  const second = await open()
  assert.notEqual(second.id, first.id)
  assert.equal((await open()).id, second.id)
})

test('somebody else’s userId in the body is ignored', async () => {
  const product = await makeProduct(shop.database.db)
  const victim = await makeUser(shop.database.db)
  const answer = await shop.call<{ id: string }>({
    method: 'POST',
    url: '/api/orders/create-checkout-session',
    payload: { products: [{ _id: product.id, quantity: 1 }], userId: victim.user.id },
  })
  assert.equal((await checkoutOf(answer.body.id))?.userId, null)
})

test('forged, unsigned, stale and re-serialised webhook events get a 400 and make no order', async () => {
  const { session } = await paidSession()
  const object = { id: session.id }
  const payload = JSON.stringify({ type: 'checkout.session.completed', data: { object } })
  const sign = (timestamp: number) =>
    practiceStripe(shop).webhooks.generateTestHeaderString({
      payload,
      secret: 'whsec_test_secret',
      timestamp,
    })
  const now = Math.floor(Date.now() / 1000)
  const send = (signature: string | undefined, body: string) =>
    shop.call({
      method: 'POST',
      url: '/api/payments/webhook',
      payload: body,
      headers: { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) },
    })
  assert.equal((await signal(shop, 'checkout.session.completed', object, 'whsec_other')).status, 400)
  assert.equal((await send(undefined, payload)).status, 400)
  assert.equal((await send(sign(now - 301), payload)).status, 400)
  assert.equal((await send(sign(now), `${payload} `)).status, 400)
  assert.equal((await send(sign(now), '')).status, 400)
  assert.equal((await ordersOf(session.id)).length, 0)
})

test('while a webhook secret is rotated, events signed with the old or the new one are accepted, others refused', async () => {
  const secrets = ['whsec_the_new_one', 'whsec_the_old_one']
  const provider = stripeProvider({
    publicUrl: shop.config.publicUrl,
    secretKey: 'sk_test_practice',
    apiBase: shop.practice.url,
    webhookSecrets: secrets,
  })
  const app = await buildApp({ ...shop, provider })
  const call: TestApp['call'] = async <T>(options: InjectOptions) => {
    const { statusCode: status, headers, body } = await app.inject(options)
    return { status, headers, body: JSON.parse(body) as T }
  }
  const exchanging = { ...shop, app, call }
  for (const secret of secrets) {
    const { session } = await paidSession()
    const { status } = await signal(exchanging, 'checkout.session.completed', { id: session.id }, secret)
    assert.equal(status, 200)
    assert.equal((await ordersOf(session.id)).length, 1)
  }
  const { session } = await paidSession()
  assert.equal((await signal(exchanging, 'checkout.session.completed', { id: session.id })).status, 400)
  assert.equal((await ordersOf(session.id)).length, 0)
  await app.close()
})

test('a return path becomes a URL of this shop; a foreign, invalid or too long one becomes the home page', () => {
  const home = 'https://shop.example'
  assert.equal(shopUrlOf('/shop/abc?x=1', home), `${home}/shop/abc?x=1`)
  assert.equal(shopUrlOf(`/shop?a=${'b'.repeat(1900)}`, home), `${home}/shop?a=${'b'.repeat(1900)}`)
  for (const path of [
    `/shop?a=${'b'.repeat(2000)}`,
    `/shop?a=${'é'.repeat(1000)}`,
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    // Has the shop's origin, but a path that is a whole URL.
    `blob:${home}/cart`,
    '',
    undefined,
  ]) {
    assert.equal(shopUrlOf(path, home), `${home}/`)
  }
})
