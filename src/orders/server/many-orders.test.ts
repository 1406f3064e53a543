import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOrder, makeUser } from '#shop/testing/factories.ts'
import { fillShop } from '#shop/testing/fill.ts'
import { readStatistic } from '#shop/testing/statistics.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { listUnfinishedCheckouts } from './checkouts.ts'

let shop: TestApp
let headers: Record<string, string>
before(async () => {
  shop = await startTestApp()
  headers = (await makeUser(shop.database.db, { role: 'admin' })).headers
  const amounts = { products: 5, orders: 2000, users: 10 }
  for (let n = 0; n < 5; n += 1) await fillShop(shop.database.connection, amounts, () => {})
})
after(() => shop.close())

const find = async (query: Record<string, string>) => {
  const url = `/api/orders/?${new URLSearchParams({ limit: '100', ...query })}`
  const answer = await shop.call<{ data: { _id: string }[] }>({ url, headers })
  return { ids: answer.body.data.map(({ _id }) => _id), total: Number(answer.headers['x-total-count']) }
}

async function newest(matches: string, most: number): Promise<string[]> {
  const { rows } = await shop.database.pool.query<{ id: string }>(
    `select id from orders where deleted_at is null and ${matches} order by created_at desc, id limit ${most}`,
  )
  return rows.map(({ id }) => id)
}

const rowsReadByScans = (table: string) =>
  readStatistic(shop.database, `seq_tup_read as value from pg_stat_user_tables where relname = '${table}'`)

test('a search of many orders finds all matches of a rare prefix, and the newest of a frequent one', async () => {
  const { db, pool } = shop.database
  // Older than all others; of two with the same prefix, one is deleted.
  const createdAt = new Date('2020-01-01')
  const old = await makeOrder(db, { email: 'Rare@example.com', createdAt })
  await makeOrder(db, { email: 'rare@example.com', createdAt, deletedAt: new Date() })
  assert.deepEqual(await find({ search: 'RARE@' }), { ids: [old.id], total: 1 })
  assert.deepEqual(await find({ search: old.id }), { ids: [old.id], total: 1 })
  assert.deepEqual(await find({ search: old.paymentId }), { ids: [old.id], total: 1 })
  assert.deepEqual(await find({ search: 'nobody@' }), { ids: [], total: 0 })
  const twice = await makeOrder(db, { paymentId: 'pi_twice', email: 'pi_twice@example.com', createdAt })
  assert.deepEqual(await find({ search: 'pi_twice' }), { ids: [twice.id], total: 1 })
  const nameless = await makeOrder(db, { email: null, paymentId: 'pi_nameless', createdAt })
  for (const search of [nameless.id, 'pi_nameless', 'pi_namel'])
    assert.deepEqual(await find({ search }), { ids: [nameless.id], total: 1 }, search)

  const some = await newest(`email like 'shopper-77%'`, 500)
  assert.ok(some.length > 20 && some.length < 1000)
  assert.deepEqual(await find({ search: 'shopper-77' }), { ids: some.slice(0, 100), total: some.length })
  const completed = await newest(`email like 'shopper-77%' and status = 'completed'`, 500)
  assert.equal((await find({ search: 'shopper-77', status: 'completed' })).total, completed.length)
  // Some of the matches are among the newest orders.
  const more = await newest(`email like 'shopper-7%'`, 500)
  assert.deepEqual(await find({ search: 'shopper-7' }), { ids: more.slice(0, 100), total: 500 })

  // A deleted order is none of the newest.
  await makeOrder(db, { email: 'shopper-gone@example.com', deletedAt: new Date() })
  const all = await newest(`email like 'shopper%'`, 500)
  assert.deepEqual(await find({ search: 'shopper', page: '5' }), { ids: all.slice(400), total: 500 })
  assert.deepEqual(await find({ search: 'pi_demo' }), {
    ids: (await newest(`payment_id like 'pi_demo%'`, 500)).slice(0, 100),
    total: 500,
  })

  // More matches than are listed, none of them among the newest orders.
  await pool.query(`update orders set email = 'winter-' || email, created_at = created_at - interval '9 years'
    where id in (select id from orders order by created_at limit 1500)`)
  assert.deepEqual(await find({ search: 'winter-' }), {
    ids: (await newest(`email like 'winter-%'`, 500)).slice(0, 100),
    total: 500,
  })

  // More matches than are read; few are among the newest orders, and those come last in the index.
  await pool.query(`update orders set email = 'autumn-' || email, created_at = created_at - interval '9 years'
    where email not like 'winter-%' and id not in (select id from orders order by created_at desc limit 5100)`)
  await pool.query(`update orders set email = 'autumn-z' || email
    where id in (select id from orders order by created_at desc offset 100 limit 3)`)
  const autumn = await find({ search: 'autumn-' })
  assert.deepEqual(autumn.ids.slice(0, 3), await newest(`email like 'autumn-z%'`, 3))
  assert.equal(autumn.total, 500)
})

