import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './api-error.ts'
import { Store } from './store.ts'
import { cartOf, checkout, goodCard, shopUrl, startForTest, submit } from './testing.ts'

type Started = Awaited<ReturnType<typeof startForTest>>

async function openCheckout({ stripe }: Started, changes: Partial<typeof checkout> = {}) {
  const { id, url } = await stripe.checkout.sessions.create({ ...checkout, ...changes })
  assert.ok(url)
  return { id, url, success: `${shopUrl}/success?session_id=${id}` }
}

/** The visible text of the page's only alert. */
async function alertOf(response: Response): Promise<string> {
  const [, alert = ''] = /role="alert">(.*?)<\/div>/s.exec(await response.text()) ?? []
  return alert
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test('the page shows the order and the form', async (t) => {
  const { url } = await openCheckout(await startForTest(t), {
    line_items: cartOf(['Oxford shirt', 5900, 2], ['Coat', 111_656, 1]),
  })
  const response = await fetch(url)
  const page = await response.text()
  assert.equal(response.status, 200)
  for (const label of ['Email', 'Card number', 'Expiry', 'CVC', 'Name on card']) {
    assert.match(page, new RegExp(`<label for="\\w+">${label}</label>`))
  }
  assert.match(page, /<button type="submit">Pay \$1,234\.56<\/button>/)
  for (const text of [
    'Oxford shirt',
    'Qty 2',
    '$118.00',
    '$59.00 each',
    'No real card is charged',
    '4242 4242 4242 4242',
  ]) {
    assert.ok(page.includes(text), text)
  }
  assert.match(page, /<a class="back" href="http:\/\/localhost:3000\/shop">← Back to Haberdash<\/a>/)
  assert.ok(!page.includes('<script'))
})

test('the page allows no scripts and no framing, and sends forms only to itself and to the shop', async (t) => {
  const started = await startForTest(t)
  const { url } = await openCheckout(started)
  const { headers } = await fetch(url)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /form-action 'self' http:\/\/localhost:3000;/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.ok(!policy.includes('script-src') && !policy.includes('unsafe'))
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('cache-control'), 'no-store')
  for (const [shop, source] of [
    ['https://shop.example', 'https://shop.example'],
    // A content security policy cannot name an IPv6 address, only its scheme.
    ['http://[::1]:3000', 'http:'],
  ] as const) {
    const paidThere = { success_url: `${shop}/success?session_id={CHECKOUT_SESSION_ID}` }
    const other = await fetch((await openCheckout(started, paidThere)).url)
    assert.ok(
      other.headers
        .get('content-security-policy')
        ?.includes(`form-action 'self' ${source} http://localhost:3000;`),
    )
  }
})

test('a good card pays and leads back to the shop', async (t) => {
  const started = await startForTest(t)
  for (const number of ['4242 4242 4242 4242', '4242424242424242', '4242-4242-4242-4242']) {
    const { id, url, success } = await openCheckout(started)
    const response = await submit(url, { ...goodCard, number })
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), success)
    const paid = await started.stripe.checkout.sessions.retrieve(id)
    assert.deepEqual([paid.status, paid.payment_status, paid.url], ['complete', 'paid', null])
    assert.equal(paid.customer_details?.name, 'Ann Lee')
    const again = await fetch(url, { redirect: 'manual' })
    assert.deepEqual([again.status, again.headers.get('location')], [303, success])
  }
})

test('each refused card says why and charges nothing', async (t) => {
  const started = await startForTest(t)
  const { id, url } = await openCheckout(started)
  const cases: [number: string, message: string][] = [
    ['4000 0000 0000 0002', 'Your card was declined.'],
    ['4000000000009995', 'Your card has insufficient funds.'],
    [
      '5555 5555 5555 4444',
      'Your card was declined. This is a practice page that takes no real cards: pay with 4242 4242 4242 4242.',
    ],
  ]
  for (const [number, message] of cases) {
    assert.equal(await alertOf(await submit(url, { ...goodCard, number })), message)
  }
  const session = await started.stripe.checkout.sessions.retrieve(id)
  assert.deepEqual([session.status, session.payment_status], ['open', 'unpaid'])
  assert.equal((await submit(url, goodCard)).status, 303)
})

test('a card that needs authorization is authorized or canceled on a separate page', async (t) => {
  const started = await startForTest(t)
  const { id, url, success } = await openCheckout(started)
  const card = { ...goodCard, number: '4000 0025 0000 3155' }
  const early = await submit(`${url}/authorize`, { decision: 'authorize' })
  assert.equal(early.headers.get('location'), `/pay/${id}`)
  const toTheBank = await submit(url, card)
  assert.equal(toTheBank.headers.get('location'), `/pay/${id}/authorize`)
  assert.match(await (await fetch(`${url}/authorize`)).text(), />Authorize<\/button>/)
  assert.match(await alertOf(await submit(`${url}/authorize`, { decision: 'cancel' })), /not authorize/)
  // A canceled authorization cannot be granted afterwards.
  const late = await submit(`${url}/authorize`, { decision: 'authorize' })
  assert.equal(late.headers.get('location'), `/pay/${id}`)
  assert.equal((await started.stripe.checkout.sessions.retrieve(id)).payment_status, 'unpaid')
  await submit(url, card)
  const response = await submit(`${url}/authorize`, { decision: 'authorize' })
  assert.deepEqual([response.status, response.headers.get('location')], [303, success])
  assert.equal((await started.stripe.checkout.sessions.retrieve(id)).payment_status, 'paid')
})

