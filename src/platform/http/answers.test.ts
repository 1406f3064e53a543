import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { colors } from '#shop/catalogue/choices.ts'
import { Problem } from '#shop/contract/problem.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { exchange } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const inside = /node_modules|\.ts\b|    at |select |insert |ERROR:|postgres|fastify|node\//i

/** What holds for every refusal, whichever part of the server makes it. */
function assertRefusal(status: number, headers: Headers, body: string): void {
  assert.equal(headers.get('content-type'), 'application/problem+json')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(Problem.strict().parse(JSON.parse(body)).status, status)
  assert.doesNotMatch(body, inside)
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, uuid)
  const lines = shop.logged.filter(({ reqId }) => reqId === id)
  assert.deepEqual(
    lines.map((line) => line.status),
    [status],
    'one line with the id of the answer',
  )
}

test('refusals beyond 100 log lines are counted, with one line per kind', async (t) => {
  const watched = await startTestApp()
  t.after(() => watched.close())
  const { headers } = await makeUser(watched.database.db)
  const ids: (string | null)[] = []
  for (let each = 0; each < 150; each += 1) {
    const answer = await fetch(`${watched.url}/api/auth/users`, { headers })
    ids.push(answer.headers.get('x-request-id'))
  }
  await fetch(`${watched.url}/api/auth/logout`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  await exchange(watched.url, 'hello\r\n\r\n')
  assert.deepEqual(
    watched.logged.map(({ reqId }) => reqId),
    ids.slice(0, 100),
  )
  await watched.app.close()
  const rest = watched.logged.slice(100)
  assert.deepEqual(
    rest.map(({ status, code, route, times }) => [status, code, route, times]),
    [
      [403, 'not_allowed', '/api/auth/users', 50],
      [403, 'cross_site', '/api/auth/logout', 1],
      [400, 'invalid_request', undefined, 1],
    ],
  )
  assert.equal(rest[0]?.firstId, ids[100])
})

test('503 responses beyond 100 log lines are counted in one line', async (t) => {
  const full = { least: 0, usual: 0, most: 0, waitMs: 300 }
  const watched = await startTestApp({ slotLimits: { calls: full } })
  t.after(() => watched.close())
  for (let each = 0; each < 130; each += 1) {
    assert.equal((await watched.call({ url: '/api/products/' })).status, 503)
  }
  await watched.app.close()
  assert.equal(watched.logged.length, 101)
  const { status, code, route, times } = watched.logged[100] ?? {}
  assert.deepEqual([status, code, route, times], [503, 'overloaded', '/api/products/', 30])
})

/** Parses a response as it was sent. */
function parseAnswer(raw: string): { status: number; headers: Headers; body: string } {
  const [head = '', body = ''] = raw.split('\r\n\r\n')
  const [first = '', ...fields] = head.split('\r\n')
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const [name = '', value = ''] = field.split(': ')
      return [name, value]
    }),
  )
  return { status: Number(first.split(' ')[1]), headers, body }
}

test('every documented endpoint reports errors as problem+json with a new request id', async () => {
  const ids: string[] = []
  const paths = shop.app.swagger().paths ?? {}
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => ({ path, method })),
  )
  assert.ok(calls.length > 20)
  // The address of an API call is no page, whatever the method.
  calls.push({ path: '/uploadImage', method: 'get' })
  for (const { path, method } of calls) {
    const url = shop.url + path.replace(/\{\w+\}/g, 'someone')
    const response = await fetch(url, { method: method.toUpperCase(), headers: { 'x-request-id': 'mine' } })
    const body = await response.text()
    const id = response.headers.get('x-request-id')
    // What is cached for everybody has an ETag, and no id.
    assert.equal(id === null, response.headers.has('etag'), path)
    if (id !== null) ids.push(id)
    if (!response.ok) assertRefusal(response.status, response.headers, body)
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(
    ids.every((id) => uuid.test(id)),
    'none is the one that the caller sent',
  )
})

test('the API document includes /health, the webhook, the upload and the single product', () => {
  const paths = Object.keys(shop.app.swagger().paths ?? {})
  for (const path of ['/health', '/api/payments/webhook', '/uploadImage', '/api/products/{id}'])
    assert.ok(paths.includes(path), path)
})

