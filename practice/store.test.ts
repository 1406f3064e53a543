import assert from 'node:assert/strict'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { startPractice } from './server.ts'
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

test('a last line that was cut short is forgotten, and what follows is kept', async (t) => {
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

test('a line cut anywhere keeps a payment whole or not at all', async (t) => {
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

test('no card number is written down', async (t) => {
  const { stripe, practice, folder } = await startForTest(t)
  const { url } = await stripe.checkout.sessions.create(checkout)
  await submit(url, { ...goodCard, number: '4000 0025 0000 3155', cvc: '987' })
  await submit(url, goodCard)
  await practice.close()
  const journal = await readFile(journalOf(folder), 'utf8')
  assert.ok(journal.includes('"last4":"4242"'))
  // The 987 by itself: an id, a time or a port may have one in its middle.
  assert.doesNotMatch(journal, /4242\s?4242|4000\s?0025|\b987\b/)
})

test('a provider that finds its port taken leaves the store alone', async (t) => {
  const { stripe, practice, folder } = await startForTest(t)
  const options = { port: practice.port, folder, webhookSecret: secret }
  await assert.rejects(startPractice(options), { code: 'EADDRINUSE' })
  const { id } = await stripe.checkout.sessions.create(checkout)
  await practice.close()
  const after = await startForTest(t, { folder })
  assert.equal((await after.stripe.checkout.sessions.retrieve(id)).id, id)
})
