import assert from 'node:assert/strict'
import { after, before, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eq, inArray, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { openDatabase } from '#shop/platform/database.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { cards, submitCard } from '#shop/testing/card-page.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { confirm, openSession, practiceStripe } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { expireCheckout, recordSession } from './checkouts.ts'
import { openCheckout } from './open-checkout.ts'
import type { PaymentProvider } from './stripe.ts'
import { startSweep, sweep } from './sweep.ts'
import { checkouts, orders, paymentBreaks } from './tables.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())
// A sweep also asks about what other tests have left open, which takes longer the more that is.
beforeEach(async () => {
  const isOpen = inArray(checkouts.state, ['creating', 'open'])
  await shop.database.db.update(checkouts).set({ state: 'expired' }).where(isOpen)
})

async function openSome(count: number): Promise<{ id: string; url: string }[]> {
  const product = await makeProduct(shop.database.db)
  const sessions = []
  for (let at = 0; at < count; at++)
    sessions.push(await openSession(shop, [{ _id: product.id, quantity: 1 }]))
  return sessions
}

const ordersOf = (sessionId: string) =>
  shop.database.db.select().from(orders).where(eq(orders.sessionId, sessionId))

// The SDK's error when there is something wrong with one session.
const refusal = Object.assign(unavailable('provider_unavailable', 'refused'), {
  cause: new Stripe.errors.StripeInvalidRequestError({ type: 'invalid_request_error', message: 'no' }),
})

/** Makes checkouts look as if the provider's response was lost; returns when they were created. */
async function loseSession(...ids: string[]): Promise<Date> {
  const createdAt = new Date(Date.now() - 60_000)
  await shop.database.db
    .update(checkouts)
    .set({ state: 'creating', sessionId: null, sessionUrl: null, createdAt })
    .where(inArray(checkouts.sessionId, ids))
  return createdAt
}

function countingProvider(failsFor: string[] = []): { provider: PaymentProvider; retrieved: string[] } {
  const retrieved: string[] = []
  const findSession = (id: string) => {
    retrieved.push(id)
    return failsFor.includes(id) ? Promise.reject(refusal) : shop.provider.findSession(id)
  }
  return { provider: { ...shop.provider, findSession }, retrieved }
}

test('the sweep asks the provider once about each open checkout, including those after the first batch', async () => {
  const sessions = await openSome(103)
  const { provider, retrieved } = countingProvider()
  await sweep({ db: shop.database.db, provider, log: () => {} })
  const ids = sessions.map(({ id }) => id)
  assert.deepEqual(retrieved.filter((id) => ids.includes(id)).toSorted(), ids.toSorted())
})

test('a checkout does not expire if a session was recorded since it was read', async () => {
  const { db } = shop.database
  const [session] = await openSome(1)
  const isThis = eq(checkouts.sessionId, session?.id ?? '')
  const [checkout] = await db.select().from(checkouts).where(isThis)
  assert.ok(session && checkout)
  await db.update(checkouts).set({ state: 'creating', sessionId: null }).where(isThis)
  await recordSession(db, checkout.id, session)
  await expireCheckout(db, { id: checkout.id, sessionId: null })
  assert.equal((await db.select().from(checkouts).where(isThis))[0]?.state, 'open')
  await expireCheckout(db, checkout)
  assert.equal((await db.select().from(checkouts).where(isThis))[0]?.state, 'expired')
})

test('the sweep ignores a checkout whose session is being opened, and its key still leads to that session', async () => {
  const { db } = shop.database
  const { id } = await makeProduct(db)
  const request = { lines: [{ _id: id, quantity: 1 }], userId: null, key: id, returnTo: '/', shipTo: [] }
  const parts = { db, provider: shop.provider, log: () => {} }
  const openBesideSweep: PaymentProvider['openSession'] = async (wanted) => {
    let timesSought = 0
    const listOpened: PaymentProvider['listOpened'] = (since) => {
      timesSought += 1
      return shop.provider.listOpened(since)
    }
    await sweep({ ...parts, provider: { ...shop.provider, listOpened } })
    assert.equal(timesSought, 0)
    return shop.provider.openSession(wanted)
  }
  const first = await openCheckout(
    { ...parts, provider: { ...shop.provider, openSession: openBesideSweep } },
    request,
  )
  assert.deepEqual(await openCheckout(parts, request), first)
})

test('checkouts that the provider refuses to answer about are logged and do not hold up the others', async () => {
  const sessions = await openSome(20)
  const bad = sessions.slice(0, 15).map(({ id }) => id)
  const good = sessions.at(-1)
  await submitCard(good?.url ?? '')
  const { provider } = countingProvider(bad)
  const lines: string[] = []
  await sweep({ db: shop.database.db, provider, log: (line) => lines.push(line) })
  assert.equal((await ordersOf(good?.id ?? '')).length, 1)
  assert.equal(lines.length, 15)
})

for (const [name, listOpened] of [
  ['checkouts that get no answer do not hold up the others', undefined],
  [
    'checkouts that get no answer do not hold up the others, even if the list of sessions is refused',
    () => Promise.reject(refusal),
  ],
] satisfies [string, (() => Promise<never>)?][])
  test(name, async () => {
    const sessions = await openSome(20)
    const good = sessions.at(-1)
    await submitCard(good?.url ?? '')
    const down = unavailable('provider_unavailable', 'nobody answers for this one')
    const provider: PaymentProvider = {
      ...shop.provider,
      findSession: (id) => (id === good?.id ? shop.provider.findSession(id) : Promise.reject(down)),
      async *listOpened(since) {
        await listOpened?.()
        yield* shop.provider.listOpened(since)
      },
    }
    await sweep({ db: shop.database.db, provider, log: () => {} })
    assert.equal((await ordersOf(good?.id ?? '')).length, 1)
  })

test('after a rate limit error the same sweep tries again, a limited number of times', async () => {
  const [session, lost, never] = await openSome(3)
  assert.ok(session && lost && never)
  for (const { url } of [session, lost]) await submitCard(url)
  await loseSession(lost.id)
  const tooFast = Object.assign(unavailable('provider_unavailable', 'too fast'), {
    cause: new Stripe.errors.StripeRateLimitError({ type: 'api_error', message: 'Too many requests' }),
  })
  let isRefused = false
  const findSession: PaymentProvider['findSession'] = (id) => {
    if (id === never.id) return Promise.reject(tooFast)
    if (id !== session.id || isRefused) return shop.provider.findSession(id)
    isRefused = true
    return Promise.reject(tooFast)
  }
  let lists = 0
  const listOpened: PaymentProvider['listOpened'] = async function* (since) {
    lists += 1
    if (lists === 1) throw tooFast
    yield* shop.provider.listOpened(since)
  }
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  await sweep({ db: shop.database.db, provider: { ...shop.provider, findSession, listOpened }, log })
  assert.ok(isRefused)
  for (const { id } of [session, lost]) assert.equal((await ordersOf(id)).length, 1)
  // The retries come to an end.
  assert.equal(lines.length, 1, lines.join())
})

test('the sweep gives up early when the provider does not answer at all', async () => {
  await openSome(50)
  const down = unavailable('provider_unavailable', 'down')
  const findSession = () => Promise.reject(down)
  // Also if the provider answered at first.
  for (const [timesThere, least, most] of [
    [0, 1, 20],
    [1, 20, 40],
  ] as const) {
    let times = 0
    async function* listOpened(): ReturnType<PaymentProvider['listOpened']> {
      times += 1
      if (times > timesThere) yield await Promise.reject<never>(down)
    }
    const lines: string[] = []
    await sweep({
      db: shop.database.db,
      provider: { ...shop.provider, findSession, listOpened },
      log: (line) => lines.push(line),
    })
    assert.ok(lines.length >= least && lines.length < most, `${lines.length}`)
  }
})

test('a sweep that is stopped asks about no further checkouts', async () => {
  await openSome(10)
  const { provider, retrieved } = countingProvider()
  const isStopped = () => retrieved.length > 0
  await sweep({ db: shop.database.db, provider, log: () => {} }, { isStopped })
  assert.ok(retrieved.length > 0 && retrieved.length < 5, `${retrieved.length}`)
})

test('a sweep without a database logs the failure and that it will try again', async () => {
  const gone = openDatabase({ host: '127.0.0.1', port: await freePort() }, () => {})
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  await sweep({ db: gone.db, provider: shop.provider, log })
  await gone.close()
  assert.match(lines.join('\n'), /^Open checkouts could not be checked, trying again in a minute: .+/m)
})

test('the sweep records a refund whose webhook events were lost', async () => {
  const [session] = await openSome(1)
  assert.ok(session)
  await submitCard(session.url)
  await confirm(shop, session.id)
  const order = (await ordersOf(session.id))[0]
  await practiceStripe(shop).refunds.create({ payment_intent: order?.paymentId ?? '', amount: 700 })
  await sweep({ db: shop.database.db, provider: shop.provider, log: () => {} })
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 700)
})

