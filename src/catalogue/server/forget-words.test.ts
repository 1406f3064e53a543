import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Product } from '#shop/catalogue/contract.ts'
import { onlyRow } from '#shop/platform/database.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { fillShop } from '#shop/testing/fill.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { forgetWords, keepWordsForgotten } from './forget-words.ts'

let shop: TestApp
let headers: Record<string, string>
before(async () => {
  shop = await startTestApp()
  headers = (await makeUser(shop.database.db, { role: 'admin' })).headers
  await fillShop(shop.database.connection, { products: 10_500, orders: 0, users: 0 }, () => {})
})
after(() => shop.close())

async function rename(id: string, name: string): Promise<void> {
  const { status } = await shop.call({
    method: 'PATCH',
    url: `/api/products/update-product/${id}`,
    payload: { name },
    headers,
  })
  assert.equal(status, 200)
}

async function remove(id: string): Promise<void> {
  const { status } = await shop.call({ method: 'DELETE', url: `/api/products/${id}`, headers })
  assert.equal(status, 200)
}

async function namesFound(search: string): Promise<string[]> {
  const { body } = await shop.call<{ data: { products: Product[] } }>({
    url: '/api/products',
    query: { search, limit: '100' },
  })
  return body.data.products.map(({ name }) => name)
}

async function forgetAll(): Promise<void> {
  while ((await forgetWords(shop.database.db)) > 0);
}

/** Those of the words that the shop still knows, each once. */
async function wordsKnown(...words: string[]): Promise<string[]> {
  const { rows } = await shop.database.pool.query<{ word: string }>(
    `select distinct word from product_words where word = any ($1) order by word`,
    [words],
  )
  return rows.map(({ word }) => word)
}

test('a search finds all products with a part of a word, however many former names had it', async () => {
  const { pool } = shop.database
  const some = `(select id from products where deleted_at is null order by id limit $1)`
  await pool.query(`update products set name = name || ' oldxqz' || left(id, 8) where id in ${some}`, [600])
  await pool.query(`update products set name = split_part(name, ' old', 1) where id in ${some}`, [600])
  await pool.query(`update products set name = name || ' newxqz' || left(id, 8) where id in ${some}`, [20])
  assert.ok((await namesFound('xqz')).length < 20, 'the words of former names hide others')
  await forgetAll()
  assert.equal((await namesFound('xqz')).length, 20)
})

test('only words that no product for sale has are forgotten, after a change of name, a deletion and an import', async () => {
  const { db, pool } = shop.database
  const { id } = await makeProduct(db, { name: 'Quokka Wombat Numbat' })
  const { id: other } = await makeProduct(db, { name: 'Wombat Bilby' })
  const { id: third } = await makeProduct(db, { name: 'Bilby Dingo' })
  const words = ['quokka', 'wombat', 'numbat', 'bilby', 'dingo']
  await rename(id, 'Numbat')
  await forgetAll()
  assert.deepEqual(await wordsKnown(...words), ['bilby', 'dingo', 'numbat', 'wombat'])
  await remove(other)
  await forgetAll()
  assert.deepEqual(await wordsKnown(...words), ['bilby', 'dingo', 'numbat'])
  await pool.query(`delete from products where id = $1`, [third])
  await forgetAll()
  assert.deepEqual(await wordsKnown(...words), ['numbat'])
  await pool.query(`update products set deleted_at = null where id = $1`, [other])
  assert.deepEqual(await namesFound('ombat bilb'), ['Wombat Bilby'])
  await remove(other)
  await remove(id)
  await pool.query(`update products set name = 'Quokka' where id = $1`, [id])
  await forgetAll()
  assert.deepEqual(await wordsKnown(...words), [])
})

const addAxolotl = `insert into products (id, name, category, color, description, price_cents)
  values (md5(random()::text), 'Axolotl', 'grooming', 'blue', 'x', 1)`

/** A connection for an import, at a moment when no product has this word any more, and it is not forgotten yet. */
async function removeLastAxolotl(t: TestContext) {
  const { db, pool } = shop.database
  const { id } = await makeProduct(db, { name: 'Axolotl' })
  await remove(id)
  const client = await pool.connect()
  t.after(() => client.release(true))
  return client
}

async function removeAxolotls(): Promise<void> {
  const { rows } = await shop.database.pool.query<{ id: string }>(
    `select id from products where deleted_at is null and name = 'Axolotl'`,
  )
  for (const { id } of rows) await remove(id)
}

