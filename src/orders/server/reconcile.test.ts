import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eq } from 'drizzle-orm'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeOrder, makeProduct } from '#shop/testing/factories.ts'
import { confirm, openSession, practiceStripe } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { compareSession, type ComparedOrder } from './compare-session.ts'
import { demoIds } from './demo-orders.ts'
import { describeReport, reconcile } from './reconcile.ts'
import type { ListedSession } from './stripe-mapping.ts'
import { checkouts, orderLines, orders, paymentBreaks } from './tables.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const compareNow = (repairs = false) =>
  reconcile({ db: shop.database.db, provider: shop.provider, log: () => {} }, { repairs })
const kindsOf = async (repairs = false) =>
  (await compareNow(repairs)).differences.map(({ kind }) => kind).sort()

async function paidSession() {
  const product = await makeProduct(shop.database.db, { priceCents: 1999 })
  const session = await openSession(shop, [{ _id: product.id, quantity: 2 }])
  await submitCard(session.url)
  return session
}

async function refundDollar(sessionId: string): Promise<void> {
  const stripe = practiceStripe(shop)
  const payment_intent = String((await stripe.checkout.sessions.retrieve(sessionId)).payment_intent)
  await stripe.refunds.create({ payment_intent, amount: 100 })
}

test('a missing order and an unrecorded refund are found and repaired', async () => {
  const [lost, made] = [await paidSession(), await paidSession()]
  await confirm(shop, made.id)
  await refundDollar(made.id)
  assert.deepEqual(await kindsOf(), ['missing order', 'refund'])
  const report = await compareNow(true)
  assert.equal(report.repaired.length, 2)
  assert.deepEqual(report.differences, [])
  // A deleted order was paid like any other.
  await shop.database.db.update(orders).set({ deletedAt: new Date() }).where(eq(orders.sessionId, made.id))
  assert.deepEqual(describeReport(await compareNow()), [
    '2 sessions at the provider (2 paid), 2 orders in the shop.',
    'Nothing differs.',
  ])
  assert.equal((await confirm(shop, lost.id)).status, 200)
})

test('differences that cannot be repaired safely are reported and left as they are', async () => {
  const db = shop.database.db
  const [amount, line, review] = [await paidSession(), await paidSession(), await paidSession()]
  const refunded = await paidSession()
  for (const each of [amount, line, refunded]) await confirm(shop, each.id)
  const unpaid = await openSession(shop, [{ _id: (await makeProduct(db)).id, quantity: 1 }])
  const stranger = await makeOrder(db, { sessionId: unpaid.id })
  const unknown = await makeOrder(db)
  await db.update(orders).set({ amountCents: 4000 }).where(eq(orders.sessionId, amount.id))
  const changed = (await db.select().from(orders).where(eq(orders.sessionId, line.id)))[0]
  await db
    .update(orderLines)
    .set({ quantity: 1 })
    .where(eq(orderLines.orderId, changed?.id ?? ''))
  await db.update(checkouts).set({ amountCents: 1 }).where(eq(checkouts.sessionId, review.id))
  await confirm(shop, review.id)
  await db.update(orders).set({ refundedCents: 50 }).where(eq(orders.sessionId, refunded.id))
  const all = ['amount', 'lines', 'needs review', 'no session', 'not paid', 'refund', 'sum']
  assert.deepEqual(await kindsOf(), all)
  assert.deepEqual(await kindsOf(true), all)
  const text = describeReport(await compareNow()).join('\n')
  const ids = [amount.id, line.id, review.id, refunded.id, unpaid.id, stranger.paymentId, unknown.sessionId]
  for (const id of ids) assert.ok(text.includes(id), id)
  assert.match(text, /7 differences are left\.$/)
})

test('of an order’s differences, those that could be repaired are told apart from those that are left', async () => {
  const { db } = shop.database
  const { id } = await paidSession()
  await confirm(shop, id)
  await refundDollar(id)
  await db.update(orders).set({ amountCents: 4000 }).where(eq(orders.sessionId, id))
  const { repaired, differences } = await compareNow(true)
  const kinds = (of: typeof repaired) =>
    of.filter(({ sessionId }) => sessionId === id).map(({ kind }) => kind)
  assert.deepEqual(kinds(repaired), ['refund'])
  assert.deepEqual(kinds(differences), ['amount'])
})

