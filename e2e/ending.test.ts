import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSocket, readAll } from '#shop/testing/raw-request.ts'
import { until } from '#shop/testing/until.ts'
import { sendSignal, startShop, type ShopProcess } from './shop-process.ts'
import { adminHeaders, openSession, pay } from './shop-calls.ts'

/** A request that the shop has begun to read: it has sent 100 Continue and waits for the body. */
async function begin(shop: ShopProcess, path: string, body: object): Promise<Begun> {
  const socket = await openSocket(shop.url)
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 100 /)
  return { socket, text, answer: readAll(socket) }
}
type Begun = { socket: Socket; text: string; answer: Promise<string> }

async function isRefused(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const hasFailed = await Promise.race([
    once(socket, 'connect').then(() => false),
    new Promise<boolean>((resolve) => socket.once('error', () => resolve(true))),
  ]).catch(() => true)
  socket.destroy()
  return hasFailed
}

/** Never stops reading. Every response must be complete; no response means that the connection has ended. */
async function fetchUntilRefused(url: string, isOver: () => boolean): Promise<{ answered: number }> {
  let answered = 0
  while (!isOver()) {
    const response = await fetch(`${url}/api/products/?page=${1 + (answered % 8)}`).catch(() => undefined)
    if (!response) return { answered }
    assert.equal(response.status, 200)
    assert.ok(((await response.json()) as { data: object }).data)
    answered += 1
  }
  return { answered }
}

/** Nothing in the program throws on demand, so this is loaded before it. */
const faults = `
  process.on('SIGUSR2', () => setTimeout(() => { throw new Error('thrown in a timer') }))
  process.on('SIGWINCH', () => void Promise.reject(new Error('rejected, unheard')))`
const loadFaults = `--import=data:text/javascript,${encodeURIComponent(faults)}`

const endings = [
  { name: 'on SIGTERM', signal: 'SIGTERM', code: 0, logs: undefined },
  {
    name: 'on an uncaught error in a timer',
    signal: 'SIGUSR2',
    code: 70,
    logs: /Error: thrown in a timer\n +at /,
  },
  {
    name: 'on an unhandled rejection',
    signal: 'SIGWINCH',
    code: 70,
    logs: /Error: rejected, unheard\n +at /,
  },
] as const

describe('shutdown under load', () => {
  let shop: ShopProcess
  before(async () => {
    shop = await startShop({ RATE_LIMITS: 'off', NODE_OPTIONS: loadFaults })
  })
  after(() => shop.close())

  for (const { name, signal, code, logs } of endings) {
    test(`${name}, requests in progress are answered, new connections refused, and no order is lost`, async () => {
      const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(shop)))
      for (const { url } of sessions) await pay(url)
      const readers = Array.from({ length: 8 }, () => fetchUntilRefused(shop.url, () => false))
      const confirmations = await Promise.all(
        sessions.map(({ id }) => begin(shop, '/api/orders/confirm-payment', { session_id: id })),
      )
      const signIn = { email: 'customer@haberdash.example', password: 'demo-customer-1' }
      const signIns = await Promise.all([1, 2, 3].map(() => begin(shop, '/api/auth/login', signIn)))
      const ended = shop.stop(signal)
      await until(() => isRefused(shop.url))
      const answers = [...confirmations, ...signIns].map(({ socket, text, answer }) => {
        socket.write(text)
        return answer
      })
      for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 /)
      assert.equal(await ended, code)
      const read = await Promise.all(readers)
      assert.ok(read.some(({ answered }) => answered > 0))
      if (logs) assert.match(shop.output(), logs)
      else assert.doesNotMatch(shop.output(), /Error/)
      assert.doesNotMatch(shop.output(), /"level":50/)
      const databaseLog = await readFile(join(shop.dataDir, 'postgres.log'), 'utf8')
      assert.match(databaseLog, /database system is shut down\n$/)
      assert.doesNotMatch(databaseLog, /not properly shut down|was interrupted/)

      await shop.start()
      assert.doesNotMatch(shop.output(), /Error|"level":50|recover/i)
      const paid = await Promise.all(answers.slice(0, sessions.length))
      const orderIds = paid.map((answer) => /"orderId":"(\w+)"/.exec(answer)?.[1])
      const orders = await fetch(`${shop.url}/api/orders/?limit=100`, { headers: await adminHeaders(shop) })
      const { data } = (await orders.json()) as { data: { orderId: string }[] }
      for (const orderId of orderIds) {
        assert.equal(data.filter((order) => order.orderId === orderId).length, 1, String(orderId))
      }
    })
  }
})

