import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import Stripe from 'stripe'
import { unavailable } from '#shop/platform/errors.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { listen } from '#shop/testing/listen.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { recordSession } from './checkouts.ts'
import { openCheckout } from './open-checkout.ts'
import { standardAnswerMs, stripeProvider, type PaymentProvider } from './stripe.ts'
import { checkouts } from './tables.ts'

type Answer = { status: number; body: string; headers?: Record<string, string> }

/** How long the tests wait for an answer that never ends, and how often a byte of it comes. */
const [answerMs, bytesEveryMs] = [300, 30]
/** An endless wait fails its own test and not the file. */
const unendingFails = { timeout: 60_000 }

/** A provider whose requests `answer` answers instead of Stripe. */
async function providerThatAnswers(
  t: TestContext,
  answer: () => Answer | 'drops',
  log: (line: string) => void = () => {},
  limits: { answerMs?: number } = {},
): Promise<PaymentProvider> {
  const server = createServer((request, response) => {
    request.resume()
    const reply = answer()
    if (reply !== 'drops') {
      response
        .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
        .end(reply.body)
      return
    }
    // Sends the headers at once, and then a byte now and then.
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), bytesEveryMs)
    response.on('close', () => clearInterval(timer))
  })
  const { url: apiBase } = await listen(server)
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return stripeProvider({
    publicUrl: 'http://localhost:3000',
    secretKey: 'sk_test_garbage',
    apiBase,
    webhookSecrets: ['whsec_garbage'],
    log,
    ...limits,
  })
}

const session = {
  checkoutId: 'c1',
  lines: [],
  currency: 'usd',
  expiresAt: new Date(),
  returnTo: '/',
  shipTo: [],
}
/** The product's id is the key. */
const requestFor = (id: string) => ({
  lines: [{ _id: id, quantity: 1 }],
  userId: null,
  key: id,
  returnTo: '/',
  shipTo: [],
})
const unknown = { status: 503, code: 'provider_unavailable' }

const garbage: [status: number, body: string][] = [
  [200, '<html>Please sign in to this network</html>'],
  [200, '{"object":"checkout.session","payment_sta'],
  [200, ''],
  [200, '{}'],
  [200, '[]'],
  [200, 'null'],
  [200, '"ok"'],
  [200, '1'],
  [200, 'true'],
  [200, '{"data":1}'],
  [200, '{"error":true}'],
  [200, '{"id":"cs_test_another1","object":"checkout.session","payment_status":"paid"}'],
  [200, '{"id":"cs_test_another2","url":"https://pay.example/","client_reference_id":"c2"}'],
  [200, '{"id":"cs_test_another3","url":null,"client_reference_id":"c1"}'],
  [404, '<html>Not here</html>'],
  [404, '{}'],
  [404, '{"error":{"type":"invalid_request_error","message":"no such page"}}'],
  [401, '{"error":{"type":"invalid_request_error","message":"no such key"}}'],
  [429, '{"error":{"type":"rate_limit_error","message":"slow down"}}'],
]
for (const [status, body] of garbage) {
  test(`the answer ${status} ${body.slice(0, 60)} counts as provider_unavailable`, async (t) => {
    const provider = await providerThatAnswers(t, () => ({ status, body }))
    await assert.rejects(provider.findSession('cs_test_0123456789'), unknown)
    await assert.rejects(provider.findSessionOfPayment('pi_1'), unknown)
    await assert.rejects(provider.openSession(session), unknown)
    await assert.rejects(Array.fromAsync(provider.listSessions()), unknown)
  })
}

const oddFacts: [what: string, facts: object][] = [
  ['a space in its payment id', { payment_intent: 'pi_a b' }],
  ['a payment id that is too long', { payment_intent: `pi_${'a'.repeat(253)}` }],
  ['a payment without an id', { payment_intent: {} }],
  ['an amount that is text', { amount_total: 'much' }],
  ['an amount with half a cent', { amount_total: 100.5 }],
  [
    'a refunded amount that is text',
    { payment_intent: { id: 'pi_1', latest_charge: { amount_refunded: 'all' } } },
  ],
]
for (const [what, facts] of oddFacts) {
  test(`a session with ${what} counts as provider_unavailable`, async (t) => {
    const id = 'cs_test_0123456789'
    const paid = { id, object: 'checkout.session', payment_status: 'paid', payment_intent: 'pi_1' }
    let answer: object = { ...paid, amount_total: 500 }
    const provider = await providerThatAnswers(t, () => ({ status: 200, body: JSON.stringify(answer) }))
    assert.equal((await provider.findSession(id))?.amountCents, 500)
    answer = { ...paid, amount_total: 500, ...facts }
    await assert.rejects(provider.findSession(id), unknown)
  })
}