test('demo orders and sessions of other shops are counted but not reported as differences', async () => {
  const before = await compareNow()
  await makeOrder(shop.database.db, demoIds('a', 'b'))
  await practiceStripe(shop).checkout.sessions.create({
    mode: 'payment',
    success_url: 'http://localhost/x',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'x' } } },
    ],
  })
  const after = await compareNow()
  assert.equal(after.demoOrders, 1)
  assert.equal(after.foreignSessions, 1)
  assert.equal(after.differences.length, before.differences.length)
  const text = describeReport(after).join('\n')
  assert.match(text, /1 demo order without a session/)
  assert.match(text, /1 session without a reference to this shop/)
})

test('a payment belongs to the checkout that it names, or else to the one that its session is recorded for', async () => {
  const { db } = shop.database
  const [named, unpaid] = [
    await paidSession(),
    await openSession(shop, [{ _id: (await makeProduct(db)).id, quantity: 1 }]),
  ]
  await db.update(checkouts).set({ sessionId: null }).where(eq(checkouts.sessionId, named.id))
  const unnamed = await practiceStripe(shop).checkout.sessions.create({
    mode: 'payment',
    success_url: 'http://localhost/x',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'x' } } },
    ],
  })
  await submitCard(unnamed.url ?? assert.fail())
  await db.update(checkouts).set({ sessionId: unnamed.id }).where(eq(checkouts.sessionId, unpaid.id))
  // What an admin has closed says nothing about other payments.
  await db.update(paymentBreaks).set({ closedAt: new Date() })
  const { differences } = await compareNow()
  for (const { id } of [named, unnamed])
    assert.equal(differences.find(({ sessionId }) => sessionId === id)?.kind, 'missing order')
})

test('sessions beyond the provider’s first page are compared too', async () => {
  const stripe = practiceStripe(shop)
  const before = await compareNow()
  const product = await makeProduct(shop.database.db)
  for (let count = 0; count < 105; count++) await openSession(shop, [{ _id: product.id, quantity: 1 }])
  const all = await Array.fromAsync(stripe.checkout.sessions.list({ limit: 100 }))
  const report = await compareNow()
  assert.equal(report.sessions, all.length)
  assert.equal(report.sessions, before.sessions + 105)
})

test('orders beyond the first thousand are compared too, and only what differs is looked up once more', async () => {
  const { db } = shop.database
  await Promise.all(
    Array.from({ length: 1000 }, (_, count) => makeOrder(db, demoIds(`c${count}`, `o${count}`))),
  )
  const last = await makeOrder(db, { id: 'zzzz' })
  const lookedUp: string[] = []
  const provider = {
    ...shop.provider,
    findListedSession(sessionId: string) {
      lookedUp.push(sessionId)
      return shop.provider.findListedSession(sessionId)
    },
  }
  const report = await reconcile({ db, provider, log: () => {} }, { repairs: false })
  assert.equal(report.orders, await db.$count(orders))
  const differing = report.differences.map(({ sessionId }) => sessionId)
  assert.ok(differing.includes(last.sessionId))
  assert.deepEqual(lookedUp.sort(), [...new Set(differing)].sort())
})

const sock = { name: 'Sock', priceCents: 100, quantity: 1 }
const tie = { name: 'Tie', priceCents: 200, quantity: 1 }
const session: ListedSession = {
  id: 'cs_test_1',
  checkoutId: 'c1',
  state: 'complete',
  payment: 'paid',
  amountCents: 300,
  currency: 'usd',
  isOurMode: true,
  paymentId: 'pi_1',
  email: null,
  shippingAddress: null,
  refundedCents: 0,
  isGivenBack: false,
  lines: [{ name: 'Sock', priceCents: 100, quantity: 3 }],
}
const order: ComparedOrder = {
  ...session,
  id: 'o1',
  sessionId: 'cs_test_1',
  paymentId: 'pi_1',
  checkoutId: 'c1',
}

