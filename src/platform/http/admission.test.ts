import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { sql } from 'drizzle-orm'
import { transaction } from '#shop/platform/statements.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { lockTable } from '#shop/testing/lock-table.ts'
import { startSilentServer } from '#shop/testing/silent-server.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { closed, exchange, openSocket } from '#shop/testing/raw-request.ts'
import { until } from '#shop/testing/until.ts'
import { isLate, slotLimits, computeLimit, type Measurement } from './admission.ts'
import type { UploadLimits } from './upload-slots.ts'

const only = (count: number) => ({ least: count, usual: count, most: count, waitMs: 300 })
const few = { calls: only(5), payments: only(3) }

const silentProvider = await startSilentServer()
let shop: TestApp
before(async () => {
  shop = await startTestApp({ slotLimits: few, providerAddress: silentProvider.url })
})
after(async () => {
  silentProvider.close()
  await shop.close()
})

/** Sends `size` requests, of which one is refused while the others wait; then lets these go on. */
async function crowd(at: TestApp, size: number, ask: () => Promise<Response>, goOn: () => Promise<unknown>) {
  const responses = Array.from({ length: size }, ask)
  const refused = await Promise.race(responses)
  await at.call({ method: 'GET', url: '/health' }).then(({ status }) => assert.equal(status, 200))
  await goOn()
  return { refused, all: await Promise.all(responses) }
}

function assertOverloaded(response: Response): void {
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('retry-after'), '1')
  assert.match(String(response.headers.get('content-type')), /problem\+json/)
}

test('a request beyond the limit gets a 503 at once; the others are answered, and later ones are, too', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  await using orders = await lockTable(shop.database, 'orders')
  const ask = () => fetch(`${shop.url}/api/orders/`, { headers })
  const { refused, all } = await crowd(shop, 6, ask, orders.release)
  assertOverloaded(refused)
  assert.equal(all.filter(({ status }) => status === 200).length, 5)
  assert.equal((await ask()).status, 200)
})

