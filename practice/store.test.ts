import assert from 'node:assert/strict'
import { appendFile, open, readFile, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freePort } from '#shop/testing/free-port.ts'
import { openSocket, readAll } from '#shop/testing/raw-request.ts'
import { startPractice } from './server.ts'
import { Store } from './store.ts'
import { checkout, goodCard, makeFolder, secret, startForTest, submit } from './testing.ts'

const journalOf = (folder: string) => join(folder, 'journal-1.jsonl')

test('a restart keeps sessions, payments, refunds and events', async (t) => {
  const before = await startForTest(t)
  const open = await before.stripe.checkout.sessions.create(checkout)
  const paid = await before.stripe.checkout.sessions.create(checkout)
  await submit(paid.url, goodCard)
  const payment_intent = String((await before.stripe.checkout.sessions.retrieve(paid.id)).payment_intent)
  const refund = await before.stripe.refunds.create({ payment_intent, amount: 100 })
  const read = async ({ stripe }: typeof before) => [
    await stripe.checkout.sessions.list(),
    await stripe.paymentIntents.retrieve(payment_intent, { expand: ['latest_charge.refunds'] }),
    await stripe.refunds.retrieve(refund.id),
    await stripe.events.list(),
  ]
  const known = JSON.stringify(await read(before)).replaceAll(`:${before.practice.port}/`, '/')
  await before.practice.close()
  const after = await startForTest(t, { folder: before.folder })
  assert.equal(JSON.stringify(await read(after)).replaceAll(`:${after.practice.port}/`, '/'), known)
  assert.equal((await after.stripe.checkout.sessions.retrieve(open.id)).status, 'open')
})

test('a torn last line of the journal is dropped, and later changes are kept', async (t) => {
  // The second is what a power cut can leave: the end of a line without its beginning.
  for (const torn of ['[["sessions",{"id":"cs_test_torn","crea', '\0\0\0\0"}]]\n'])
    await surviveTornLine(t, torn)
})

async function surviveTornLine(t: TestContext, torn: string): Promise<void> {
  const before = await startForTest(t)
  const { id } = await before.stripe.checkout.sessions.create(checkout)
  await before.practice.close()
  await appendFile(journalOf(before.folder), torn)
  const second = await startForTest(t, { folder: before.folder })
  const later = await second.stripe.checkout.sessions.create(checkout)
  await second.practice.close()
  const third = await startForTest(t, { folder: before.folder })
  const ids = (await third.stripe.checkout.sessions.list()).data.map((session) => session.id)
  assert.deepEqual(ids, [later.id, id])
  await third.practice.close()
}

test('a journal line cut at any point keeps a payment completely or not at all', async (t) => {
  const before = await startForTest(t)
  const { id, url } = await before.stripe.checkout.sessions.create(checkout)
  const unpaidSize = (await stat(journalOf(before.folder))).size
  await submit(url, goodCard)
  await before.practice.close()
  const journal = await readFile(journalOf(before.folder))
  const step = Math.ceil((journal.length - unpaidSize) / 8)
  for (let cut = unpaidSize; cut < journal.length + step; cut += step) {
    const folder = await makeFolder(t)
    await writeFile(journalOf(folder), journal.subarray(0, cut))
    const { stripe, practice } = await startForTest(t, { folder })
    const session = await stripe.checkout.sessions.retrieve(id)
    const events = await stripe.events.list()
    const isPaid = cut >= journal.length
    assert.equal(session.payment_status, isPaid ? 'paid' : 'unpaid')
    assert.equal(session.payment_intent !== null, isPaid)
    assert.equal(events.data.length, isPaid ? 1 : 0)
    await practice.close()
  }
})

test('a journal that is damaged in its middle stops the start', async (t) => {
  const folder = await makeFolder(t)
  await writeFile(journalOf(folder), '[]\n[["sess\n[]\n')
  const start = startPractice({ port: 0, folder, webhookSecret: secret })
  await assert.rejects(start, /journal-1\.jsonl is damaged at line 2/)
})

test('the journal has no card numbers and no security codes', async (t) => {
  const { stripe, practice, folder } = await startForTest(t)
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, { ...goodCard, number: '4000 0025 0000 3155', cvc: '987' })
  await submit(url, goodCard)
  await practice.close()
  const journal = await readFile(journalOf(folder), 'utf8')
  assert.ok(journal.includes('"last4":"4242"'))
  // Matches 987 only as a whole number: an id, a time or a port may contain these digits.
  assert.doesNotMatch(journal, /4242\s?4242|4000\s?0025|\b987\b/)
})

