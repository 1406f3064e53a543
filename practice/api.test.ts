import assert from 'node:assert/strict'
import { test } from 'node:test'
import type Stripe from 'stripe'
import { cartOf, checkout, goodCard, startForTest, submit } from './testing.ts'

const minute = 60 * 1000
const nowSeconds = () => Math.floor(Date.now() / 1000)

test('a session is created and read through the real client', async (t) => {
  const now = Date.now()
  const { stripe, practice } = await startForTest(t, { now: () => now })
  const created = await stripe.checkout.sessions.create(checkout)
  const read = await stripe.checkout.sessions.retrieve(created.id)
  assert.match(created.id, /^cs_test_[0-9A-Za-z]{58}$/)
  assert.match(created.lastResponse.requestId, /^req_/)
  assert.equal(read.url, `${practice.url}/pay/${created.id}`)
  assert.equal(read.amount_total, 12_256)
  assert.equal(read.status, 'open')
  assert.equal(read.payment_status, 'unpaid')
  assert.equal(read.payment_intent, null)
  assert.equal(read.livemode, false)
  assert.equal(read.client_reference_id, 'checkout-1')
  assert.deepEqual(read.metadata, { checkout_id: 'checkout-1' })
  assert.equal(read.line_items, undefined)
  assert.equal(read.expires_at, Math.floor(now / 1000) + 86_400)
})

test('a paid session leads to its payment intent, charge, line items and products', async (t) => {
  const { stripe } = await startForTest(t)
  const payment_intent_data = { metadata: { checkout_id: 'checkout-1', of: 'the payment' } }
  const { id, url } = await stripe.checkout.sessions.create({ ...checkout, payment_intent_data })
  await submit(url, goodCard)
  await stripe.checkout.sessions.create(checkout)
  const expand = ['payment_intent.latest_charge', 'line_items.data.price.product']
  const paid = await stripe.checkout.sessions.retrieve(id, { expand })
  const intent = paid.payment_intent
  assert.ok(intent && typeof intent === 'object')
  assert.match(intent.id, /^pi_\w{24,}$/)
  assert.deepEqual(intent.metadata, payment_intent_data.metadata)
  const charge = intent.latest_charge
  assert.ok(charge && typeof charge === 'object')
  assert.equal(charge.amount, 12_256)
  assert.equal(charge.payment_method_details?.card?.last4, '4242')
  assert.equal(paid.customer_details?.email, 'ann@example.com')
  const [line] = paid.line_items?.data ?? []
  assert.equal(line?.amount_total, 11_800)
  const product = line?.price?.product
  assert.ok(typeof product === 'object' && !product.deleted)
  assert.equal(product.name, 'Oxford shirt')
  assert.equal((await stripe.paymentIntents.retrieve(intent.id)).amount_received, 12_256)
  assert.equal((await stripe.charges.retrieve(charge.id)).payment_intent, intent.id)
  assert.equal((await stripe.checkout.sessions.listLineItems(id)).data.length, 2)
  const found = await stripe.checkout.sessions.list({
    payment_intent: intent.id,
    expand: ['data.payment_intent'],
  })
  assert.deepEqual(
    found.data.map((session) => session.payment_intent),
    [await stripe.paymentIntents.retrieve(intent.id)].map((body) => ({ ...body })),
  )
})

