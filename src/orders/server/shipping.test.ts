import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eq } from 'drizzle-orm'
import type { Order } from '#shop/orders/contract.ts'
import { cards, submitCard } from '#shop/testing/card-page.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, practiceStripe } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { settle } from './settle.ts'
import { sessionOf } from './stripe-mapping.ts'
import { orders } from './tables.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp({ environment: { SHIP_TO: 'us, de, US' } })
})
after(() => shop.close())

const typed = {
  shippingName: 'Ann Lee',
  country: 'DE',
  line1: 'Lange Straße 5',
  line2: '',
  postalCode: '04103',
  city: 'Leipzig',
  state: '',
}
const storedAddress = {
  name: 'Ann Lee',
  country: 'DE',
  line1: 'Lange Straße 5',
  line2: null,
  postalCode: '04103',
  city: 'Leipzig',
  state: null,
}

async function newSession(headers: Record<string, string> = {}) {
  const product = await makeProduct(shop.database.db)
  return openSession(shop, [{ _id: product.id, quantity: 1 }], headers)
}

test('the payment page requires a delivery address in a country that the shop ships to', async () => {
  const { id, url } = await newSession()
  const retrieved = await practiceStripe(shop).checkout.sessions.retrieve(id)
  assert.deepEqual(retrieved.shipping_address_collection?.allowed_countries, ['US', 'DE'])
  const page = await (await fetch(url)).text()
  for (const text of ['Delivery address', 'Full name', '<option value="DE" >Germany</option>']) {
    assert.ok(page.includes(text), text)
  }
  for (const wrong of [{}, { ...typed, line1: '' }, { ...typed, country: 'FR' }, { ...typed, city: 'a\0' }]) {
    assert.equal(await submitCard(url, cards.pays, wrong), null, JSON.stringify(wrong))
  }
  assert.equal((await practiceStripe(shop).checkout.sessions.retrieve(id)).payment_status, 'unpaid')
  assert.match((await submitCard(url, cards.pays, typed)) ?? '', /success/)
})

test('an order shows its delivery address to its owner and to admins only', async () => {
  const [owner, other] = [await makeUser(shop.database.db), await makeUser(shop.database.db)]
  const admin = await makeUser(shop.database.db, { role: 'admin' })
  const { id, url } = await newSession(owner.headers)
  assert.match((await submitCard(url, cards.needsAuthorization, typed)) ?? '', /authorize/)
  await fetch(`${url}/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'authorize' }),
    redirect: 'manual',
  })
  const { orderId } = (await confirm(shop, id)).body.data
  const fetchOrderAs = async (headers: Record<string, string>) =>
    (await shop.call<{ data: Order }>({ url: `/api/orders/order/${orderId}`, headers })).body.data
  assert.deepEqual((await fetchOrderAs(owner.headers)).shippingAddress, storedAddress)
  assert.deepEqual((await fetchOrderAs(admin.headers)).shippingAddress, storedAddress)
  for (const headers of [{}, other.headers]) {
    const order = await fetchOrderAs(headers)
    assert.equal(order.orderId, orderId)
    assert.ok(!JSON.stringify(order).includes('Leipzig'))
  }
  const list = await shop.call<{ data: Order[] }>({ url: '/api/orders/', headers: admin.headers })
  assert.deepEqual(list.body.data[0]?.shippingAddress, storedAddress)
})

// The first shows as somebody else's address, the second is longer than any may be, the third cannot be stored.
for (const [what, email] of [
  ['displays as a different one', 'eve\u202emoc.knab@example.com'],
  ['is too long', `${'e'.repeat(250)}@e.ee`],
  ['cannot be stored', 'e\0@example.com'],
] as const)
  test(`an order keeps the storable parts of an address, and drops an e-mail that ${what}`, async () => {
    const { id, url } = await newSession()
    await submitCard(url, cards.pays, typed)
    const findSession = async () => {
      const session = await practiceStripe(shop).checkout.sessions.retrieve(id)
      // A provider may break what its types promise.
      const address = { city: 'a\0b', line1: 'half \ud800 \u202eand back', line2: 'x'.repeat(10_000) }
      const shipping_details = {
        name: 5 as unknown as string,
        address: { ...address, country: 'DE', postal_code: null, state: null },
      }
      const collected_information = { business_name: null, individual_name: null, shipping_details }
      const customer_details = { ...session.customer_details, email }
      return sessionOf({ ...session, collected_information, customer_details } as typeof session, false)
    }
    const { provider } = shop
    const { db } = shop.database
    const settled = await settle({ db, provider: { ...provider, findSession }, log: () => {} }, id)
    assert.equal(settled.outcome, 'ordered')
    const [row] = await db.select().from(orders).where(eq(orders.sessionId, id))
    assert.equal(row?.email, null)
    assert.deepEqual(row?.shippingAddress, {
      name: null,
      city: 'a b',
      line1: 'half \ufffd and back',
      line2: 'x'.repeat(500),
      country: 'DE',
      postalCode: null,
      state: null,
    })
  })

test('without SHIP_TO, customers are asked for no address and orders have none', async (t) => {
  const without = await startTestApp()
  t.after(() => without.close())
  const product = await makeProduct(without.database.db)
  const { id, url } = await openSession(without, [{ _id: product.id, quantity: 1 }])
  assert.ok(!(await (await fetch(url)).text()).includes('Delivery'))
  assert.match((await submitCard(url)) ?? '', /success/)
  assert.equal((await confirm(without, id)).status, 200)
  const rows = await without.database.pool.query<{ isUnset: boolean }>(
    'select shipping_address is null as "isUnset" from orders',
  )
  assert.deepEqual(rows.rows, [{ isUnset: true }])
})
