import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eq } from 'drizzle-orm'
import { users } from '#shop/accounts/server/tables.ts'
import { orders } from '#shop/orders/server/tables.ts'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, practiceStripe, signal } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { profile } from './calls.ts'
import { cookieOf, newPerson, password } from './callers.ts'
import { hashOfDatabase } from './world.ts'

const webFolder = await mkdtemp(join(tmpdir(), 'haberdash-page-'))
await mkdir(join(webFolder, 'assets'))
await writeFile(join(webFolder, 'index.html'), '<!doctype html><title>Haberdash</title>')
await writeFile(join(webFolder, 'assets/page-1a2b3c.js'), 'export {}')

const page = { web: webFolder, server: webFolder, scripts: '' }
let shop: TestApp
let limited: TestApp
before(async () => {
  ;[shop, limited] = await Promise.all([
    startTestApp({ page }),
    startTestApp({ environment: { RATE_LIMITS: 'on' } }),
  ])
})
after(async () => {
  await Promise.all([shop.close(), limited.close()])
  await rm(webFolder, { recursive: true })
})

type Product = { _id: string; price: number }
type Problem = { title: string; code: string }
/** Many ways to write an address that runs code or misleads; none is a picture's address. */
const badAddresses = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript%3aalert(1)',
  'javascript://https://a.example/%0aalert(1)',
  'vbscript:msgbox(1)',
  'livescript:x',
  'mocha:x',
  'view-source:https://a.example',
  'jar:https://a.example!/x',
  'about:blank',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'data:image/png;base64,AAAA',
  'DATA:,x',
  'blob:https://a.example/1',
  'file:///etc/passwd',
  'ftp://a.example/a.png',
  'ws://a.example',
  'gopher://a.example',
  'cid:x',
  'mailto:a@b.example',
  'http://a.example/a.png',
  'HTTP://a.example/a.png',
  '//evil.example/a.png',
  '\\\\evil.example\\a',
  '/\\evil.example',
  'https:/\\evil.example',
  'https:evil.example',
  'https:///evil.example',
  'https://',
  'https://?',
  'https://#',
  'https://u:p@a.example/',
  'https://u@a.example/',
  'https://:p@a.example',
  'https://a b.example',
  'https://a.example/a b',
  'https://a.example/\ta',
  'https://a.example\\@evil.example',
  'https://[::1',
  'https://a.example:99999',
  'https://exa\u0000mple.com',
  'https://a.example/\u0085',
  '/etc/passwd',
  '/uploads/',
  '/uploads/../x',
  '/uploads/..%2fx',
  '/uploads//a',
  '/uploads/.env',
  '/uploads/a?x',
  'uploads/a.webp',
  './a.png',
  'a.png',
  '#a',
  '?a',
  'x',
  `https://a.example/${'a'.repeat(2048)}`,
  `https://a.example/${'漢'.repeat(700)}`,
]

describe('POST /api/auth/login', () => {
  test('does not adopt a planted session id, which stays invalid after signing in', async () => {
    const { user } = await newPerson(shop)
    const planted = cookieOf({ token: 'p'.repeat(43) })
    const payload = { email: user.email, password }
    const { status, body } = await shop.call<{ token: string }>({
      method: 'POST',
      url: '/api/auth/login',
      payload,
      headers: planted,
    })
    assert.equal(status, 200)
    assert.notEqual(body.token, 'p'.repeat(43))
    assert.equal((await shop.call({ url: '/api/auth/me', headers: planted })).status, 401)
    assert.equal((await shop.call({ url: '/api/auth/me', headers: cookieOf(body) })).status, 200)
  })
})

/** Each address in spellings that some reader somewhere accepts. */
const spelledOtherwise = [
  'javascript:alert(1)',
  'vbscript:x',
  'data:text/html,x',
  'file:///etc/passwd',
  '//evil.example/x',
  'http://a.example/x',
  'ftp://a.example/x',
].flatMap((address) => [
  ...[address.toUpperCase(), encodeURIComponent(address), encodeURI(` ${address}`), `url(${address})`],
  ...['\u0000', '\ufeff', '\u00a0', '\u200b', '\u202e', '\\', '/', '.', '"', '<', '\u2028'].map(
    (sign) => sign + address,
  ),
  ...[
    address.replace(':', '&#58;'),
    address.replace(':', '\uff1a'),
    address.replace('/', '\uff0f') + '\ud800',
  ],
  ...[[...address].join('\u200b'), `${address},https://a.example`, `feed:${address}`],
])