test('no word is forgotten while products are being added', async (t) => {
  const client = await removeLastAxolotl(t)
  await client.query(`begin; ${addAxolotl}`)
  assert.equal(await forgetWords(shop.database.db), 0)
  await client.query('commit')
  await forgetAll()
  assert.deepEqual(await namesFound('xolot'), ['Axolotl'])
  await removeAxolotls()
})

test('a word is not forgotten if a product is added that has it while the others are searched for it', async (t) => {
  const client = await removeLastAxolotl(t)
  await client.query(`begin; ${addAxolotl}; lock table products in access exclusive mode`)
  const forgotten = forgetWords(shop.database.db)
  await until(async () => {
    // A transaction would go on seeing what it saw there first.
    const { rowCount } = await shop.database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  })
  await client.query('commit')
  assert.ok((await forgotten) > 0)
  assert.deepEqual(await namesFound('xolot'), ['Axolotl'])
  await removeAxolotls()
})

test('what is added with the triggers off is found when its words were collected before they are forgotten', async (t) => {
  const client = await removeLastAxolotl(t)
  await client.query(`begin; alter table products disable trigger user; ${addAxolotl}`)
  await client.query('select recount_products(), collect_product_words()')
  await forgetAll()
  await client.query('alter table products enable trigger user; commit')
  await forgetAll()
  assert.deepEqual(await namesFound('xolot'), ['Axolotl'])
  await removeAxolotls()
})

test('what is added by a transaction that does not see that a word was forgotten is found', async (t) => {
  const client = await removeLastAxolotl(t)
  await client.query('begin isolation level repeatable read; select from products limit 1')
  await forgetAll()
  await client.query(`${addAxolotl}; commit`)
  assert.deepEqual(await namesFound('xolot'), ['Axolotl'])
  await removeAxolotls()
})

test('a frequent word that the newest products lack is known without reading all that have it', async (t) => {
  const client = await shop.database.pool.connect()
  t.after(() => client.release(true))
  await client.query(`begin; alter table products disable trigger user;
    insert into products (id, name, category, color, description, price_cents)
    select md5(number::text), 'Wombat', 'grooming', 'blue', 'x', 1 from generate_series(1, 8192) as number`)
  await client.query(
    `delete from lost_words; insert into lost_words select 'made' from generate_series(1, 10)`,
  )
  const read = `select pg_stat_get_xact_tuples_returned('products_search'::regclass)::int as read`
  const { rows: before } = await client.query<{ read: number }>(read)
  await client.query('select forget_words(1000)')
  const { rows: after } = await client.query<{ read: number }>(read)
  const entries = onlyRow(after).read - onlyRow(before).read
  assert.ok(entries > 0 && entries <= 4096, `${entries} entries of the index are read`)
})

test('products that change while words are forgotten stay found, and words that none has are gone', async () => {
  const { db, pool } = shop.database
  const names = ['Ibex', 'Lynx', 'Ibex Lynx', 'Stoat', 'Lynx Stoat']
  await Promise.all(
    names.map(async (_, at) => {
      for (let round = 0; round < 12; round++) {
        const nameOf = (step: number) => names[(at + round + step) % names.length] ?? ''
        const { id } = await makeProduct(db, { name: nameOf(0) })
        await rename(id, nameOf(1))
        await forgetWords(db)
        if (round < 11 || at > 0) await remove(id)
      }
    }),
  )
  const { rows } = await pool.query<{ name: string }>(
    `select name from products where deleted_at is null and name = any ($1)`,
    [names],
  )
  const left = rows.map(({ name }) => name)
  assert.equal(left.length, 1)
  await forgetAll()
  assert.deepEqual(await brokenInvariants(db), [])
  assert.deepEqual(
    await wordsKnown('ibex', 'lynx', 'stoat'),
    left.flatMap((name) => name.toLowerCase().split(' ')).toSorted(),
  )
})

test('the shop forgets words by itself', async (t) => {
  const { id } = await makeProduct(shop.database.db, { name: 'Capybara' })
  await remove(id)
  const { stop } = keepWordsForgotten(shop.database, (line) => shop.operatorLog.push(line))
  t.after(stop)
  await until(async () => (await wordsKnown('capybara')).length === 0)
  assert.deepEqual(shop.operatorLog, [])
})