test('the sweep asks once about a payment with several refunds, and not again once they are recorded', async () => {
  const [session] = await openSome(1)
  assert.ok(session)
  await submitCard(session.url)
  await confirm(shop, session.id)
  const paymentId = (await ordersOf(session.id))[0]?.paymentId ?? ''
  for (const amount of [300, 400])
    await practiceStripe(shop).refunds.create({ payment_intent: paymentId, amount })
  const retrieved: string[] = []
  const findSessionOfPayment: PaymentProvider['findSessionOfPayment'] = (id) => {
    retrieved.push(id)
    return shop.provider.findSessionOfPayment(id)
  }
  const provider = { ...shop.provider, findSessionOfPayment }
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await sweep({ db: shop.database.db, provider, log: () => {} })
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 700)
  assert.deepEqual(
    retrieved.filter((id) => id === paymentId),
    [paymentId],
  )
})

test('the sweep records a failed refund whose webhook events were lost', async () => {
  const [session] = await openSome(1)
  assert.ok(session)
  await submitCard(session.url, cards.refundsFail)
  await confirm(shop, session.id)
  const order = (await ordersOf(session.id))[0]
  await practiceStripe(shop).refunds.create({ payment_intent: order?.paymentId ?? '', amount: 700 })
  await shop.database.db.update(orders).set({ refundedCents: 700 }).where(eq(orders.sessionId, session.id))
  await sweep({ db: shop.database.db, provider: shop.provider, log: () => {} })
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 0)
})