describe('PATCH /api/auth/edit-profile/{id}', () => {
  test('invalid picture addresses are refused for profiles and for products, and nothing changes', async () => {
    const [person, admin] = [await newPerson(shop), await newPerson(shop, 'admin')]
    const product = await makeProduct(shop.database.db)
    const before = await hashOfDatabase(shop)
    assert.ok(badAddresses.length + spelledOtherwise.length >= 200)
    for (const image of [...badAddresses, ...spelledOtherwise]) {
      const payload = { ...profile, profileImage: image }
      const url = `/api/auth/edit-profile/${person.user.id}`
      assert.equal(
        (await shop.call({ method: 'PATCH', url, payload, headers: person.headers })).status,
        400,
        image,
      )
      const updating = {
        method: 'PATCH',
        url: `/api/products/update-product/${product.id}`,
        payload: { image },
      } as const
      assert.equal((await shop.call({ ...updating, headers: admin.headers })).status, 400, image)
    }
    assert.equal(await hashOfDatabase(shop), before)
  })

  test('of several concurrent edits, one wins as a whole', async () => {
    const { user, headers } = await newPerson(shop)
    const edit = (word: string) =>
      shop.call({
        method: 'PATCH',
        url: `/api/auth/edit-profile/${user.id}`,
        headers,
        payload: { ...profile, username: word, bio: word, profession: word },
      })
    for (let round = 0; round < 25; round += 1) {
      await Promise.all(['one', 'two', 'three', 'four'].map(edit))
      const [row] = await shop.database.db.select().from(users).where(eq(users.id, user.id))
      assert.equal(new Set([row?.username, row?.bio, row?.profession]).size, 1)
    }
  })
})

test('DELETE /api/products/{id}: orders, reviews and open checkouts stay intact, and carts get 409', async () => {
  const [buyer, admin] = [await newPerson(shop), await newPerson(shop, 'admin')]
  const product = await makeProduct(shop.database.db, { priceCents: 1500 })
  const line = { productId: product.id, name: product.name, image: null, priceCents: 1500, quantity: 1 }
  const order = await makeOrder(shop.database.db, { userId: buyer.user.id }, [line])
  const review = { productId: product.id, rating: 5, comment: 'Fine.' }
  await shop.call({
    method: 'POST',
    url: '/api/reviews/post-review',
    payload: review,
    headers: buyer.headers,
  })
  const session = await openSession(shop, [{ _id: product.id, quantity: 2 }], buyer.headers)
  const stats = () =>
    shop.call<{ data: object }>({ url: `/api/stats/user-stats/${buyer.user.id}`, headers: buyer.headers })
  const before = (await stats()).body.data
  assert.equal(
    (await shop.call({ method: 'DELETE', url: `/api/products/${product.id}`, headers: admin.headers }))
      .status,
    200,
  )

  assert.equal((await shop.call({ url: `/api/products/${product.id}` })).status, 404)
  assert.deepEqual((await stats()).body.data, before)
  const shown = await shop.call<{ data: { lines: { name: string; price: number }[] } }>({
    url: `/api/orders/order/${order.id}`,
  })
  assert.deepEqual(
    shown.body.data.lines.map(({ name, price }) => [name, price]),
    [[product.name, 15]],
  )
  const reviews = await shop.call<{ data: { isForSale: boolean }[] }>({
    url: `/api/reviews/${buyer.user.id}`,
    headers: buyer.headers,
  })
  assert.deepEqual(
    reviews.body.data.map(({ isForSale }) => isForSale),
    [false],
  )
  const cart = await shop.call<Problem & { data: { products: Product[] } }>({
    method: 'POST',
    url: '/api/orders/create-checkout-session',
    payload: { products: [{ _id: product.id, quantity: 1 }] },
  })
  assert.deepEqual([cart.status, cart.body.code, cart.body.data.products], [409, 'cart_changed', []])
  await submitCard(session.url)
  assert.equal((await confirm(shop, session.id)).status, 200)
  const [made] = await shop.database.db.select().from(orders).where(eq(orders.sessionId, session.id))
  assert.deepEqual([made?.amountCents, made?.userId], [3000, buyer.user.id])
})