const cases: [
  why: string,
  session: Partial<ListedSession>,
  order: Partial<ComparedOrder>,
  kinds: string[],
  isRepairable?: true,
][] = [
  ['nothing', {}, {}, []],
  ['a different amount', { amountCents: 200 }, {}, ['amount', 'sum']],
  ['a different currency', { currency: 'eur' }, {}, ['currency']],
  [
    'a different price and quantity',
    { lines: [{ name: 'Sock', priceCents: 300, quantity: 1 }] },
    {},
    ['lines'],
  ],
  ['a different product name', { lines: [{ name: 'Hat', priceCents: 100, quantity: 3 }] }, {}, ['lines']],
  ['a different payment id', { paymentId: 'pi_2' }, {}, ['payment']],
  ['a missing reference', { checkoutId: null }, {}, ['reference']],
  ['the wrong mode', { isOurMode: false }, {}, ['mode']],
  ['a smaller refund in the shop, as repairable', { refundedCents: 5 }, {}, ['refund'], true],
  ['a larger refund in the shop', {}, { refundedCents: 5 }, ['refund']],
  ['an unpaid session', { payment: 'unpaid' }, {}, ['not paid']],
  ['nothing for a session with nothing to pay', { payment: 'nothing-to-pay' }, {}, []],
  [
    'nothing for lines in another order and names with spaces around them',
    { lines: [tie, sock] },
    { lines: [{ ...sock, name: ' Sock ' }, tie] },
    [],
  ],
]
for (const [why, changedSession, changedOrder, kinds, isRepairable = false] of cases) {
  test(`comparing a session with its order reports ${why}`, () => {
    const shopSide = {
      orders: [{ ...order, ...changedOrder }],
      checkout: { id: 'c1' },
      paymentBreak: undefined,
    }
    const found = compareSession({ ...session, ...changedSession }, shopSide)
    assert.deepEqual(
      found.map(({ kind }) => kind),
      kinds,
    )
    assert.equal(
      found.some((each) => each.isRepairable),
      isRepairable,
    )
    for (const each of found) assert.equal(each.todo.includes('--repair'), each.isRepairable)
  })
}

test('two orders for one session are reported as a difference', () => {
  const twice = { orders: [order, { ...order, id: 'o2' }], checkout: { id: 'c1' }, paymentBreak: undefined }
  assert.deepEqual(
    compareSession(session, twice).map(({ kind }) => kind),
    ['two orders'],
  )
})

test('a session without a reference is ignored unless the shop has it recorded', () => {
  const none = { orders: [], checkout: undefined, paymentBreak: undefined }
  const paid = { ...session, checkoutId: null }
  assert.deepEqual(compareSession(paid, none), [])
  const [found] = compareSession(paid, { ...none, checkout: { id: 'c1' } })
  assert.deepEqual([found?.kind, found?.isRepairable], ['missing order', true])
})

test('a payment for a checkout that the shop does not have is reported, and not repaired', () => {
  const [found] = compareSession(session, { orders: [], checkout: undefined, paymentBreak: undefined })
  assert.deepEqual([found?.kind, found?.isRepairable], ['unknown checkout', false])
})

test('a fully refunded session without an order is not a difference', () => {
  const none = { orders: [], checkout: { id: 'c1' }, paymentBreak: { closedAt: null } }
  assert.deepEqual(compareSession({ ...session, refundedCents: 300, isGivenBack: true }, none), [])
})

test('a break is reported as needing review until an admin closes it', () => {
  const shop = (closedAt: Date | null) => ({
    orders: [],
    checkout: { id: 'c1' },
    paymentBreak: { closedAt },
  })
  const kinds = (closedAt: Date | null) =>
    compareSession({ ...session, refundedCents: 100 }, shop(closedAt)).map(({ kind }) => kind)
  assert.deepEqual(kinds(null), ['needs review'])
  assert.deepEqual(kinds(new Date()), [])
})