test('requests whose body is still incomplete take no slot', async () => {
  const send = async (path: string) => {
    const socket = await openSocket(shop.url)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999\r\n`
    socket.write(`${head}Expect: 100-continue\r\n\r\n{`)
    await once(socket, 'data')
    return socket
  }
  const paths = ['/api/auth/login', '/api/orders/confirm-payment', '/api/payments/webhook']
  const all = paths.flatMap((path) => Array.from({ length: 8 }, () => send(path)))
  const slow = await Promise.all(all)
  assert.equal((await fetch(`${shop.url}/api/products/?search=somebody`)).status, 200)
  const responses = ['/api/auth/login', '/api/orders/confirm-payment'].map((path) =>
    fetch(shop.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  )
  for (const { status } of await Promise.all(responses))
    assert.ok(status === 400 || status === 404, `${status}`)
  for (const socket of slow) socket.destroy()
})

/** Announces a body but sends none of it; returns the connection and the status of the response. */
async function sendNothingOf(at: TestApp, path: string, fields: string) {
  const socket = await openSocket(at.url)
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return { socket, status: Number(String(answer).split(' ')[1]) }
}

test('requests refused before their body has arrived keep no slot', async () => {
  for (const path of ['/api/auth/logout', '/api/orders/create-checkout-session']) {
    const fields = 'Sec-Fetch-Site: cross-site\r\nContent-Length: 99'
    const refused = []
    for (let each = 0; each < 8; each += 1) refused.push(await sendNothingOf(shop, path, fields))
    for (const { socket } of refused) socket.destroy()
    assert.deepEqual([...new Set(refused.map(({ status }) => status))], [403], path)
  }
})

test('pipelined requests on one connection take one slot, not one each', async () => {
  const body = JSON.stringify({ session_id: 'cs_test_ahead0123456789' })
  const head = 'POST /api/orders/confirm-payment HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const before = silentProvider.sockets.length
  const socket = await openSocket(shop.url)
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(20))
  await until(async () => silentProvider.sockets.length > before)
  const other = await shop.call({ method: 'POST', url: '/api/orders/confirm-payment', payload: {} })
  socket.destroy()
  assert.equal(other.status, 400)
})

test('clients that do not read their responses keep no slot', async () => {
  const served: Socket[] = []
  shop.app.server.on('connection', (socket: Socket) => served.push(socket))
  // More than the system buffers for a connection: what is buffered there has left our memory.
  const { headers } = await makeUser(shop.database.db, { bio: 'long'.repeat(2_000_000) })
  const unread: Socket[] = []
  for (let each = 0; each < 5; each += 1) {
    const socket = await openSocket(shop.url)
    socket.pause()
    socket.write(`GET /api/auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\n\r\n`)
    unread.push(socket)
  }
  await until(async () => served.length === 5 && served.every((socket) => socket.writableNeedDrain))
  assert.equal((await shop.call({ method: 'GET', url: '/api/auth/me' })).status, 401)
  for (const socket of unread) socket.destroy()
})

test('a sitemap keeps its slot while it is being streamed, even if a request body is still to come', async (t) => {
  const small = await startTestApp({ slotLimits: { lists: 1 }, timeLimits: { stop: 50 } })
  t.after(() => small.close())
  // More than the system buffers for a connection: each address takes most of a kilobyte. Totals are not needed here.
  await transaction(small.database.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (let next = 0; next < 15_000; next += 1000)
      await tx.execute(sql`
        insert into products (id, name, category, description, price_cents, color)
        select n || repeat('%', 240), 'Product', 'grooming', 'One of many.', 1000, 'blue'
        from generate_series(${next}::int, ${next + 999}::int) n`)
  })
  const statusOfAnother = async () => (await fetch(`${small.url}/sitemap.xml`, { method: 'HEAD' })).status
  for (const fields of ['', 'Content-Length: 9\r\n']) {
    const socket = await openSocket(small.url)
    socket.write(`GET /sitemap.xml HTTP/1.1\r\nHost: a\r\n${fields}\r\n`)
    await once(socket, 'data')
    socket.pause()
    assert.equal(await statusOfAnother(), 503, fields)
    socket.destroy()
    await until(async () => (await statusOfAnother()) === 200, 'the slot is given back')
  }
})

/** Opens a connection; `hangUp` resolves when the shop has noticed. */
async function connectTo({ app, url }: TestApp) {
  const arrived = once(app.server, 'connection') as Promise<[Socket]>
  const socket = await openSocket(url)
  const [served] = await arrived
  const hangUp = async () => {
    const gone = closed(served)
    socket.destroy()
    await gone
  }
  return { socket, hangUp }
}

test('clients that hang up while their session is looked up take no slot', async () => {
  const { headers } = await makeUser(shop.database.db)
  const path = '/api/orders/create-checkout-session'
  await using sessions = await lockTable(shop.database, 'sessions')
  for (let each = 0; each < 3; each += 1) {
    const { socket, hangUp } = await connectTo(shop)
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\nContent-Length: 0\r\n\r\n`,
    )
    await sessions.untilWaiting(each + 1)
    await hangUp()
  }
  await sessions.release()
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
  for (let each = 0; each < 4; each += 1) assert.equal((await fetch(shop.url + path, options)).status, 400)
})

test('clients that hang up keep their slot until their work is done', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  const order = `/api/orders/order/${(await makeOrder(shop.database.db)).id}`
  for (const [path, lane] of [
    ['/api/orders/', few.calls],
    [order, few.payments],
  ] as const) {
    const ask = () => fetch(shop.url + path, { headers })
    await using orders = await lockTable(shop.database, 'orders')
    for (let each = 1; each <= lane.most; each += 1) {
      const { socket, hangUp } = await connectTo(shop)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\n\r\n`)
      await orders.untilWaiting(each)
      await hangUp()
    }
    assertOverloaded(await ask())
    await orders.release()
    await until(async () => (await ask()).status === 200)
  }
})

test('no order is read for clients that hang up while their session is looked up', async () => {
  const { headers } = await makeUser(shop.database.db, { role: 'admin' })
  const path = `/api/orders/order/${(await makeOrder(shop.database.db)).id}`
  for (const method of ['GET', 'HEAD']) {
    await using sessions = await lockTable(shop.database, 'sessions')
    await using orders = await lockTable(shop.database, 'orders')
    for (let each = 1; each <= 3; each += 1) {
      const { socket, hangUp } = await connectTo(shop)
      const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}`
      socket.write(`${head}\r\n\r\n`)
      await sessions.untilWaiting(each)
      await hangUp()
    }
    await sessions.release()
    // By the time these are answered, the others are known, too, and have asked for what they would read.
    for (let each = 0; each < 5; each += 1) await shop.call({ url: '/api/auth/me', headers })
    const waiting = await orders.countWaiting()
    await orders.release()
    assert.equal(waiting, 0, method)
  }
})