describe('POST /api/orders/create-checkout-session', () => {
  test('ignores prices, names and hosts sent by the caller', async () => {
    const product = await makeProduct(shop.database.db, { priceCents: 20_000 })
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'ftp',
      forwarded: 'host=evil.example',
    }
    const lines = [
      {
        _id: product.id,
        quantity: 1,
        name: 'Free',
        priceCents: 1,
        amount: 1,
        unit_amount: 1,
        currency: 'idr',
      },
    ]
    const payload = {
      products: lines,
      amount: 1,
      currency: 'idr',
      success_url: 'https://evil.example',
      cancel_url: 'https://evil.example',
      returnTo: '//evil.example/',
    }
    const { status, body } = await shop.call<{ id: string; url: string }>({
      method: 'POST',
      url: '/api/orders/create-checkout-session',
      payload,
      headers,
    })
    assert.equal(status, 201)
    const retrieved = await practiceStripe(shop).checkout.sessions.retrieve(body.id, {
      expand: ['line_items'],
    })
    assert.deepEqual(
      [retrieved.amount_total, retrieved.currency, retrieved.line_items?.data[0]?.description],
      [20_000, 'usd', product.name],
    )
    for (const url of [retrieved.success_url, retrieved.cancel_url])
      assert.ok(url?.startsWith(`${shop.config.publicUrl}/`), String(url))
    assert.ok(!JSON.stringify(retrieved).includes('evil'))
  })

  test('allows sixty checkouts an hour per address, whatever X-Forwarded-For says', async () => {
    const ask = (index: number) =>
      limited.call<Problem>({
        method: 'POST',
        url: '/api/orders/create-checkout-session',
        remoteAddress: '10.9.0.1',
        headers: { 'x-forwarded-for': `10.9.1.${index}` },
        payload: { products: [{ _id: 'gone', quantity: 1 }] },
      })
    for (let index = 0; index < 60; index += 1) assert.equal((await ask(index)).status, 409)
    const refused = await ask(60)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
  })
})

test('GET /api/orders/order/{id}: guesses are 404, and after sixty in a minute 429', async () => {
  const { db } = limited.database
  const [owner, other, admin] = [
    await makeUser(db),
    await makeUser(db),
    await makeUser(db, { role: 'admin' }),
  ]
  const order = await makeOrder(db, { userId: owner.user.id })
  const ask = (id: string, remoteAddress = '10.8.0.1', headers = {}) =>
    limited.call({ url: `/api/orders/order/${id}`, remoteAddress, headers })
  for (let guess = 0; guess < 60; guess += 1) assert.equal((await ask(`guess-${guess}`)).status, 404)
  assert.equal((await ask('one-more')).status, 429)
  assert.equal((await ask(order.id)).status, 429)
  assert.equal((await ask(order.id, '10.8.0.2')).status, 200)
  // Others at the same address keep neither its customer nor an admin from an order.
  const answers = await Promise.all(
    [owner, admin, other].map(({ headers }) => ask(order.id, '10.8.0.1', headers)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429],
  )
})

test('POST /api/orders/confirm-payment: unknown sessions get 404, after sixty a minute 429; paid ones still 200', async () => {
  const product = await makeProduct(limited.database.db)
  const session = await openSession(limited, [{ _id: product.id, quantity: 1 }])
  await submitCard(session.url)
  assert.equal((await confirm(limited, session.id)).status, 200)
  const invented = (index: number) => `cs_test_${index}${'z'.repeat(40)}`
  for (let guess = 0; guess < 60; guess += 1) {
    assert.equal((await confirm(limited, invented(guess))).status, 404)
  }
  const refused = await confirm(limited, invented(60))
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await confirm(limited, session.id)).status, 200)
})