test('open checkouts just past their expiry are swept every minute, those further past it every ten minutes', async () => {
  const [late, ending, open] = await openSome(3)
  assert.ok(late && ending && open)
  for (const [{ id }, minutes] of [
    [late, 10],
    [ending, 2],
  ] as const)
    await shop.database.db
      .update(checkouts)
      .set({ expiresAt: sql`now() - make_interval(mins => ${minutes})` })
      .where(eq(checkouts.sessionId, id))
  const { provider, retrieved } = countingProvider()
  const timesAsked = ({ id }: { id: string }) => retrieved.filter((each) => each === id).length
  mock.timers.enable({ apis: ['setInterval'] })
  const { stop } = startSweep({ db: shop.database.db, provider, log: () => {} })
  while (timesAsked(open) < 21) {
    await setImmediate()
    mock.timers.tick(60_000)
  }
  mock.timers.reset()
  await stop()
  assert.equal(timesAsked(late), 3)
  assert.ok(timesAsked(ending) >= 20, 'what has just ended may have been paid in its last minute')
})

/** An order of which $7 were refunded. */
async function refundSome() {
  const [session] = await openSome(1)
  assert.ok(session)
  await submitCard(session.url)
  await confirm(shop, session.id)
  const paymentId = (await ordersOf(session.id))[0]?.paymentId ?? ''
  await practiceStripe(shop).refunds.create({ payment_intent: paymentId, amount: 700 })
  return { session, paymentId }
}

test('after a start, sweeps check the refunds of 30 days until all are recorded, and then those of 4 days', async () => {
  const { session, paymentId } = await refundSome()
  const since: number[] = []
  const listRefunds: PaymentProvider['listRefunds'] = async function* (from) {
    since.push(Math.round((Date.now() - from.getTime()) / 86_400_000))
    if (since.at(-1) === 4) return
    if (since.length === 1) throw unavailable('provider_unavailable', 'not yet')
    yield { paymentId, refundedCents: 700 }
  }
  let timesSettled = 0
  const findSessionOfPayment: PaymentProvider['findSessionOfPayment'] = (id) => {
    timesSettled += 1
    if (timesSettled === 1) throw unavailable('provider_unavailable', 'not yet')
    return shop.provider.findSessionOfPayment(id)
  }
  const provider = { ...shop.provider, listRefunds, findSessionOfPayment }
  mock.timers.enable({ apis: ['setInterval'] })
  const { stop } = startSweep({ db: shop.database.db, provider, log: () => {} })
  while (since.length < 4) {
    await setImmediate()
    mock.timers.tick(60_000)
  }
  mock.timers.reset()
  await stop()
  assert.deepEqual(since.slice(0, 4), [30, 30, 30, 4])
  assert.equal((await ordersOf(session.id))[0]?.refundedCents, 700)
})

