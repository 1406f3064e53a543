import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { createLimiter, limits, networkOf } from './limits.ts'

const requestsOfCall = { max: 30, seconds: 60 }
const documents = { max: 4, seconds: 60 }
const sitemaps = { max: 5, seconds: 60 }

let shop: TestApp
before(async () => {
  shop = await startTestApp({
    environment: { RATE_LIMITS: 'on' },
    limits: { requestsOfCall, documents, sitemaps },
  })
})
after(() => shop.close())

/** How many of this many requests are answered; the first one that is not must say when to come back. */
async function countAnswered(times: number, url: string, caller: object): Promise<number> {
  for (let answered = 0; answered < times; answered += 1) {
    const { status, headers } = await shop.call({ method: 'GET', url, ...caller })
    if (status !== 429) continue
    assert.match(String(headers['retry-after']), /^[1-9]\d?$/)
    return answered
  }
  return times
}

test('an address has a limit per endpoint, which affects neither other addresses nor other endpoints', async () => {
  const { max } = requestsOfCall
  const remoteAddress = '10.9.0.1'
  assert.equal(await countAnswered(max + 1, '/api/auth/me', { remoteAddress }), max)
  assert.equal(await countAnswered(1, '/api/auth/me', { remoteAddress: '10.9.0.2' }), 1)
  assert.equal(await countAnswered(1, '/api/auth/users', { remoteAddress }), 1)
  assert.equal(await countAnswered(1, '/health', { remoteAddress }), 1)
})

test('an address has a limit of sitemap requests, and HEAD requests count, too', async () => {
  const { max } = sitemaps
  const remoteAddress = '10.9.0.3'
  assert.equal(await countAnswered(max - 2, '/sitemap.xml', { remoteAddress }), max - 2)
  assert.equal(await countAnswered(1, '/sitemaps/products.xml', { remoteAddress, method: 'HEAD' }), 1)
  assert.equal(await countAnswered(2, '/sitemaps/products.xml', { remoteAddress }), 1)
  assert.equal(await countAnswered(1, '/sitemap.xml', { remoteAddress: '10.9.0.4' }), 1)
})

test('an address has a limit of requests for API documents, shared by JSON and YAML', async () => {
  const { max } = documents
  const remoteAddress = '10.9.0.5'
  assert.equal(await countAnswered(max + 1, '/api/docs/json', { remoteAddress }), max)
  assert.equal(await countAnswered(1, '/api/docs/yaml', { remoteAddress }), 0)
  assert.equal(await countAnswered(1, '/api/docs/json', { remoteAddress: '10.9.0.6' }), 1)
})

test('an account’s limit holds across many addresses', async () => {
  const { headers, user } = await makeUser(shop.database.db)
  const url = `/api/auth/edit-profile/${user.id}`
  const call = (index: number) =>
    shop.call({ method: 'PATCH', url, headers, payload: {}, remoteAddress: `10.8.${index % 200}.1` })
  const statuses = new Map<number, number>()
  for (let index = 0; index < requestsOfCall.max + 5; index += 1) {
    const { status } = await call(index)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual(
    [...statuses],
    [
      [400, requestsOfCall.max],
      [429, 5],
    ],
  )
})

test('a limit applies to one key, until its window ends', () => {
  let now = 0
  const limiter = createLimiter({ isOn: true, limits, now: () => now })
  for (let index = 0; index < limits.reviewsInARow.max; index += 1) limiter.count('reviewsInARow', 'somebody')
  assert.throws(() => limiter.check('reviewsInARow', 'somebody'), { status: 429 })
  limiter.check('reviewsInARow', 'somebody else')
  now = limits.reviewsInARow.seconds * 1000
  limiter.check('reviewsInARow', 'somebody')
})

test('a flood of new addresses does not erase counted failed logins, and old addresses are forgotten', () => {
  const limiter = createLimiter({ isOn: true, limits })
  for (let guess = 0; guess < limits.failedLoginsOfAccount.max; guess += 1) {
    limiter.count('failedLoginsOfAccount', 'somebody@example.com')
  }
  for (let index = 0; index < 120_000; index += 1) limiter.count('requests', `address ${index}`)
  assert.throws(() => limiter.check('failedLoginsOfAccount', 'somebody@example.com'), { status: 429 })
  // And memory stays bounded: the first address is forgotten, the last is not.
  assert.equal(limiter.countOf('requests', 'address 0'), 0)
  assert.equal(limiter.countOf('requests', 'address 119999'), 1)
})

test('addresses of one IPv6 /64 network count as one, and ports are ignored', () => {
  const pairs: [string, string][] = [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::', '2001:db8:1:2'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:51234', '192.0.2.1'],
    ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2'],
    ['[::1]', '0:0:0:0'],
    ['an-account:id', 'an-account:id'],
  ]
  for (const [address, network] of pairs) assert.equal(networkOf(address), network)
})