test('wrong parameters are refused with the name of the parameter', async (t) => {
  const { practice } = await startForTest(t)
  const ask = async (change: Record<string, string | undefined>) => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...plainParams, ...change })) {
      if (value !== undefined) params.set(name, value)
    }
    const url = `http://localhost:${practice.port}/v1/checkout/sessions`
    const response = await fetch(url, {
      method: 'POST',
      body: params,
      headers: { authorization: 'Bearer sk_test_1' },
    })
    const body: unknown = await response.json()
    return { status: response.status, body }
  }
  const secondLineIn = (currency: string) =>
    Object.fromEntries(
      Object.entries(plainParams)
        .filter(([name]) => name.startsWith('line_items'))
        .map(([name, value]) => [name.replace('[0]', '[1]'), value === 'usd' ? currency : value]),
    )
  for (const change of [{}, secondLineIn('usd')]) assert.equal((await ask(change)).status, 200)
  const unit = 'line_items[0][price_data][unit_amount]'
  const cases: [change: Record<string, string | undefined>, param: string | undefined, code?: string][] = [
    [{ mode: undefined }, 'mode', 'parameter_missing'],
    [{ mode: 'subscription' }, 'mode'],
    [{ success_url: undefined }, 'success_url', 'parameter_missing'],
    [{ success_url: '' }, 'success_url', 'parameter_invalid_empty'],
    [{ success_url: 'javascript:alert(1)' }, 'success_url', 'url_invalid'],
    [{ cancel_url: 'data:text/html,x' }, 'cancel_url', 'url_invalid'],
    [{ [unit]: '9.99' }, unit, 'parameter_invalid_integer'],
    [{ [unit]: '-1' }, unit, 'parameter_invalid_integer'],
    [{ [unit]: '49' }, undefined, 'amount_too_small'],
    [{ [unit]: '99999999', 'line_items[0][quantity]': '2' }, undefined, 'amount_too_large'],
    [{ 'line_items[0][quantity]': '0' }, 'line_items[0][quantity]', 'parameter_invalid_integer'],
    [{ 'line_items[0][quantity]': undefined }, 'line_items[0][quantity]', 'parameter_missing'],
    [{ 'line_items[0][price]': 'price_1' }, 'line_items[0][price]', 'parameter_unknown'],
    [{ 'line_items[0][price_data][currency]': 'dollars' }, 'line_items[0][price_data][currency]'],
    [secondLineIn('eur'), 'line_items'],
    [{ sucess_url: 'x' }, 'sucess_url', 'parameter_unknown'],
    [{ '__proto__[a]': 'x' }, '__proto__', 'parameter_unknown'],
    [{ customer_email: 'nobody' }, 'customer_email', 'email_invalid'],
    [{ expires_at: String(nowSeconds() + 29 * 60) }, 'expires_at'],
    [{ expires_at: String(nowSeconds() + 25 * 3600) }, 'expires_at'],
    [{ 'metadata[x]': 'x'.repeat(501) }, 'metadata'],
    [{ 'expand[]': 'customer' }, 'expand'],
    [{ 'mode[x]': 'payment' }, undefined],
  ]
  for (const [change, param, code] of cases) {
    const { status, body } = await ask(change)
    const label = JSON.stringify(change)
    assert.equal(status, 400, label)
    assert.ok(body && typeof body === 'object' && 'error' in body, label)
    const error = body.error
    assert.ok(
      error && typeof error === 'object' && 'type' in error && error.type === 'invalid_request_error',
      label,
    )
    assert.equal('param' in error ? error.param : undefined, param, label)
    if (code !== undefined) assert.equal('code' in error && error.code, code, label)
  }
})

const plainParams = {
  mode: 'payment',
  success_url: 'http://localhost:3000/success',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '1000',
  'line_items[0][price_data][product_data][name]': 'Shirt',
}

test('a session accepts 100 line items and refuses 101', async (t) => {
  const { stripe } = await startForTest(t)
  const lines = (count: number) =>
    cartOf(...Array.from({ length: count }, () => ['Sock', 100, 1] as [string, number, number]))
  const session = await stripe.checkout.sessions.create({ ...checkout, line_items: lines(100) })
  assert.equal(session.amount_total, 10_000)
  await assert.rejects(stripe.checkout.sessions.create({ ...checkout, line_items: lines(101) }), {
    param: 'line_items',
  })
})

test('unknown objects and endpoints get a 404 error that the Stripe client understands', async (t) => {
  const { stripe } = await startForTest(t)
  const missing = { statusCode: 404, code: 'resource_missing', type: 'StripeInvalidRequestError' }
  await assert.rejects(stripe.checkout.sessions.retrieve('cs_test_none'), missing)
  await assert.rejects(stripe.paymentIntents.retrieve('pi_none'), missing)
  await assert.rejects(stripe.charges.retrieve('ch_none'), missing)
  await assert.rejects(stripe.events.retrieve('evt_none'), missing)
  await assert.rejects(stripe.customers.list(), { statusCode: 404 })
})

const linux = { skip: process.platform !== 'linux' && 'the machine has one name for itself' }
test('the provider listens on 127.0.0.1 only', linux, async (t) => {
  const { practice } = await startForTest(t)
  const health = (host: string) => fetch(`http://${host}:${practice.port}/health`)
  assert.equal((await health('127.0.0.1')).status, 200)
  // 127.0.0.2 stands in for the machine's network address: the provider must listen on neither.
  await assert.rejects(health('127.0.0.2'))
})

test('a call without a secret key is refused', async (t) => {
  const { practice } = await startForTest(t)
  const url = `http://localhost:${practice.port}/v1/checkout/sessions`
  const status = async (authorization?: string) =>
    (await fetch(url, { headers: authorization === undefined ? {} : { authorization } })).status
  assert.equal(await status(), 401)
  assert.equal(await status('Bearer pk_test_1'), 401)
  assert.equal(await status('Bearer sk_test_1'), 200)
  assert.equal(await status(`Basic ${btoa('sk_test_1:')}`), 200)
})

