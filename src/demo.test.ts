import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'
import { locks } from '#shop/platform/locks.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { fillDemo } from './demo.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const emptyStorage = {
  save: async () => undefined,
  read: async () => undefined,
  has: async () => false,
}

test('fillDemo refuses an ADMIN_EMAIL that belongs to a demo customer, and then fills nothing', async (t) => {
  const { db, close } = openDatabase(withoutBounds(shop.database.connection), () => {})
  t.after(close)
  const kept: string[] = []
  const storage = { ...emptyStorage, save: async (name: string) => void kept.push(name) }
  for (const email of ['customer@haberdash.example', 'theo.runs@haberdash.example'])
    await assert.rejects(
      fillDemo(db, { email, password: 'secret-of-ours' }, storage),
      /^StartError: ADMIN_EMAIL /,
    )
  assert.deepEqual([await db.$count(users), await db.$count(products)], [0, 0])
  await fillDemo(db, { email: 'owner@haberdash.example', password: 'secret-of-ours' }, storage)
  assert.ok((await db.$count(products)) > 0 && kept.length > 0)
})

test('fillDemo waits while another process fills the same database, whatever the lock timeout', async (t) => {
  const empty = await startTestApp()
  t.after(() => empty.close())
  const { pool, connection } = empty.database
  await pool.query(
    "do $$ begin execute format('alter database %I set lock_timeout = 1', current_database()); end $$",
  )
  const filling = await pool.connect()
  await filling.query('select pg_advisory_lock($1)', [locks.demo])
  const second = openDatabase(withoutBounds(connection), () => {})
  t.after(() => second.close())
  const filled = fillDemo(
    second.db,
    { email: 'owner@haberdash.example', password: 'secret-of-ours' },
    emptyStorage,
  )
  const isWaiting = async () => {
    const { rows } = await pool.query(
      `select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and objid = $1 and not granted`,
      [locks.demo],
    )
    return rows.length > 0
  }
  let isOver = false
  void filled.catch(() => undefined).then(() => (isOver = true))
  while (!isOver && !(await isWaiting()));
  const hasWaited = !isOver
  await filling.query('select pg_advisory_unlock($1)', [locks.demo])
  filling.release()
  await filled
  assert.ok(hasWaited && (await second.db.$count(products)) > 0)
})
