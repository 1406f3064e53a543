import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lockTable } from '#shop/testing/lock-table.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'

const room = { least: 25, usual: 25, most: 25, waitMs: 300 }

let shop: TestApp
before(async () => {
  shop = await startTestApp({ slotLimits: { calls: room } })
})
after(() => shop.close())

const blocked = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Runs `work` while six of these clients' searches wait for the database, and the others for their turn. */
async function whileSearching(clients: string[], work: () => Promise<void>) {
  const { app, database } = shop
  await using words = await lockTable(database, 'product_words')
  const statuses: number[] = []
  const search = async (remoteAddress: string, each: number) => {
    const url = `/api/products/?search=waiting${each}&category=${remoteAddress}`
    statuses.push((await app.inject({ url, remoteAddress })).statusCode)
  }
  const all = clients.map(search)
  await until(async () => (await database.pool.query(`select ${blocked}`)).rowCount === 6)
  await work()
  const before = [...statuses]
  await words.release()
  await Promise.all(all)
  return { before, after: statuses.slice(before.length) }
}

/** Asks for a list while another client's searches wait, and ends one of those: its turn is the only one there is. */
async function askBeside(many: string, one: string, url: string, isWanted: boolean) {
  const { app, database } = shop
  const wanted: Promise<unknown>[] = []
  const { before } = await whileSearching(Array<string>(12).fill(many), async () => {
    if (isWanted) wanted.push(app.inject({ url, remoteAddress: many }))
    const answer = app.inject({ url, remoteAddress: one })
    // Comes after it, and needs a connection to the database, too.
    assert.equal((await app.inject({ url: '/health' })).statusCode, 200)
    await database.pool.query(`select pg_cancel_backend(pid) ${blocked} limit 1`)
    assert.equal((await answer).statusCode, 200)
  })
  await Promise.all(wanted)
  assert.deepEqual(before, [503])
}

test('a client with many pending lists leaves connections to others and waits behind clients with fewer requests', async () => {
  await askBeside('10.6.0.1', '10.6.0.2', '/api/products/?limit=7', false)
})

test('a client that wants the same list as a client with many requests does not wait behind those requests', async () => {
  await askBeside('10.6.1.1', '10.6.1.2', '/api/products/?limit=8', true)
})

const ask = async (remoteAddress: string) =>
  (await shop.app.inject({ url: '/api/config', remoteAddress })).statusCode

test('lists that wait for their turn lose their slot to clients with fewer requests', async () => {
  const { before, after } = await whileSearching(Array<string>(room.most).fill('10.6.2.1'), async () => {
    assert.equal(await ask('10.6.2.1'), 503)
    assert.equal(await ask('10.6.2.2'), 200)
  })
  assert.deepEqual(before, [503])
  assert.deepEqual(new Set(after), new Set([200]))
})

test('lists that wait for their turn keep their slot when clients with as many requests come', async () => {
  const clients = Array.from({ length: room.most }, (_, each) => `10.6.3.${each}`)
  const { before } = await whileSearching(clients, async () => assert.equal(await ask('10.6.4.1'), 503))
  assert.deepEqual(before, [])
})