test('a provider whose port is taken does not touch the store', async (t) => {
  const { stripe, practice, folder } = await startForTest(t)
  const options = { port: practice.port, folder, webhookSecret: secret }
  await assert.rejects(startPractice(options), { code: 'EADDRINUSE' })
  const { id } = await stripe.checkout.sessions.create(checkout)
  await practice.close()
  const after = await startForTest(t, { folder })
  assert.equal((await after.stripe.checkout.sessions.retrieve(id)).id, id)
})

test('events are kept for thirty days', async (t) => {
  let now = Date.now()
  const options = { folder: await makeFolder(t), now: () => now }
  const { stripe, practice } = await startForTest(t, options)
  await stripe.checkout.sessions.expire((await stripe.checkout.sessions.create(checkout)).id)
  await practice.close()
  const left: number[] = []
  for (const days of [29, 2]) {
    now += days * 24 * 60 * 60 * 1000
    const started = await startForTest(t, options)
    left.push((await started.stripe.events.list()).data.length)
    await started.practice.close()
  }
  assert.deepEqual(left, [1, 0])
})

test('a large journal is compacted to the records that are still needed', async (t) => {
  const folder = await makeFolder(t)
  const answer = { fingerprint: '', status: 200, createdAt: Date.now() }
  const store = new Store(folder, Date.now)
  await store.open()
  const keep = (id: string, createdAt = answer.createdAt, body = '') =>
    store.put(['answers', { ...answer, id, createdAt, body }])
  keep('first')
  await store.durable()
  keep('long ago', 0, 'x'.repeat(65 * 1024 * 1024))
  // By then its write has begun. `durable` would wait ten seconds for it, which a slow disk may exceed.
  await setImmediate()
  keep('last')
  await store.close()
  assert.ok((await stat(journalOf(folder))).size < 1000)
  const again = new Store(folder, Date.now)
  await again.open()
  t.after(() => again.close())
  assert.deepEqual(
    again.newestFirst('answers').map(({ id }) => id),
    ['last', 'first'],
  )
})

test('a failed journal write is logged and retried until it succeeds', async (t) => {
  const said = t.mock.method(console, 'error', () => undefined)
  const { stripe, practice, folder } = await startForTest(t)
  const file = await open(journalOf(folder))
  const write = t.mock.method(Object.getPrototypeOf(file) as FileHandle, 'write')
  await file.close()
  write.mock.mockImplementationOnce(() => Promise.reject(new Error('no space left on device')))
  const { id } = await stripe.checkout.sessions.create(checkout)
  await practice.close()
  assert.match(String(said.mock.calls[0]?.arguments[0]), /cannot write .+, trying on: .*no space left/)
  const after = await startForTest(t, { folder })
  assert.equal((await after.stripe.checkout.sessions.retrieve(id)).id, id)
})

test('a request that arrives before the store is read waits for it', async (t) => {
  const before = await startForTest(t)
  const { id } = await before.stripe.checkout.sessions.create(checkout)
  await before.practice.close()
  const [isListening, mayOpen] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const openStore = Object.getOwnPropertyDescriptor(Store.prototype, 'open')?.value as Store['open']
  t.mock.method(Store.prototype, 'open', async function (this: Store) {
    isListening.resolve(undefined)
    await mayOpen.promise
    await openStore.call(this)
  })
  const port = await freePort()
  const starting = startForTest(t, { folder: before.folder, port })
  await isListening.promise
  const socket = await openSocket(`http://127.0.0.1:${port}`)
  const headers = 'Host: localhost\r\nAuthorization: Bearer sk_test_1\r\nConnection: close'
  const answer = readAll(socket)
  socket.write(`GET /v1/checkout/sessions/${id} HTTP/1.1\r\n${headers}\r\n\r\n`)
  // A provider that did not wait for its store would have responded by now.
  for (let turns = 0; turns < 100; turns += 1) await setImmediate()
  mayOpen.resolve(undefined)
  assert.match(await answer, /^HTTP\/1\.1 200 /)
  await starting
})