test('checkouts waiting for the provider are limited, and hold up neither product lists nor webhook events', async (t) => {
  const provider = await startSilentServer()
  t.after(provider.close)
  const waiting = await startTestApp({ slotLimits: few, providerAddress: provider.url })
  t.after(() => waiting.close())
  const { id } = await makeProduct(waiting.database.db)
  const ask = () =>
    fetch(`${waiting.url}/api/orders/create-checkout-session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ products: [{ _id: id, quantity: 1 }] }),
    })
  const { refused, all } = await crowd(waiting, 4, ask, async () => {
    assert.equal((await fetch(`${waiting.url}/api/products/?search=anything`)).status, 200)
    const signal = await fetch(`${waiting.url}/api/payments/webhook`, { method: 'POST', body: '{}' })
    assert.equal(signal.status, 400, 'the provider is heard')
    provider.close()
  })
  assertOverloaded(refused)
  const codes = await Promise.all(all.map(async (answer) => ((await answer.json()) as { code: string }).code))
  assert.deepEqual(codes.sort(), ['overloaded', ...Array.from({ length: 3 }, () => 'provider_unavailable')])
})

/** An upload whose body ends only when told to `finish`, and the response to it. */
async function dripPicture(at: TestApp, { authorization }: { authorization: string }, from?: string) {
  const socket = await openSocket(at.url, from)
  const head = `POST /uploadImage HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n`
  const begin = '{"image":'
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 99999\r\n\r\n${begin}`)
  const answer = once(socket, 'data').then(([data]) => String(data))
  return { socket, answer, finish: () => socket.write('x'.repeat(99_999 - begin.length)) }
}

/** Begins `count` uploads, of which one is refused: by then the others have a slot or are in the queue. */
async function dripUntilRefused(
  at: TestApp,
  { headers }: { headers: { authorization: string } },
  count: number,
  from?: string,
) {
  const all = await Promise.all(Array.from({ length: count }, () => dripPicture(at, headers, from)))
  const first = await Promise.race(all.map(async (each) => ({ each, said: await each.answer })))
  first.each.socket.destroy()
  return { refused: first.said, others: all.filter((each) => each !== first.each) }
}

async function sendPicture(at: TestApp, headers: { authorization: string }): Promise<string> {
  const answer = await fetch(`${at.url}/uploadImage`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"image":"none"}',
  })
  return ((await answer.json()) as { code: string }).code
}

test('an account has a limit of simultaneous uploads, and another account still gets a slot', async (t) => {
  const uploads = { most: 4, mostPerAccount: 3, mostWaitingPerAccount: 0, patienceMs: Infinity }
  const many = await startTestApp({ slotLimits: { uploads } })
  t.after(() => many.close())
  const [one, other] = [await makeUser(many.database.db), await makeUser(many.database.db)]
  const dripping = await Promise.all(Array.from({ length: 4 }, () => dripPicture(many, one.headers)))
  const refused = await Promise.race(dripping.map(({ answer }) => answer))
  assert.match(refused, /^HTTP\/1.1 503[^]*retry-after: 1\r[^]*"code":"too_many_at_once"/i)
  assert.equal(await sendPicture(many, other.headers), 'invalid_input')
  assert.equal(await sendPicture(many, one.headers), 'too_many_at_once')
  for (const { socket } of dripping) socket.destroy()
})