test('the log says why the provider cannot be reached, also when its host has several addresses', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const shop = await startTestApp({ providerAddress: `http://${host}:${await freePort()}` })
    t.after(() => shop.close())
    const url = '/api/orders/confirm-payment'
    const payload = { session_id: 'cs_test_0123456789' }
    const { status, headers } = await shop.call({ method: 'POST', url, payload })
    assert.equal(status, 503)
    const line = shop.logged.find(({ reqId }) => reqId === headers['x-request-id'])
    assert.match(String(line?.reason), /ECONNREFUSED/)
  }
})

test('the refunded amount is clamped between zero and the amount paid', async (t) => {
  const id = 'cs_test_0123456789'
  let refunded = 0
  const provider = await providerThatAnswers(t, () => {
    const payment = { id: 'pi_1', latest_charge: { amount_refunded: refunded } }
    return { status: 200, body: JSON.stringify({ id, amount_total: 500, payment_intent: payment }) }
  })
  const refunds: (number | undefined)[] = []
  for (refunded of [-1, 300, 600]) refunds.push((await provider.findSession(id))?.refundedCents)
  assert.deepEqual(refunds, [0, 300, 500])
})

test('an unknown session status counts as open, and an unknown payment status as unpaid', async (t) => {
  const id = 'cs_test_0123456789'
  const body = JSON.stringify({ id, amount_total: 500, status: 'resting', payment_status: 'promised' })
  const found = await (await providerThatAnswers(t, () => ({ status: 200, body }))).findSession(id)
  assert.deepEqual([found?.state, found?.payment], ['open', 'unpaid'])
})

test('all lines are requested when a session comes with only the first of them', async (t) => {
  const [sock, hat] = ['Sock', 'Hat'].map((name) => ({ description: name, quantity: 1 }))
  const session = { id: 'cs_test_0123456789', line_items: { data: [sock], has_more: true } }
  const answers = [session, { object: 'list', data: [sock, hat], has_more: false }]
  const provider = await providerThatAnswers(t, () => ({
    status: 200,
    body: JSON.stringify(answers.shift()),
  }))
  const lines = (await provider.findListedSession(session.id))?.lines
  assert.deepEqual(
    lines?.map(({ name }) => name),
    ['Sock', 'Hat'],
  )
})

test('an answer whose body does not end counts as provider_unavailable', unendingFails, async (t) => {
  const provider = await providerThatAnswers(t, () => 'drops', undefined, { answerMs })
  await assert.rejects(provider.findSession('cs_test_0123456789'), unknown)
})

const unending: [what: string, answer: (socket: Socket) => unknown][] = [
  ['never comes', () => undefined],
  [
    'switches protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  [
    'never ends its headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X-More: 1\r\n'), bytesEveryMs)
      socket.on('close', () => clearInterval(timer))
    },
  ],
]
for (const [what, answer] of unending)
  test(`an answer that ${what} counts as provider_unavailable after two tries`, unendingFails, async (t) => {
    const sockets: Socket[] = []
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => undefined))
      socket.once('data', () => answer(socket))
    })
    const { url: apiBase } = await listen(server)
    t.after(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const provider = stripeProvider({
      publicUrl: 'http://localhost:3000',
      secretKey: 'sk_test_garbage',
      apiBase,
      webhookSecrets: [],
      answerMs,
    })
    await assert.rejects(provider.findSession('cs_test_0123456789'), unknown)
    assert.equal(sockets.length, 2)
    assert.ok(sockets.length * standardAnswerMs < 10_000, 'who waits has an answer within ten seconds')
  })

test('the provider’s error resource_missing means that there is no session', async (t) => {
  const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'No such session' }
  const provider = await providerThatAnswers(t, () => ({ status: 404, body: JSON.stringify({ error }) }))
  assert.equal(await provider.findSession('cs_test_0123456789'), null)
})

const saved: [what: string, status: number, type: string, headers: Record<string, string>][] = [
  [
    'replays a saved failure',
    500,
    'api_error',
    { 'idempotent-replayed': 'true', 'stripe-should-retry': 'false' },
  ],
  ['keeps failing with 500', 500, 'api_error', {}],
  ['says the key belongs to another request', 400, 'idempotency_error', {}],
]
for (const [what, status, type, headers] of saved)
  test(`when the provider ${what}, the next request with that key opens a new checkout`, async (t) => {
    const shop = await startTestApp()
    t.after(() => shop.close())
    const error = { type, message: 'Something went wrong' }
    const body = JSON.stringify({ error })
    const { openSession } = await providerThatAnswers(t, () => ({ status, body, headers }))
    const failing = { ...shop.provider, openSession }
    const product = await makeProduct(shop.database.db)
    const request = requestFor(product.id)
    const parts = { db: shop.database.db, log: () => {} }
    // Only what fails soon is tried again.
    const clock = t.mock.method(performance, 'now', () => 0)
    await assert.rejects(openCheckout({ ...parts, provider: failing }, request), unknown)
    clock.mock.restore()
    assert.match((await openCheckout({ ...parts, provider: shop.provider }, request)).id, /^cs_test_/)
    // The second has another idempotency key: under the first, the provider would go on failing.
    const rows = await parts.db.select().from(checkouts).orderBy(checkouts.createdAt)
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['expired', 'open'],
    )
  })