/** Repeats until index scans need not read the table, which a transaction with an older snapshot can delay. */
async function vacuumOrders(): Promise<void> {
  const { pool } = shop.database
  const isDone = `select relallvisible = relpages as done from pg_class where relname = 'orders'`
  do await pool.query('vacuum orders')
  while (!(await pool.query<{ done: boolean }>(isDone)).rows[0]?.done)
}

test('a search for a frequent prefix reads a limited number of index entries and no table rows', async () => {
  await vacuumOrders()
  const read = (what: string) =>
    readStatistic(
      shop.database,
      `${what} as value from pg_stat_user_indexes where indexrelname = 'orders_email_prefix'`,
    )
  const before = { entries: await read('idx_tup_read'), rows: await read('idx_tup_fetch') }
  assert.equal((await find({ search: 'a' })).total, 500)
  const entries = (await read('idx_tup_read')) - before.entries
  assert.ok(entries > 0 && entries <= 6100, `${entries} entries read`)
  assert.equal((await read('idx_tup_fetch')) - before.rows, 0)
})

test('a list does not scan the whole table of order lines, even when it has no statistics', async () => {
  const { pool } = shop.database
  await pool.query(`update pg_class set reltuples = -1, relpages = 0 where relname = 'order_lines'`)
  await pool.query(`delete from pg_statistic where starelid = 'order_lines'::regclass`)
  const before = await rowsReadByScans('order_lines')
  assert.equal((await find({})).ids.length, 100)
  assert.equal(await rowsReadByScans('order_lines'), before)
})

test('a page of the list does not scan the whole table of orders', async () => {
  await shop.database.pool.query('analyze orders')
  const before = await rowsReadByScans('orders')
  const queries: Record<string, string>[] = [{}, { status: 'completed' }, { page: '90' }, { page: '50' }]
  for (const query of queries) {
    assert.ok((await find({ limit: '20', ...query })).ids.length > 0)
  }
  assert.equal(await rowsReadByScans('orders'), before)
})

test('listing the unfinished checkouts does not scan the whole table', async () => {
  await shop.database.pool.query('analyze checkouts')
  const before = await rowsReadByScans('checkouts')
  for (const isThorough of [true, false])
    assert.deepEqual(await listUnfinishedCheckouts(shop.database.db, { after: undefined, isThorough }), [])
  assert.equal(await rowsReadByScans('checkouts'), before)
})

test('a search finds all of up to 3,000 matches, and of more only those among the newest if they are enough', async () => {
  const { db, pool } = shop.database
  // Thirty of the newest completed orders, and 2,970 of the oldest, of which a tenth are completed.
  const isNewest = `id in (select id from orders where status = 'completed' order by created_at desc limit 30)`
  await pool.query(`update orders set email = 'spring-' || id where ${isNewest}`)
  await pool.query(`update orders set email = 'spring-' || id, status = case when place % 10 = 0 then 'completed' else 'pending' end
    from (select id as which, row_number() over (order by created_at, id) as place from orders
      where email not like 'spring-%' and deleted_at is null order by place limit 2970) as old where id = which`)
  const query = { search: 'spring-', status: 'completed' }
  const known = await newest(`email like 'spring-%' and status = 'completed'`, 500)
  assert.ok(known.length > 300 && known.length < 350)
  assert.deepEqual(await find(query), { ids: known.slice(0, 100), total: known.length })
  const one = await makeOrder(db, { email: 'spring-time@example.com', status: 'completed' })
  const { ids, total } = await find(query)
  assert.ok(total >= 31 && total < known.length, `${total} found`)
  assert.equal(ids[0], one.id)
})