test('the lists of opened sessions and of refunds begin at the given time', async () => {
  await refundSome()
  const { listOpened, listRefunds } = shop.provider
  const hour = 3_600_000
  for (const list of [listOpened, listRefunds]) {
    const firstSince = async (time: number) =>
      (await list(new Date(time))[Symbol.asyncIterator]().next()).done
    assert.deepEqual(
      [await firstSince(Date.now() - hour), await firstSince(Date.now() + hour)],
      [false, true],
    )
  }
})

test('the sweep finds sessions whose response was lost, and makes the order of the paid one', async () => {
  const [lost, unpaid] = await openSome(2)
  assert.ok(lost && unpaid)
  await submitCard(lost.url)
  const { db } = shop.database
  const isEither = inArray(checkouts.sessionId, [lost.id, unpaid.id])
  const askedAt = await loseSession(lost.id, unpaid.id)
  const lists: Date[] = []
  const listOpened: PaymentProvider['listOpened'] = (since) => {
    lists.push(since)
    return shop.provider.listOpened(since)
  }
  await sweep({ db, provider: { ...shop.provider, listOpened }, log: () => {} })
  assert.equal((await ordersOf(lost.id)).length, 1)
  const rows = await db.select().from(checkouts).where(isEither)
  assert.deepEqual(rows.map(({ state }) => state).toSorted(), ['open', 'paid'])
  assert.equal(rows.find(({ state }) => state === 'open')?.sessionUrl, unpaid.url)
  const [since, ...more] = lists
  // Early enough for a provider whose clock differs.
  assert.ok(since && since.getTime() <= askedAt.getTime() - 5 * 60_000)
  assert.deepEqual(more, [])
})

test('the sweep asks again only about recent, open breaks of checkouts that are not paid', async () => {
  const { db } = shop.database
  const sessions = await openSome(4)
  const ids = sessions.map(({ id }) => id)
  await db.update(checkouts).set({ amountCents: 1 }).where(inArray(checkouts.sessionId, ids))
  for (const { id, url } of sessions) {
    await submitCard(url)
    assert.equal((await confirm(shop, id)).status, 409)
  }
  const [settled = '', old = '', paid = '', open] = ids
  const breakOf = (id: string) => eq(paymentBreaks.sessionId, id)
  await db.update(paymentBreaks).set({ closedAt: new Date() }).where(breakOf(settled))
  await db
    .update(paymentBreaks)
    .set({ createdAt: new Date(0) })
    .where(breakOf(old))
  // This checkout has its order: its break is about a second payment.
  await db.update(checkouts).set({ state: 'paid' }).where(eq(checkouts.sessionId, paid))
  const { provider, retrieved } = countingProvider()
  await sweep({ db, provider, log: () => {} })
  assert.deepEqual(
    retrieved.filter((id) => ids.includes(id)),
    [open],
  )
})

test('the sweep settles a checkout even if its creation time is in the future', async () => {
  for (const [when, change] of [
    ['0 seconds', {}],
    ['1 year', {}],
    ['1 year', { state: 'creating', sessionId: null }],
  ] as const) {
    const [session] = await openSome(1)
    assert.ok(session)
    await submitCard(session.url)
    await shop.database.db
      .update(checkouts)
      .set({ createdAt: sql`now() + ${when}::interval`, ...change })
      .where(eq(checkouts.sessionId, session.id))
    await sweep({ db: shop.database.db, provider: shop.provider, log: () => {} })
    assert.equal((await ordersOf(session.id)).length, 1)
  }
})

test('the sweep makes the order of a checkout that expired while its session was being opened', async () => {
  const [session] = await openSome(1)
  assert.ok(session)
  const product = await makeProduct(shop.database.db)
  const openAndGiveUp: PaymentProvider['openSession'] = async (request) => {
    const opened = await shop.provider.openSession(request)
    await shop.database.db
      .update(checkouts)
      .set({ state: 'expired', requestKey: null })
      .where(eq(checkouts.id, request.checkoutId))
    return opened
  }
  const parts = {
    db: shop.database.db,
    provider: { ...shop.provider, openSession: openAndGiveUp },
    log: () => {},
  }
  const lines = [{ _id: product.id, quantity: 1 }]
  const opened = await openCheckout(parts, { lines, userId: null, key: undefined, returnTo: '/', shipTo: [] })
  await submitCard(opened.url)
  await sweep({ db: shop.database.db, provider: shop.provider, log: () => {} })
  assert.equal((await ordersOf(opened.id)).length, 1)
})