test('an upload refused before its body is sent keeps no slot', async (t) => {
  const uploads = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 0, patienceMs: Infinity }
  const many = await startTestApp({ slotLimits: { uploads } })
  t.after(() => many.close())
  const { headers } = await makeUser(many.database.db)
  const fields = `Authorization: ${headers.authorization}\r\nContent-Length: 99999999`
  const { socket, status } = await sendNothingOf(many, '/uploadImage', fields)
  assert.equal(status, 413)
  assert.equal(await sendPicture(many, headers), 'invalid_input')
  socket.destroy()
})

test('an upload whose client hangs up keeps no slot, whether or not its body has been read', async (t) => {
  const uploads = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 0, patienceMs: Infinity }
  const many = await startTestApp({ slotLimits: { uploads } })
  t.after(() => many.close())
  const { headers } = await makeUser(many.database.db)
  const body = '{"image":"none"}'
  const head = `POST /uploadImage HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  // The sender's session is looked up before the body is read, and once more after.
  for (const isRead of [false, true]) {
    const { socket, hangUp } = await connectTo(many)
    if (isRead) {
      socket.write(`${head}Expect: 100-continue\r\n\r\n`)
      await once(socket, 'data')
    }
    await using sessions = await lockTable(many.database, 'sessions')
    socket.write(isRead ? body : `${head}\r\n${body}`)
    await sessions.untilWaiting(1)
    await hangUp()
    await sessions.release()
    assert.equal(await sendPicture(many, headers), 'invalid_input')
  }
})

test('an account’s further uploads wait for a slot, and are refused once its queue is full', async (t) => {
  const uploads = { most: 4, mostPerAccount: 3, mostWaitingPerAccount: 4, patienceMs: Infinity }
  const many = await startTestApp({ slotLimits: { uploads }, timeLimits: { stop: 50 } })
  t.after(() => many.close())
  const { headers } = await makeUser(many.database.db)
  // One more than may be active and waiting: once it is refused, the others have a slot or are in the queue.
  const dripping = await Promise.all(Array.from({ length: 8 }, () => dripPicture(many, headers)))
  assert.match(await Promise.race(dripping.map(({ answer }) => answer)), /"code":"too_many_at_once"/)
  for (const { socket } of dripping.slice(0, 4)) socket.destroy()
  // Whichever four have gone, at most one of the other four still waits.
  const sent = Promise.all(Array.from({ length: 3 }, () => sendPicture(many, headers)))
  for (const { socket } of dripping.slice(4)) socket.destroy()
  assert.deepEqual(
    await sent,
    Array.from({ length: 3 }, () => 'invalid_input'),
  )
})

test('an account with few uploads gets into a full queue, and its turn comes before accounts with many', async (t) => {
  const uploads = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 32, patienceMs: Infinity }
  const many = await startTestApp({ slotLimits: { uploads }, timeLimits: { stop: 50 } })
  t.after(() => many.close())
  const [one, other, third] = await Promise.all([1, 2, 3].map(() => makeUser(many.database.db)))
  assert.ok(one && other && third)
  const refused: string[] = []
  const drip = async ({ headers }: { headers: { authorization: string } }, count: number) => {
    const before = refused.length
    const dripping = await Promise.all(Array.from({ length: count }, () => dripPicture(many, headers)))
    for (const { answer } of dripping) void answer.then((response) => refused.push(response))
    // One more than may wait: once it is refused, the others have a slot or are in the queue.
    await until(async () => refused.length > before)
    return dripping.map(({ socket }) => socket)
  }
  const withTheFirst = await drip(one, 34)
  const others = await drip(other, 33)
  const sent = sendPicture(many, third.headers)
  // A waiting upload had to leave, and the third is in the queue.
  await until(async () => refused.length === 3)
  for (const socket of withTheFirst) socket.destroy()
  assert.equal(await sent, 'invalid_input')
  const codes = refused.map((each) => /"code":"(\w+)"/.exec(each)?.[1])
  assert.deepEqual(codes, ['too_many_at_once', 'too_many_at_once', 'overloaded'])
  for (const socket of others) socket.destroy()
})

/** A shop with few slots for uploads, where an upload that is not finished keeps its slot for ever. */
async function startPatient(t: TestContext, uploads: Partial<UploadLimits>) {
  const limits = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 1, patienceMs: Infinity, ...uploads }
  const timeLimits = { request: 3_600_000, silence: 3_600_000, stop: 50 }
  const many = await startTestApp({ slotLimits: { uploads: limits }, timeLimits })
  t.after(() => {
    t.mock.timers.reset()
    return many.close()
  })
  return many
}

test('the next upload is refused when its own account fills the whole queue', async (t) => {
  const many = await startPatient(t, { mostWaitingPerAccount: 99 })
  const one = await makeUser(many.database.db)
  const { refused, others } = await dripUntilRefused(many, one, 66)
  assert.match(refused, /"code":"overloaded"/)
  assert.equal(await sendPicture(many, one.headers), 'overloaded')
  for (const { socket } of others) socket.destroy()
})

test('waiting uploads start as soon as a slot is free, without a timer', async (t) => {
  const many = await startPatient(t, { mostWaitingPerAccount: 2 })
  // With the clock stopped, no timer wakes those who wait.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { others } = await dripUntilRefused(many, await makeUser(many.database.db), 4)
  for (const { finish } of others) finish()
  for (const { answer } of others) assert.match(await answer, /^HTTP\/1.1 400 /)
})

/** Another network than that of 127.0.0.1; on some machines loopback has only one address. */
const elsewhere = '127.0.0.2'
const hasElsewhere = (at: TestApp) =>
  exchange(at.url, 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', elsewhere).then(
    () => true,
    () => false,
  )

async function sendFromElsewhere(at: TestApp, { authorization }: { authorization: string }): Promise<string> {
  const head = `POST /uploadImage HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n`
  const fields = 'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close'
  const answer = await exchange(at.url, `${head}${fields}\r\n\r\n{}`, elsewhere)
  return /"code":"(\w+)"/.exec(answer)?.[1] ?? answer
}

test('a free slot goes to the waiting upload of the network with the fewest uploads, not to the first in line', async (t) => {
  const many = await startPatient(t, { most: 2 })
  if (!(await hasElsewhere(many))) return t.skip('this machine has one address')
  const [one, other, third, far] = await Promise.all([1, 2, 3, 4].map(() => makeUser(many.database.db)))
  assert.ok(one && other && third && far)
  const first = await dripUntilRefused(many, one, 3)
  const second = await dripUntilRefused(many, other, 3)
  // This one never finishes: an upload that had to wait for it would wait for ever.
  const waits = await dripUntilRefused(many, third, 2)
  const sent = [1, 2].map(() => sendFromElsewhere(many, far.headers))
  // When one of them is refused, the other is in the queue.
  assert.equal(await Promise.race(sent), 'too_many_at_once')
  for (const { socket } of first.others) socket.destroy()
  assert.deepEqual((await Promise.all(sent)).sort(), ['invalid_input', 'too_many_at_once'])
  for (const { socket } of [...second.others, ...waits.others]) socket.destroy()
})

test('a waiting upload starts without a timer when the client ahead of it has hung up', async (t) => {
  const many = await startPatient(t, { most: 2 })
  if (!(await hasElsewhere(many))) return t.skip('this machine has one address')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const [one, other, far] = await Promise.all([1, 2, 3].map(() => makeUser(many.database.db)))
  assert.ok(one && other && far)
  const first = await dripUntilRefused(many, one, 3)
  const second = await dripUntilRefused(many, other, 3)
  // From a network that has no other upload.
  const gone = await dripUntilRefused(many, far, 2, elsewhere)
  for (const { socket } of gone.others) socket.destroy()
  // By the time this is answered, the shop has noticed which clients are gone.
  assert.equal((await fetch(`${many.url}/health`)).status, 200)
  for (const { finish } of first.others) finish()
  for (const { answer } of first.others) assert.match(await answer, /^HTTP\/1.1 400 /)
  for (const { socket } of second.others) socket.destroy()
})

test('a waiting upload of an account at its limit does not hold up other accounts while slots are free', async (t) => {
  const many = await startPatient(t, { most: 4 })
  if (!(await hasElsewhere(many))) return t.skip('this machine has one address')
  const [one, other, third, fourth] = await Promise.all([1, 2, 3, 4].map(() => makeUser(many.database.db)))
  assert.ok(one && other && third && fourth)
  const far = await dripUntilRefused(many, one, 3, elsewhere)
  const near = [await dripUntilRefused(many, other, 3), await dripUntilRefused(many, third, 3)]
  // This network has more uploads than the network of the one that waits.
  assert.equal(await sendPicture(many, fourth.headers), 'invalid_input')
  for (const { others } of [far, ...near]) for (const { socket } of others) socket.destroy()
})

test('a slow upload loses its slot to a waiting one and gets a 503 with the code too_slow', async (t) => {
  const only = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 1, patienceMs: 300 }
  // So that closing the shop does not wait for the bodies.
  const small = await startTestApp({ slotLimits: { uploads: only }, timeLimits: { stop: 50 } })
  t.after(() => small.close())
  const users = [await makeUser(small.database.db), await makeUser(small.database.db)] as const
  const dripping = await Promise.all(users.map(({ headers }) => dripPicture(small, headers)))
  // The upload that is left has the only slot now.
  const first = await Promise.race(dripping.map(({ answer }) => answer))
  const third = await makeUser(small.database.db)
  assert.equal(await sendPicture(small, third.headers), 'invalid_input')
  for (const answer of [first, ...(await Promise.all(dripping.map((each) => each.answer)))])
    assert.match(answer, /^HTTP\/1.1 503[^]*"code":"too_slow"/)
})

test('a fast upload keeps its slot while another one waits', async (t) => {
  const only = { most: 1, mostPerAccount: 1, mostWaitingPerAccount: 1, patienceMs: 0 }
  const small = await startTestApp({ slotLimits: { uploads: only }, timeLimits: { stop: 50 } })
  t.after(() => small.close())
  const served: Socket[] = []
  small.app.server.on('connection', (socket: Socket) => served.push(socket))
  const [one, other] = [await makeUser(small.database.db), await makeUser(small.database.db)]
  const size = 2_000_000
  const head = `POST /uploadImage HTTP/1.1\r\nHost: a\r\nAuthorization: ${one.headers.authorization}\r\nContent-Type: application/json\r\n`
  const quick = await openSocket(small.url)
  quick.write(`${head}Content-Length: ${size + 1}\r\n\r\n${'x'.repeat(size)}`)
  await until(async () => (served[0]?.bytesRead ?? 0) > size)
  const first = once(quick, 'data').then(([data]) => String(data))
  // Once one is refused, the other waits: it has found no slow upload to end.
  const sent = [1, 2].map(() => sendPicture(small, other.headers))
  assert.equal(await Promise.race(sent), 'too_many_at_once')
  quick.write('x')
  assert.match(await first, /^HTTP\/1.1 400 /)
  assert.deepEqual((await Promise.all(sent)).sort(), ['invalid_input', 'too_many_at_once'])
  quick.destroy()
})

test('the limit on requests in progress follows how many are finished in time', () => {
  const { least, usual, most } = slotLimits.calls
  const busy: Measurement = { elapsedMs: 100, done: 50, isBusy: true }
  const table: [string, Measurement, number, number][] = [
    ['it keeps up', { ...busy, isBusy: false }, 100, usual],
    ['500 a second, of whom nobody waits longer than 0.3 s', busy, 150, 150],
    ['it does less than thought', busy, 500, 430],
    ['it does more than thought', { ...busy, done: 300 }, 600, 660],
    ['nothing is done at all', { ...busy, done: 0 }, least + 1, least],
    ['it is very fast', { ...busy, done: 10_000 }, 500, most],
  ]
  for (const [what, look, before, expected] of table) {
    assert.equal(computeLimit(look, before, slotLimits.calls), expected, what)
  }
})

test('the shop counts as behind only when a measurement is late and many requests came meanwhile', () => {
  const look = { elapsedMs: 900, done: 150, refused: 0 }
  assert.equal(isLate(look), true)
  assert.equal(isLate({ ...look, done: 3 }), false)
  assert.equal(isLate({ ...look, elapsedMs: 120 }), false)
})