test('each invalid field gets its message, and the form keeps what was typed, except the security code', async (t) => {
  const { url } = await openCheckout(await startForTest(t))
  const cases: [field: keyof typeof goodCard, value: string, message: string][] = [
    ['email', '', 'Enter your email address.'],
    ['email', 'ann@example', 'Enter a complete email address, such as name@example.com.'],
    ['number', '', 'Enter a card number.'],
    ['number', '4242 4242 4242 4241', 'This card number is not valid. Check the digits.'],
    ['number', '٤٢٤٢', 'This card number is not valid. Check the digits.'],
    ['expiry', '', 'Enter the expiry date as MM/YY.'],
    ['expiry', '13/40', 'Enter the expiry date as MM/YY, such as 08/31.'],
    ['expiry', '12/20', 'This card has expired. Check the date.'],
    ['expiry', '12/99', 'This date is too far ahead. Check the year.'],
    ['cvc', '', 'Enter the security code.'],
    ['cvc', '12', 'The security code has 3 or 4 digits.'],
    ['name', ' ', 'Enter the name on the card.'],
  ]
  for (const [field, value, message] of cases) {
    const page = await (await submit(url, { ...goodCard, [field]: value })).text()
    assert.equal(await alertOf(new Response(page)), message)
    const input = new RegExp(
      `<input\\s+id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-error"`,
    )
    assert.match(page, input, `${field}: ${value}`)
    assert.ok(page.includes(`<p class="error" id="${field}-error">${message}</p>`))
    if (field !== 'email') assert.ok(page.includes('value="ann@example.com"'))
    assert.ok(!page.includes('value="123"'))
  }
  assert.match(await alertOf(await submit(url, {})), /email.*card number.*expiry.*code.*name/s)
})

test('a card is valid until the end of its expiry month', async (t) => {
  const started = await startForTest(t, { now: () => Date.UTC(2031, 7, 31, 23, 59) })
  const { url } = await openCheckout(started)
  assert.match(await alertOf(await submit(url, { ...goodCard, expiry: '07/31' })), /has expired/)
  assert.equal((await submit(url, { ...goodCard, expiry: '0831' })).status, 303)
})

test('a session is charged once when its form is submitted many times at once', async (t) => {
  const started = await startForTest(t)
  const { url, success } = await openCheckout(started)
  const sent = Array.from({ length: 10 }, (_, tab) =>
    submit(url, { ...goodCard, email: `tab${tab}@example.com` }),
  )
  for (const response of await Promise.all(sent)) assert.equal(response.headers.get('location'), success)
  const events = await started.stripe.events.list({ type: 'checkout.session.completed' })
  assert.equal(events.data.length, 1)
})

test('an expired session says so, an unknown one is not found', async (t) => {
  const started = await startForTest(t)
  const { id, url } = await openCheckout(started)
  await started.stripe.checkout.sessions.expire(id)
  const expired = await (await fetch(url)).text()
  assert.match(expired, /This checkout has expired/)
  assert.match(expired, /href="http:\/\/localhost:3000\/shop"/)
  assert.match(await (await submit(url, goodCard)).text(), /This checkout has expired/)
  assert.equal((await started.stripe.checkout.sessions.retrieve(id)).payment_status, 'unpaid')
  for (const path of ['/pay/cs_test_none', '/', '/pay', `/pay/${id}/other`, '/pay/%E0%A4%A']) {
    const response = await fetch(started.practice.url + path)
    assert.equal(response.status, 404, path)
    assert.match(await response.text(), /No real card is charged/)
  }
})

test('text from the shop or from a customer is escaped in the page', async (t) => {
  const started = await startForTest(t)
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
  const { url } = await openCheckout(started, { line_items: cartOf([evil, 1000, 1]) })
  const pages = [
    await fetch(url),
    await submit(url, { ...goodCard, email: evil, name: evil, number: evil, expiry: evil }),
  ]
  for (const response of pages) {
    const page = await response.text()
    assert.ok(!page.includes('<script') && !page.includes('<img src=x'))
    assert.ok(page.includes('&#60;script&#62;'))
  }
})

test('a malformed form does not cause a server error', async (t) => {
  const { url } = await openCheckout(await startForTest(t))
  const post = async (body: string | Uint8Array<ArrayBuffer>, type: string) =>
    (await fetch(url, { method: 'POST', body, headers: { 'content-type': type } })).status
  const form = 'application/x-www-form-urlencoded'
  assert.equal(await post('email=%00%ff&number=%E0%A4%A&&&=', form), 200)
  assert.equal(await post(new Uint8Array([255, 0, 61, 38, 200]), form), 200)
  assert.equal(await post('x'.repeat(600_000), form), 413)
  assert.equal(await post('{}', 'application/json'), 415)
  assert.equal((await fetch(`${url}%E0%A4`)).status < 500, true)
})

test('while the store cannot write, the page answers 503 with an error message', async (t) => {
  const { url } = await openCheckout(await startForTest(t))
  const full = new ApiError(503, 'api_error', 'Nothing can be written down.')
  t.mock.method(Store.prototype, 'durable', () => Promise.reject(full))
  for (const response of [await fetch(url), await submit(url, goodCard)]) {
    assert.equal(response.status, 503)
    assert.match(await response.text(), /<h1>This did not work<\/h1>/)
  }
})

test('an internal error shows an error page without details, and is logged', async (t) => {
  const { url } = await openCheckout(await startForTest(t))
  const said = t.mock.method(console, 'error', () => undefined)
  t.mock.method(Store.prototype, 'find', () => {
    throw new Error('broken')
  })
  const response = await fetch(url)
  assert.equal(response.status, 500)
  const page = await response.text()
  assert.match(page, /<h1>This did not work<\/h1>/)
  assert.doesNotMatch(page, /broken/)
  assert.match(
    said.mock.calls.flatMap((call) => call.arguments).join(' '),
    /practice provider: Error: broken/,
  )
})
