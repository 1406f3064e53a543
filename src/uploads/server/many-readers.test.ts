import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { openSocket } from '#shop/testing/raw-request.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import type { Storage } from './storage.ts'

const megabyte = 1024 * 1024
const nameOf = (number: number) => `${number.toString(16).padStart(40, '0')}.webp`
const request = (number: number) => `GET /uploads/${nameOf(number)} HTTP/1.1\r\nHost: a\r\n\r\n`

/** A storage that has every picture, each of this many megabytes and in a new buffer at each read. */
function endless(beforeRead: () => Promise<unknown>, megabytes = 1): Storage {
  return {
    save: async () => {},
    read: async () => beforeRead().then(() => Buffer.alloc(megabytes * megabyte, 1)),
    has: async () => true,
  }
}

test('most clients that request large pictures and read none are disconnected, and others are served', async (t) => {
  let mostMemory = 0
  const storage = endless(async () => {
    mostMemory = Math.max(mostMemory, process.memoryUsage().arrayBuffers)
  }, 10)
  const shop = await startTestApp({ storage, timeLimits: { stop: 50 } })
  t.after(() => shop.close())
  const served: Socket[] = []
  shop.app.server.on('connection', (socket: Socket) => served.push(socket))
  // Each connection has one response in progress, however many it requests.
  for (let each = 0; each < 90; each += 1) {
    const socket = await openSocket(shop.url)
    socket.pause()
    socket.write(request(2 * each) + request(2 * each + 1))
  }
  await until(async () => served.filter(({ destroyed }) => destroyed).length >= 70)
  const answer = await fetch(`${shop.url}/uploads/${nameOf(5000)}`)
  assert.equal((await answer.bytes()).length, 10 * megabyte)
  assert.ok(mostMemory < 600 * megabyte, `${mostMemory / megabyte} of the 900 MB asked for`)
})

test('pictures that have been sent do not count as being sent, however many clients asked at once', async (t) => {
  const shop = await startTestApp({ storage: endless(async () => {}, 10) })
  t.after(() => shop.close())
  for (let each = 0; each < 15; each += 1) {
    const twice = await Promise.all([1, 2].map(() => fetch(`${shop.url}/uploads/${nameOf(each)}`)))
    for (const answer of twice) assert.equal((await answer.bytes()).length, 10 * megabyte)
  }
})

test('a picture whose client has hung up before it was read is not kept in memory', async (t) => {
  const reads: (() => void)[] = []
  const storage = endless(() => new Promise<void>((resolve) => reads.push(resolve)), 30)
  const shop = await startTestApp({ storage })
  t.after(() => shop.close())
  const hungUp = new Promise((resolve) => {
    shop.app.server.once('connection', (socket: Socket) => socket.once('close', resolve))
  })
  const socket = await openSocket(shop.url)
  socket.write(request(1))
  await until(async () => reads.length === 1)
  socket.destroy()
  await hungUp
  reads[0]?.()
  const answer = fetch(`${shop.url}/uploads/${nameOf(1)}`)
  await until(async () => reads.length === 2)
  reads[1]?.()
  assert.equal((await (await answer).bytes()).length, 30 * megabyte)
})

test('a large picture is read once for all concurrent requests', async (t) => {
  let reads = 0
  let goOn = () => {}
  const released = new Promise<void>((resolve) => (goOn = resolve))
  const storage = endless(async () => {
    reads += 1
    await released
  })
  const shop = await startTestApp({ storage })
  t.after(() => shop.close())
  let arrived = 0
  shop.app.server.on('request', () => (arrived += 1))
  const answers = Array.from({ length: 40 }, () => fetch(`${shop.url}/uploads/${nameOf(1)}`))
  await until(async () => arrived === 40)
  goOn()
  for (const answer of await Promise.all(answers)) assert.equal((await answer.bytes()).length, megabyte)
  assert.equal(reads, 1)
})
