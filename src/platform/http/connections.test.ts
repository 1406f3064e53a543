import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { makeOrder } from '#shop/testing/factories.ts'
import { lockTable } from '#shop/testing/lock-table.ts'
import { closed, exchange, openSocket, readAll } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'

const ask = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'
const askOnce = ask.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
/** The address of another client than 127.0.0.1. */
const elsewhere = '127.0.0.2'

async function startCrowded(t: TestContext, mostConnections: number) {
  // So that closing the shop does not wait for requests that never end.
  const shop = await startTestApp({ mostConnections, timeLimits: { stop: 50 } })
  t.after(() => shop.close())
  return shop
}

/** Whether the shop is reachable from a second address: on some systems loopback has only one. */
async function hasElsewhere(shop: TestApp): Promise<boolean> {
  return exchange(shop.url, askOnce, elsewhere).then(
    () => true,
    () => false,
  )
}

/** Opens connections one after the other, so that the first is the oldest. */
async function inTurn(count: number, open: () => Promise<Socket>): Promise<Socket[]> {
  const all: Socket[] = []
  while (all.length < count) all.push(await open())
  return all
}

/** A request whose body never ends; the shop has seen its head. */
async function drip({ url }: TestApp): Promise<Socket> {
  const socket = await openSocket(url)
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: 60000\r\nExpect: 100-continue\r\n\r\n{`)
  await once(socket, 'data')
  return socket
}

/** A connection that was used for one request and is kept open for later ones. */
async function keep({ url }: TestApp, from?: string): Promise<Socket> {
  const socket = await openSocket(url, from)
  await answerOn(socket)
  return socket
}

async function answerOn(socket: Socket): Promise<void> {
  socket.write(ask)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1.1 200/)
}

/** Requests that the shop works on until `goOn`. */
async function askForLong(shop: TestApp, count: number) {
  const { id } = await makeOrder(shop.database.db)
  const orders = await lockTable(shop.database, 'orders')
  const answers = Array.from({ length: count }, () =>
    exchange(shop.url, `GET /api/orders/order/${id} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
  )
  await orders.untilWaiting(count)
  const goOn = async () => {
    await orders.release()
    return Promise.all(answers)
  }
  return { goOn }
}

test('the oldest idle connections are closed for new ones when all are taken, and this is logged', async (t) => {
  const shop = await startCrowded(t, 20)
  const idle = await inTurn(20, () => keep(shop))
  const gone = idle.slice(0, 2).map((socket) => closed(socket))
  assert.match(await exchange(shop.url, askOnce), / 200 /)
  const again = await keep(shop)
  const more = await keep(shop)
  await Promise.all(gone)
  assert.ok(shop.logged.some(({ code }) => code === 'connections_full'))
  // The newest of the first connections is still open.
  for (const socket of [again, more, ...idle.slice(-1)]) await answerOn(socket)
})

test('connections with unfinished bodies are closed for new ones, while those being answered stay open', async (t) => {
  const shop = await startCrowded(t, 20)
  const { goOn } = await askForLong(shop, 2)
  const dripping = await inTurn(18, () => drip(shop))
  const ends = dripping.map((socket) => readAll(socket))
  for (let each = 0; each < 30; each += 1) {
    await drip(shop)
    assert.match(await exchange(shop.url, askOnce), / 200 /)
  }
  await Promise.all(ends)
  for (const answer of await goOn()) assert.match(answer, / 200 /)
})

test('connections whose responses are not read are closed for new ones', async (t) => {
  const shop = await startCrowded(t, 5)
  const served: Socket[] = []
  shop.app.server.on('connection', (socket: Socket) => served.push(socket))
  const unread = await inTurn(5, async () => {
    const socket = await openSocket(shop.url)
    socket.pause()
    socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(90))
    return socket
  })
  await until(async () => served.length === 5 && served.every((socket) => socket.writableNeedDrain))
  assert.match(await exchange(shop.url, askOnce), / 200 /)
  const { goOn } = await askForLong(shop, 2)
  for (let each = 0; each < 4; each += 1) assert.match(await exchange(shop.url, askOnce), / 200 /)
  for (const answer of await goOn()) assert.match(answer, / 200 /)
  for (const socket of unread) socket.destroy()
})

test('the address with the most connections loses one first, even if another address has an older one', async (t) => {
  const shop = await startCrowded(t, 20)
  if (!(await hasElsewhere(shop))) return t.skip('this machine has one address')
  const [oldest] = await inTurn(1, () => keep(shop, elsewhere))
  const [first] = await inTurn(19, () => drip(shop))
  assert.ok(oldest && first)
  const gone = closed(first)
  assert.match(await exchange(shop.url, askOnce, elsewhere), / 200 /)
  await gone
  await answerOn(oldest)
})

test('a new connection is refused while all others are being answered, and this is logged', async (t) => {
  const shop = await startCrowded(t, 2)
  const { goOn } = await askForLong(shop, 2)
  assert.equal(await exchange(shop.url, askOnce), '')
  assert.ok(shop.logged.some(({ code }) => code === 'connections_full'))
  for (const answer of await goOn()) assert.match(answer, / 200 /)
  assert.match(await exchange(shop.url, askOnce), / 200 /)
})