test('the API document states input limits, response headers, tags and which endpoints need a sign-in', () => {
  type Call = {
    tags?: string[]
    security?: object[]
    parameters?: { name: string; description?: string; schema: object }[]
    requestBody?: { content: Record<string, { schema: object }> }
    responses?: Record<string, { headers?: object }>
  }
  const { paths = {}, components } = shop.app.swagger() as {
    paths?: Record<string, Record<string, Call>>
    components?: { securitySchemes?: object }
  }
  const bodyOf = (path: string) => paths[path]?.post?.requestBody?.content['application/json']?.schema
  const [register, product] = [bodyOf('/api/auth/register'), bodyOf('/api/products/create-product')]
  assert.partialDeepStrictEqual(register, {
    properties: {
      username: { minLength: 1, maxLength: 80 },
      email: { maxLength: 254 },
      password: { minLength: 8, maxLength: 256 },
    },
  })
  assert.partialDeepStrictEqual(product, {
    properties: {
      name: { maxLength: 120 },
      color: { enum: [...colors] },
      price: { minimum: 0.01, maximum: 999_999.99 },
    },
  })
  const limit = paths['/api/products/']?.get?.parameters?.find(({ name }) => name === 'limit')
  assert.equal(limit?.description, '10 by default')
  assert.partialDeepStrictEqual(limit.schema, { type: 'integer', minimum: 1, maximum: 100 })
  assert.partialDeepStrictEqual(paths['/api/orders/']?.get?.responses?.[200]?.headers, {
    'X-Total-Count': { schema: { type: 'integer' } },
  })
  assert.deepEqual(Object.keys(components?.securitySchemes ?? {}), ['session', 'bearer'])
  const groups = Object.values(paths).flatMap((calls) =>
    Object.values(calls).flatMap(({ tags }) => tags ?? ''),
  )
  assert.deepEqual([...new Set(groups)].sort(), [
    'auth',
    'orders',
    'payments',
    'products',
    'reviews',
    'shop',
    'stats',
  ])
  const isOpen = (path: string, method: string) => paths[path]?.[method]?.security === undefined
  assert.deepEqual([isOpen('/api/auth/login', 'post'), isOpen('/api/products/{id}', 'get')], [true, true])
  assert.deepEqual([isOpen('/api/auth/users', 'get'), isOpen('/uploadImage', 'post')], [false, false])
})

test('the API documentation page has the shop’s own title', async () => {
  assert.match(await (await fetch(`${shop.url}/api/docs/`)).text(), /<title>API · Haberdash<\/title>/)
})

test('responses for documents, /health and missing files carry a request id', async () => {
  for (const path of ['/health', '/api/docs/', '/uploads/none.webp', '/assets/none.js']) {
    assert.match((await fetch(shop.url + path)).headers.get('x-request-id') ?? '', uuid, path)
  }
})