test('a key keeps its checkout while the provider is still processing its first request', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const body = JSON.stringify({ error: { type: 'idempotency_error', message: 'In progress' } })
  const { openSession } = await providerThatAnswers(t, () => ({ status: 409, body }))
  const { id } = await makeProduct(shop.database.db)
  const parts = { db: shop.database.db, log: () => {} }
  const busy = { ...shop.provider, openSession }
  await assert.rejects(openCheckout({ ...parts, provider: busy }, requestFor(id)), unknown)
  const session = await openCheckout({ ...parts, provider: shop.provider }, requestFor(id))
  const rows = await parts.db.select().from(checkouts)
  assert.deepEqual(
    rows.map(({ state, sessionId }) => [state, sessionId]),
    [['open', session.id]],
  )
})

test('a key whose checkout would expire too soon for the provider is retried with a later expiry', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const { db } = shop.database
  const { id } = await makeProduct(db)
  const request = requestFor(id)
  const openBy = (openSession: PaymentProvider['openSession']) =>
    openCheckout({ db, log: () => {}, provider: { ...shop.provider, openSession } }, request)
  await assert.rejects(
    openBy(() => Promise.reject(unavailable('provider_unavailable', 'down'))),
    unknown,
  )
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  await db.update(checkouts).set({ expiresAt: inMinutes(30) })
  const ends: Date[] = []
  await openBy((wanted) => {
    ends.push(wanted.expiresAt)
    return shop.provider.openSession(wanted)
  })
  assert.ok(ends[0] && ends[0] > inMinutes(31))
})

test('a session that was opened is found and recorded although the provider replays a failure', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const cause = new Stripe.errors.StripeAPIError({
    message: 'Something went wrong',
    type: 'api_error',
    statusCode: 500,
    headers: { 'idempotent-replayed': 'true' },
  })
  const opened: string[] = []
  const openAndFail: PaymentProvider['openSession'] = async (request) => {
    opened.push((await shop.provider.openSession(request)).id)
    throw Object.assign(unavailable('provider_unavailable', 'down'), { cause })
  }
  const product = await makeProduct(shop.database.db)
  const request = requestFor(product.id)
  const parts = { db: shop.database.db, log: () => {} }
  const provider = { ...shop.provider, openSession: openAndFail }
  const { id } = await openCheckout({ ...parts, provider }, request)
  assert.deepEqual(opened, [id])
  // From then on it is recorded, whatever the provider says.
  const listOpened: PaymentProvider['listOpened'] = () => {
    throw unavailable('provider_unavailable', 'down')
  }
  assert.equal((await openCheckout({ ...parts, provider: { ...provider, listOpened } }, request)).id, id)
})

test('a request that the provider does not answer returns the session that another process has recorded', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const { db } = shop.database
  const opened: string[] = []
  const openElsewhere: PaymentProvider['openSession'] = async (request) => {
    const session = await shop.provider.openSession(request)
    opened.push(session.id)
    await recordSession(db, request.checkoutId, session)
    throw unavailable('provider_unavailable', 'down')
  }
  const product = await makeProduct(db)
  const provider = { ...shop.provider, openSession: openElsewhere }
  const { id } = await openCheckout({ db, log: () => {}, provider }, requestFor(product.id))
  assert.deepEqual(opened, [id])
})

test('a clock that differs from the provider’s is logged once, and once more when it agrees again', async (t) => {
  const lines: string[] = []
  let aheadMinutes = 0
  const answer = (): Answer => {
    const date = new Date(Date.now() - aheadMinutes * 60_000).toUTCString()
    return { status: 200, body: '{"object":"list","data":[],"has_more":false}', headers: { date } }
  }
  const provider = await providerThatAnswers(t, answer, (line) => lines.push(line))
  for (aheadMinutes of [0, 10, 10, 0, 0, -10, -10]) await provider.findSessionOfPayment('pi_1')
  assert.deepEqual(
    lines.map((line) => /\d+ min (ahead|.*database’s is too)|provider’s again/.exec(line)?.[0]),
    ['10 min ahead', 'provider’s again', '10 min behind the payment provider’s: if the database’s is too'],
  )
})