test('only some of a hundred concurrent confirmations are passed on to the payment provider', async (t) => {
  const findSession = t.mock.method(limited.provider, 'findSession')
  const invented = Array.from({ length: 100 }, (_, index) => `cs_test_${index}${'y'.repeat(40)}`)
  const answers = await Promise.all(invented.map((id) => confirm(limited, id, '10.8.1.1')))
  // A busy machine responds to some of these many requests with 503.
  assert.ok(answers.every(({ status }) => [404, 429, 503].includes(status)))
  assert.ok(findSession.mock.callCount() <= 60, `${findSession.mock.callCount()} questions`)

  const product = await makeProduct(limited.database.db)
  const session = await openSession(limited, [{ _id: product.id, quantity: 1 }])
  findSession.mock.resetCalls()
  const unpaid = await Promise.all(invented.map(() => confirm(limited, session.id, '10.8.1.2')))
  assert.ok(unpaid.every(({ status }) => status === 402 || status === 503))
  // Two, if all the others arrive while the first waits for the provider.
  assert.ok(findSession.mock.callCount() < 50, `${findSession.mock.callCount()} questions`)
})

test('repeated confirmations of an unpaid session get 429, but only for the address that sends them', async (t) => {
  const unpaidSessions = { max: 3, seconds: 60 }
  const strict = await startTestApp({ environment: { RATE_LIMITS: 'on' }, limits: { unpaidSessions } })
  t.after(() => strict.close())
  const product = await makeProduct(strict.database.db)
  const session = await openSession(strict, [{ _id: product.id, quantity: 1 }])
  for (const status of [402, 402, 402, 429]) assert.equal((await confirm(strict, session.id)).status, status)
  assert.equal((await confirm(strict, session.id, '10.8.1.3')).status, 402)
})

test('a confirmation sent after the payment does not reuse an earlier unpaid answer', async (t) => {
  const product = await makeProduct(shop.database.db)
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const findSession = shop.provider.findSession.bind(shop.provider)
  t.mock.method(shop.provider, 'findSession', async (id: string) => {
    const found = await findSession(id)
    requested.resolve()
    await released.promise
    return found
  })
  const early = confirm(shop, session.id)
  await requested.promise
  await submitCard(session.url)
  const late = confirm(shop, session.id)
  released.resolve()
  assert.deepEqual([(await early).status, (await late).status], [402, 200])
})

test('POST /api/payments/webhook: events of other types, even repeated, or for unknown sessions change nothing', async () => {
  const product = await makeProduct(shop.database.db)
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  const before = await hashOfDatabase(shop)
  for (const type of ['payment_intent.created', 'customer.deleted', 'invented', '__proto__']) {
    for (let time = 0; time < 2; time += 1)
      assert.equal((await signal(shop, type, { id: session.id })).status, 200, type)
  }
  for (const id of [`cs_test_${'z'.repeat(50)}`, 'x', '../events']) {
    const answer = await signal(shop, 'checkout.session.completed', { id, object: 'checkout.session' })
    assert.ok([200, 400].includes(answer.status), `${id} ${answer.status}`)
  }
  assert.equal(await hashOfDatabase(shop), before)
})

