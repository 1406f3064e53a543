import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import Fastify from 'fastify'
import { makeProduct } from '#shop/testing/factories.ts'
import { closed, exchange, openSocket, readAll } from '#shop/testing/raw-request.ts'
import { startSilentServer } from '#shop/testing/silent-server.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { keepTimeLimits, timeLimits } from './time-limits.ts'

const limits = { handler: 1500, silence: 2500, check: 20, stop: 200 }

const silentProvider = await startSilentServer()
let shop: TestApp
before(async () => {
  shop = await startTestApp({ timeLimits: limits, providerAddress: silentProvider.url })
})
after(async () => {
  silentProvider.close()
  await shop.close()
})

/** Sends one byte after the other for as long as the connection is open. */
async function drip(socket: Socket, bytes: string): Promise<void> {
  let at = 0
  const timer = setInterval(() => socket.write(bytes[at++ % bytes.length] ?? ''), 10)
  await closed(socket)
  clearInterval(timer)
}

describe('a client that sends too slowly is disconnected', () => {
  let hasty: TestApp
  before(async () => {
    hasty = await startTestApp({ timeLimits: { headers: 300, request: 600, check: 20, stop: 200 } })
  })
  after(() => hasty.close())

  const slow: [string, string, string][] = [
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\n', 'x-more: 1\r\n'],
    [
      'a body that never ends',
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n',
      ' ',
    ],
    [
      'chunks that never end',
      'POST /uploadImage HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
    ],
  ]
  for (const [what, begin, more] of slow) {
    test(what, async () => {
      const socket = await openSocket(hasty.url)
      socket.write(begin)
      const [answer] = await Promise.all([readAll(socket), drip(socket, more)])
      // A client that is not signed in is refused before its body is read, and nobody waits for the body then
      // either. A byte that comes after the connection was closed can undo the delivery of the answer.
      assert.match(answer, /^$|^HTTP\/1.1 (408|401)/)
      if (answer.includes(' 408 ')) assert.match(answer, /"code":"too_slow"/)
    })
  }

  test('half a body, and then nothing, gets a 408', async (t) => {
    const begin =
      'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"'
    const answer = exchange(shop.url, begin)
    await once(shop.app.server, 'request')
    for (const limit of ['headersTimeout', 'requestTimeout'] as const)
      t.mock.property(shop.app.server, limit, 1)
    assert.match(await answer, /^HTTP\/1.1 408/)
  })

  test('not a single byte', async () => {
    assert.doesNotMatch(await exchange(hasty.url, ''), /^HTTP\/1.1 200/)
  })
})

test('a client that does not read its responses is disconnected', async () => {
  const arrived = once(shop.app.server, 'connection') as Promise<[Socket]>
  const client = await openSocket(shop.url)
  client.pause()
  const [served] = await arrived
  const gone = closed(served)
  client.write('GET /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(90))
  await gone
  client.destroy()
})

test('many slow clients do not hold up another one, and each gets a 408', async (t) => {
  const other = await startTestApp({ timeLimits: { check: 20, stop: 200 } })
  t.after(() => other.close())
  const served: Socket[] = []
  other.app.server.on('connection', (socket: Socket) => served.push(socket))
  const ends = Array.from({ length: 300 }, () => exchange(other.url, 'GET / HTTP/1.1\r\nHost: a\r\nx'))
  await until(async () => served.length === 300 && served.every(({ bytesRead }) => bytesRead > 0))
  assert.equal((await fetch(`${other.url}/api/products/`)).status, 200)
  other.app.server.headersTimeout = 1
  for (const answer of await Promise.all(ends)) assert.match(answer, /^HTTP\/1.1 408/)
})

test('a handler that takes too long is answered with a 503 and Retry-After', async () => {
  const { id } = await makeProduct(shop.database.db)
  const response = await fetch(`${shop.url}/api/orders/create-checkout-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ products: [{ _id: id, quantity: 1 }] }),
  })
  assert.equal(response.status, 503)
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  assert.equal(((await response.json()) as { code: string }).code, 'too_long')
})

test('a response that has begun in time may take longer to send', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  keepTimeLimits(app, { ...timeLimits, handler: 50 })
  const rest = Promise.withResolvers<string>()
  const pieces = async function* () {
    yield 'first, '
    yield await rest.promise
  }
  app.get('/stream', async (_request, reply) => reply.send(Readable.from(pieces())))
  app.get('/never', () => new Promise(() => {}))
  const url = await app.listen()
  const response = await fetch(`${url}/stream`)
  assert.equal((await fetch(`${url}/never`)).status, 503)
  rest.resolve('rest')
  assert.equal(await response.text(), 'first, rest')
})

test('shutdown does not wait forever for a request that never ends', async () => {
  const other = await startTestApp({ timeLimits: { stop: 50 } })
  const socket = await openSocket(other.url)
  socket.write(
    'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  )
  await once(other.app.server, 'request')
  const [rest] = await Promise.all([readAll(socket), other.close()])
  assert.equal(rest, '')
})