describe('malformed and unsupported requests are refused as problem+json', () => {
  const oversized = `x: ${'a'.repeat(20_000)}\r\n`
  const requests: [string, number, string][] = [
    ['bytes that are not HTTP', 400, 'hello\r\n\r\n'],
    ['a header line without a colon', 400, 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
    ['headers of 20 kB', 431, `GET / HTTP/1.1\r\nHost: a\r\n${oversized}\r\n`],
    [
      'two Content-Length headers',
      400,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'Content-Length together with chunked encoding',
      400,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no Host header', 400, 'GET /api/config HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'a path with invalid percent-encoding',
      404,
      'GET /api/products/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ],
    ...['http', 'HTTP', 'Https'].map((scheme): [string, number, string] => [
      `an absolute ${scheme} URL, as sent to a proxy`,
      400,
      `GET ${scheme}://elsewhere.example/api/products/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ]),
    ['TRACE', 404, 'TRACE /api/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['an unknown method', 400, 'BREW /api/config HTTP/1.1\r\nHost: a\r\n\r\n'],
  ]
  for (const [what, status, bytes] of requests) {
    test(what, async () => {
      const answer = parseAnswer(await exchange(shop.url, bytes))
      assert.equal(answer.status, status)
      assertRefusal(status, answer.headers, answer.body)
      assert.ok(answer.headers.get('date'))
      assert.equal(answer.headers.get('connection'), 'close')
    })
  }

  test('invalid bytes after a complete request are not answered in its place', async () => {
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'nothing at all' })
    const fields = `Host: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    const question = `POST /api/auth/login HTTP/1.1\r\n${fields}\r\n\r\n${body}`
    assert.equal(await exchange(shop.url, `${question}hello\r\n\r\n`), '')
  })

  test('a body that cannot be read as JSON gets an error with an empty path', async () => {
    for (const payload of ['{', '{"__proto__":1}', Buffer.from([0xff])]) {
      const headers = { 'content-type': 'application/json' }
      const url = '/api/auth/login'
      const { status, body } = await shop.call<Problem>({ method: 'POST', url, payload, headers })
      assert.equal(status, 400)
      assert.deepEqual(
        body.errors?.map(({ path }) => path),
        [''],
      )
    }
  })

  test('an unknown Expect header is ignored, not refused', async () => {
    const lines = 'GET /api/config HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n'
    const answer = parseAnswer(await exchange(shop.url, lines))
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('x-request-id') ?? '', uuid)
  })
})

test('HEAD has the status and headers of GET, but a 304 to it has no Content-Length', async () => {
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(shop.url + path, { method, headers })
  const fieldsOf = ({ status, headers }: Response) => [
    status,
    ...['content-type', 'content-length', 'cache-control', 'etag'].map((name) => headers.get(name)),
  ]
  for (const path of ['/api/products/', '/api/products/none', '/robots.txt'])
    assert.deepEqual(fieldsOf(await ask('HEAD', path)), fieldsOf(await ask('GET', path)), path)
  const known = await ask('HEAD', '/api/products/', { 'if-none-match': '*' })
  assert.deepEqual([known.status, known.headers.get('content-length')], [304, null])
})

test('sitemaps, robots.txt and the API documentation are sent with Cache-Control: no-cache', async () => {
  for (const path of [
    '/robots.txt',
    '/sitemap.xml',
    '/sitemaps/pages.xml',
    '/api/openapi.json',
    '/api/docs/',
  ])
    assert.equal((await fetch(shop.url + path)).headers.get('cache-control'), 'no-cache', path)
})

test('the cause of an internal error is logged, without the query string, and not shown to the client', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  await shop.database.pool.query('alter table users rename column username to gone')
  try {
    const answer = await fetch(`${shop.url}/api/auth/users?search=someone-private`, { headers })
    const body = await answer.text()
    assert.equal(answer.status, 500)
    assertRefusal(500, answer.headers, body)
    const line = shop.logged.find(({ reqId }) => reqId === answer.headers.get('x-request-id'))
    assert.match(String(line?.reason), /username/)
    assert.doesNotMatch(JSON.stringify(line), /someone-private/)
    assert.equal(line?.route, '/api/auth/users')
  } finally {
    await shop.database.pool.query('alter table users rename column gone to username')
  }
})

test('a body with two thousand errors gets a short response that names twenty of them', async () => {
  const payload = { products: Array.from({ length: 1000 }, () => ({})) }
  const url = '/api/orders/create-checkout-session'
  const { status, body } = await shop.call<{ errors: object[] }>({ method: 'POST', url, payload })
  assert.equal(status, 400)
  assert.equal(body.errors.length, 20)
  assert.ok(JSON.stringify(body).length < 5000)
})

test('validation errors have the shop’s own wording', async () => {
  type Asked = { method: 'GET' | 'POST'; url: string; payload?: object; headers?: Record<string, string> }
  const errorsOf = async (options: Asked) => (await shop.call<{ errors: unknown }>(options)).body.errors
  const url = '/api/orders/create-checkout-session'
  assert.deepEqual(await errorsOf({ method: 'GET', url: '/api/products/?sort=category&page=1&page=2' }), [
    { path: 'page', message: 'must be text' },
  ])
  assert.deepEqual(await errorsOf({ method: 'POST', url, payload: {} }), [
    { path: 'products', message: 'Products is required' },
  ])
  assert.deepEqual(await errorsOf({ method: 'POST', url }), [{ path: '', message: 'Body is required' }])
  assert.deepEqual(await errorsOf({ method: 'POST', url, payload: { products: [] } }), [
    { path: 'products', message: 'must have at least 1 entry' },
  ])
  assert.deepEqual(await errorsOf({ method: 'POST', url, payload: { products: [{ quantity: 1 }, null] } }), [
    { path: 'products.0._id', message: 'Id is required' },
    { path: 'products.1', message: 'Products 1 is required' },
  ])
  const quantities = [0, '1', 1.5, 100]
  const products = quantities.map((quantity) => ({ _id: 'a', quantity }))
  assert.deepEqual(await errorsOf({ method: 'POST', url, payload: { products } }), [
    { path: 'products.0.quantity', message: 'must be at least 1' },
    { path: 'products.1.quantity', message: 'must be a number' },
    { path: 'products.2.quantity', message: 'must be a whole number' },
    { path: 'products.3.quantity', message: 'must be at most 99' },
  ])
  assert.deepEqual(await errorsOf({ method: 'POST', url: '/api/orders/confirm-payment', payload: {} }), [
    { path: 'session_id', message: 'Session id is required' },
  ])
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  assert.deepEqual(await errorsOf({ method: 'GET', url: '/api/orders/?status=paid', headers }), [
    { path: 'status', message: 'must be one of: all, pending, processing, shipped, completed' },
  ])
})