test('unknown addresses get 404, as a JSON problem below /api, and never reveal a file', async () => {
  const files =
    '.env .git/config .git/HEAD .npmrc package.json package-lock.json tsconfig.json src/main.ts data/ server-status phpinfo.php wp-login.php wp-admin/ admin.php backup.zip dump.sql id_rsa .ssh/id_rsa .DS_Store .aws/credentials config.yml actuator/env metrics debug/pprof/ graphql console assets/ assets/page-1a2b3c.js.map assets/../index.ts uploads uploads/ pictures/'.split(
      ' ',
    )
  const climbing = [
    '..%2f..%2fpackage.json',
    '..%5c..%5cpackage.json',
    '%2e%2e%2fpackage.json',
    '%252e%252e%252fpackage.json',
    '....//package.json',
    'assets/..%2f..%2f..%2fetc%2fpasswd',
    'uploads/..%2f..%2fdata',
    'assets/%00',
    'assets/page-1a2b3c.js%00.html',
  ]
  for (const path of [...files, ...climbing]) {
    const { status, body } = await shop.call<unknown>({ url: `/${path}` })
    assert.equal(status, 404, path)
    assert.ok(!/"dependencies"|root:|\[core\]/.test(JSON.stringify(body)), path)
  }
  for (const path of ['/api', '/api/', '/api/nothing', '/api/products/a/b', '/api/auth', '/api/ORDERS']) {
    const { status, headers } = await shop.call({ url: path })
    assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], path)
  }
  for (const method of ['TRACE', 'PROPFIND', 'PUT', 'DELETE'] as const) {
    assert.equal(
      (await shop.app.inject({ method: method as 'PUT', url: '/api/products/' })).statusCode,
      404,
      method,
    )
  }
  const overridden = {
    method: 'POST',
    url: '/api/products/some',
    headers: { 'x-http-method-override': 'DELETE' },
  } as const
  assert.equal((await shop.call(overridden)).status, 404)
})

describe('response headers', () => {
  const addresses = [
    '/',
    '/shop',
    '/shop/x',
    '/nowhere',
    '/api/products/',
    '/api/products/x',
    '/api/auth/me',
    '/api/config',
    '/api/openapi.json',
    '/api/docs/',
    '/health',
    '/uploads/x.webp',
    '/pictures/x.webp',
    '/assets/nothing.js',
    '/api/nothing',
  ]

  test('allow only our own scripts, forbid framing and MIME sniffing, and name no version', async () => {
    for (const url of addresses) {
      const { headers } = await shop.call({ url })
      const policy = String(headers['content-security-policy'])
      for (const rule of [
        "default-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]) {
        assert.ok(policy.includes(rule), `${url} ${policy}`)
      }
      assert.doesNotMatch(policy, /script-src[^;]*(unsafe|\*|data:|https:)/)
      assert.equal(headers['x-content-type-options'], 'nosniff', url)
      assert.equal(headers['x-frame-options'], 'DENY', url)
      assert.equal(headers['referrer-policy'], 'same-origin', url)
      assert.match(String(headers['permissions-policy']), /camera=\(\)/, url)
      assert.deepEqual(
        [headers['server'], headers['x-powered-by'], headers['access-control-allow-origin']],
        [undefined, undefined, undefined],
        url,
      )
      assert.equal(headers['strict-transport-security'], undefined, url)
    }
    assert.equal(
      (await shop.call({ url: '/assets/page-1a2b3c.js' })).headers['x-content-type-options'],
      'nosniff',
    )
  })

  test('of pages also say what else a page may load, and keep windows of other sites apart', async () => {
    for (const url of [...addresses, '/api/%64ocs/', '/%61pi/products/']) {
      const { headers } = await shop.call({ url })
      const path = decodeURI(url)
      const isPage = !/^\/(api|uploads|pictures)\//.test(path) || path === '/api/docs/'
      const policy = String(headers['content-security-policy'])
      assert.equal(policy.includes("form-action 'self'; frame-ancestors 'none'"), isPage, url)
      assert.equal(headers['cross-origin-opener-policy'], isPage ? 'same-origin' : undefined, url)
    }
  })

  test('include Strict-Transport-Security over https', async () => {
    const secure = await startTestApp({ page, environment: { PUBLIC_URL: 'https://shop.example' } })
    try {
      for (const url of [...addresses, '/assets/page-1a2b3c.js']) {
        const { headers } = await secure.call({ url })
        assert.match(String(headers['strict-transport-security']), /^max-age=31536000/, url)
      }
    } finally {
      await secure.close()
    }
  })

  test('forbid caching of API answers to requests with a session cookie', async () => {
    const { token } = await newPerson(shop, 'admin')
    for (const url of addresses.filter(
      (each) => each.startsWith('/api/') && !/docs|openapi|nothing/.test(each),
    )) {
      for (const value of [token, 'x'.repeat(43)]) {
        const { headers } = await shop.call({ url, headers: cookieOf({ token: value }) })
        assert.equal(headers['cache-control'], 'no-store', url)
      }
    }
  })
})