test('bodies that are too large, malformed or of another type are refused', async (t) => {
  const { practice } = await startForTest(t)
  const url = `http://localhost:${practice.port}/v1/refunds`
  const post = async (body: string, type: string) => {
    const headers = { authorization: 'Bearer sk_test_1', 'content-type': type }
    return (await fetch(url, { method: 'POST', body, headers })).status
  }
  const form = 'application/x-www-form-urlencoded'
  assert.equal(await post(`charge=${'x'.repeat(600_000)}`, form), 413)
  assert.equal(await post('{}', 'application/json'), 400)
  assert.equal(await post('a[]=x&'.repeat(20_000), form), 400)
  assert.equal(await post(`a${'[b]'.repeat(500)}=x`, form), 400)
  assert.equal(await post('%E0%A4%A=%ff&&==&[]=1', form), 400)
})

test('sessions are listed newest first, in pages and by time and status', async (t) => {
  let now = Date.UTC(2030, 0, 1)
  const { stripe } = await startForTest(t, { now: () => now })
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    ids.unshift((await stripe.checkout.sessions.create(checkout)).id)
    now += minute
  }
  const all: string[] = []
  for await (const session of stripe.checkout.sessions.list({ limit: 2 })) all.push(session.id)
  assert.deepEqual(all, ids)
  const [, second, third, fourth] = ids
  assert.ok(second !== undefined && third !== undefined && fourth !== undefined)
  const idsOf = async (params: Stripe.Checkout.SessionListParams) => {
    const list = await stripe.checkout.sessions.list(params)
    return { ids: list.data.map(({ id }) => id), more: list.has_more }
  }
  assert.deepEqual(await idsOf({ limit: 5 }), { ids, more: false })
  assert.deepEqual(await idsOf({ ending_before: fourth, limit: 2 }), { ids: [second, third], more: true })
  const since = Math.floor(Date.UTC(2030, 0, 1, 0, 3) / 1000)
  assert.deepEqual(await idsOf({ created: { gte: since } }), { ids: ids.slice(0, 2), more: false })
  assert.deepEqual(await idsOf({ created: { lt: since, gt: since - 120 } }), {
    ids: ids.slice(2, 3),
    more: false,
  })
  await stripe.checkout.sessions.expire(third)
  assert.deepEqual(await idsOf({ status: 'expired' }), { ids: [third], more: false })
  await assert.rejects(stripe.checkout.sessions.list({ limit: 101 }), { param: 'limit' })
  await assert.rejects(stripe.checkout.sessions.list({ starting_after: 'cs_none' }), {
    param: 'starting_after',
  })
})

test('a session expires by itself or on request, but not once it is paid', async (t) => {
  let now = Date.now()
  const { stripe } = await startForTest(t, { now: () => now })
  const inHalfAnHour = Math.floor(now / 1000) + 31 * 60
  const idle = await stripe.checkout.sessions.create({ ...checkout, expires_at: inHalfAnHour })
  const paid = await stripe.checkout.sessions.create({ ...checkout, expires_at: inHalfAnHour })
  await submit(paid.url, goodCard)
  const expired = await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  assert.equal(expired.status, 'expired')
  await assert.rejects(stripe.checkout.sessions.expire(expired.id), { statusCode: 400 })
  now += 31 * minute
  assert.equal((await stripe.checkout.sessions.retrieve(idle.id)).status, 'expired')
  assert.equal((await stripe.checkout.sessions.retrieve(paid.id)).status, 'complete')
  const events = await stripe.events.list({ type: 'checkout.session.expired' })
  assert.equal(events.data.length, 2)
})

test('refunds are partial or whole and never more than was paid', async (t) => {
  const { stripe } = await startForTest(t)
  const { id, url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, goodCard)
  const payment_intent = String((await stripe.checkout.sessions.retrieve(id)).payment_intent)
  const partial = await stripe.refunds.create({ payment_intent, amount: 256 })
  assert.equal(partial.status, 'succeeded')
  await assert.rejects(stripe.refunds.create({ payment_intent, amount: 12_001 }), {
    param: 'amount',
    statusCode: 400,
  })
  const rest = await stripe.refunds.create({ charge: String(partial.charge) })
  assert.equal(rest.amount, 12_000)
  await assert.rejects(stripe.refunds.create({ payment_intent }), { code: 'charge_already_refunded' })
  await assert.rejects(stripe.refunds.create({}), { statusCode: 400 })
  const charge = await stripe.charges.retrieve(String(rest.charge), { expand: ['refunds'] })
  assert.equal(charge.amount_refunded, 12_256)
  assert.equal(charge.refunded, true)
  assert.equal(charge.refunds?.data.length, 2)
  const events = await stripe.events.list({ type: 'charge.refunded' })
  assert.equal(events.data.length, 2)
})