test('requests sent before SIGTERM are answered, even those that the shop has not read yet', async () => {
  const shop = await startShop()
  shop.signal('SIGSTOP')
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = await openSocket(shop.url)
      socket.write('GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n')
      // Wrapped in an object, so that it is not awaited yet.
      return { answer: readAll(socket) }
    }),
  )
  const ended = shop.stop()
  shop.signal('SIGCONT')
  assert.equal(await ended, 0)
  for (const { answer } of answers) assert.match(await answer, /^HTTP\/1\.1 200 /)
  await shop.close()
})

/** The process that makes pictures for a shop, once there is one. */
function pictureMakerOf(shopId: string): number | undefined {
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const found = processes.find(
    (line) => line.includes('picture-process.ts') && line.trim().split(/ +/)[1] === shopId,
  )
  return found === undefined ? undefined : parseInt(found, 10)
}

test('a picture being made in advance does not hold up a clean shutdown', async () => {
  const shop = await startShop()
  await shop.stop()
  const uploads = join(shop.dataDir, 'uploads')
  const made = (await readdir(uploads)).filter((name) => name.endsWith('.avif'))
  for (const name of made) await rm(join(uploads, name))
  await shop.start()
  const [shopId = ''] = (await readFile(join(shop.dataDir, 'shop.pid'), 'utf8')).split('\n')
  // One that has nothing to do ends by itself; the next picture gets another.
  const maker = await until(async () => {
    const found = pictureMakerOf(shopId)
    return found && sendSignal(found, 'SIGSTOP') && found
  })
  try {
    assert.equal(await shop.stop(), 0)
    const databaseLog = await readFile(join(shop.dataDir, 'postgres.log'), 'utf8')
    assert.match(databaseLog, /database system is shut down\n$/)
  } finally {
    sendSignal(maker, 'SIGKILL')
    await shop.close()
  }
})

/** Sends the next request soon after each response, until one says that it is the last; counts both. */
async function sendRequestsUntilLast(
  url: string,
  pauseMs: number,
): Promise<{ sent: number; answered: number }> {
  const socket = await openSocket(url)
  let [sent, answered] = [0, 0]
  const ask = () => {
    sent += 1
    socket.write('GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n')
  }
  socket.on('data', (bytes: Buffer) => {
    // Responses are so short that each arrives in one piece.
    answered += 1
    if (!/^connection: close\r$/im.test(bytes.toString())) setTimeout(ask, pauseMs)
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  ask()
  await closed
  return { sent, answered }
}

test('no request on an open connection is lost at shutdown, however soon it follows the last answer', async () => {
  const shop = await startShop({ RATE_LIMITS: 'off' })
  const callers = Array.from({ length: 8 }, (_, index) => sendRequestsUntilLast(shop.url, 20 * (index % 3)))
  await until(async () => (await fetch(`${shop.url}/health`)).ok)
  assert.equal(await shop.stop(), 0)
  for (const each of await Promise.all(callers)) assert.equal(each.answered, each.sent)
  await shop.close()
})

test('connections accepted during shutdown get an answer, and /health returns 503', async () => {
  const shop = await startShop({ RATE_LIMITS: 'off' })
  shop.signal('SIGSTOP')
  const connected = await Promise.all(Array.from({ length: 100 }, () => openSocket(shop.url)))
  const statuses = { '/health': new Set<string>(), '/icon.svg': new Set<string>() }
  let left = 300
  // Every client keeps coming back on a new connection, until there were enough requests or it is not let in.
  const callers = connected.map(async (first) => {
    const connectAgain = () => openSocket(shop.url).catch(() => undefined)
    for (let own: Socket | undefined = first; own; own = left > 0 ? await connectAgain() : undefined) {
      const path = (left -= 1) % 2 ? '/health' : '/icon.svg'
      own.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      const answer = await readAll(own)
      statuses[path].add(/(?<=^HTTP\/1\.1 )\d+/.exec(answer)?.[0] ?? 'none')
    }
  })
  const ended = shop.stop()
  shop.signal('SIGCONT')
  assert.equal(await ended, 0)
  await Promise.all(callers)
  const { '/health': health, '/icon.svg': files } = statuses
  assert.ok(health.has('503') && !health.has('none'), [...health].join())
  assert.deepEqual([...files], ['200'])
  assert.doesNotMatch(shop.output(), /"level":50/)
  await shop.close()
})
