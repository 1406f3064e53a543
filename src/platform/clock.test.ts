import assert from 'node:assert/strict'
import { after, before, beforeEach, mock, test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import { sessions } from '#shop/accounts/server/tables.ts'
import { orders } from '#shop/orders/server/tables.ts'
import { sweep } from '#shop/orders/server/sweep.ts'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, practiceStripe } from '#shop/testing/payments.ts'
import { startTestApp, webhookSecret, type TestApp } from '#shop/testing/test-app.ts'

/**
 * The clock of the shop's machine jumps; the clock of the database, and the one that measures intervals, do not.
 */
let shop: TestApp
before(async () => {
  shop = await startTestApp({ environment: { RATE_LIMITS: 'on' } })
})
beforeEach(() => mock.timers.reset())
after(() => {
  mock.timers.reset()
  return shop.close()
})

const hour = 3_600_000
const jumps = { 'ten minutes': hour / 6, 'two days': 48 * hour, 'a year': 8760 * hour }
const shift = (byMs: number) => mock.timers.enable({ apis: ['Date'], now: Date.now() + byMs })

/**
 * A webhook event signed by the provider's clock, which is right; the returned function sends it, any number of
 * times.
 */
function signalOf(sessionId: string) {
  const payload = JSON.stringify({ type: 'checkout.session.completed', data: { object: { id: sessionId } } })
  const signature = practiceStripe(shop).webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  return () => shop.call({ method: 'POST', url: '/api/payments/webhook', payload, headers })
}

for (const [name, ms] of Object.entries(jumps)) {
  for (const [direction, by] of [
    ['ahead', ms],
    ['back', -ms],
  ] as const) {
    test(`clock ${name} ${direction} between payment and return: the sweep alone makes the one order`, async () => {
      const { db } = shop.database
      const product = await makeProduct(db)
      const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
      await submitCard(session.url)
      shift(by)
      await sweep({ ...shop, db })
      const found = await db.select().from(orders).where(eq(orders.sessionId, session.id))
      assert.equal(found.length, 1)
      assert.equal((await confirm(shop, session.id)).status, 200)
      mock.timers.reset()
      const madeAt = found[0]?.createdAt.getTime() ?? 0
      assert.ok(Math.abs(madeAt - Date.now()) < hour / 12, 'an order is as old as the database says')
    })

    // A webhook event only says which session to ask the provider about. So one signed ahead of our time does no
    // harm, and a shop whose clock is behind accepts all of them.
    test(`clock ${name} ${direction}: a repeated webhook event ${direction === 'back' ? 'makes one order' : 'is refused as too old'}`, async () => {
      const product = await makeProduct(shop.database.db)
      const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
      await submitCard(session.url)
      const send = signalOf(session.id)
      shift(by)
      for (let time = 0; time < 3; time += 1)
        assert.equal((await send()).status, direction === 'back' ? 200 : 400)
      const { db } = shop.database
      const found = await db.select().from(orders).where(eq(orders.sessionId, session.id))
      assert.equal(found.length, direction === 'back' ? 1 : 0)
    })

    test(`clock ${name} ${direction}: a session stays valid, and a login lockout gets no longer`, async () => {
      const { db } = shop.database
      const { headers, user } = await makeUser(db)
      const wrong = { email: user.email, password: 'not the right one' }
      const address = { remoteAddress: `10.1.${ms % 199}.${by > 0 ? 1 : 2}` }
      const logIn = () => shop.call({ method: 'POST', url: '/api/auth/login', payload: wrong, ...address })
      for (let time = 0; time < 5; time += 1) assert.equal((await logIn()).status, 401)
      const before = Number((await logIn()).headers['retry-after'])
      shift(by)
      const refused = await logIn()
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers['retry-after']) <= before)
      assert.equal((await shop.call({ url: '/api/auth/me', headers })).status, 200)
    })
  }
}

test('a session dated hours into the future is refused, and one dated a minute ahead is accepted', async () => {
  const { db } = shop.database
  for (const [ahead, status] of [
    ['1 year', 401],
    ['2 hours', 401],
    ['1 minute', 200],
  ] as const) {
    const { headers, user } = await makeUser(db)
    const later = sql`now() + ${ahead}::interval`
    await db.update(sessions).set({ createdAt: later, lastSeenAt: later }).where(eq(sessions.userId, user.id))
    assert.equal((await shop.call({ url: '/api/auth/me', headers })).status, status, ahead)
  }
})
