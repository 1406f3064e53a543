import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg, { type Pool } from 'pg'
import type { Product } from '#shop/catalogue/contract.ts'
import { versionOf } from '#shop/platform/changes.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'
import { countIndexEntriesRead, countRowsFetched } from '#shop/testing/statistics.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { withoutAccents } from './search-words.ts'

let shop: TestApp
before(async () => {
  // Two thousand long ago, and then some eight hundred a day, for fifty days.
  shop = await largeShop([
    [2000, `'2015-01-01'::timestamptz + n * interval '1 second'`],
    [40_000, `'2024-01-01'::timestamptz + n * interval '108 seconds'`],
  ])
  // Hardly anything since then.
  for (const date of ['2024-03-05', '2024-09-30', '2026-01-17'])
    await makeProduct(shop.database.db, {
      name: 'Sparrow',
      category: 'formal dress',
      createdAt: new Date(date),
    })
})
after(() => shop.close())

/** How many products, and when the n-th was added; those with a name of their own cost a cent. */
type Added = [amount: number, at: string, name?: string]

async function largeShop(all: readonly Added[]): Promise<TestApp> {
  const app = await startTestApp()
  // All this in one statement takes longer than the shop allows.
  const { pool, close } = openDatabase({ ...withoutBounds(app.database.connection), max: 1 }, () => {})
  await pool.query('alter table products disable trigger user')
  for (const each of all) await add(pool, each)
  await pool.query('select recount_products(), collect_product_words()')
  await pool.query('alter table products enable trigger user')
  // After so many new rows, the triggers that are off here would have done this.
  await pool.query('analyze products')
  await close()
  return app
}

/**
 * Every 33rd product is a magpie, every 400th a sparrow, every two thousandth a heron, and nearly all are birds. A
 * seventh are kestrels, with ids that are never sampled.
 */
async function add(pool: Pool, [amount, at, name]: Added): Promise<void> {
  if (name) {
    await pool.query(
      `insert into products (id, name, category, color, description, price_cents, created_at)
      select md5('${name}' || n), '${name}', 'grooming', 'gold', 'x', 1, ${at} from generate_series(1, ${amount}) as n`,
    )
    return
  }
  await pool.query(
    `insert into products (id, name, category, color, description, price_cents, created_at)
    select md5('${amount}' || n),
      case when n % 5 = 0 and md5(md5('${amount}' || n)) >= '4' then 'Kestrel ' else '' end
        || case when n % 400 = 0 then 'Sparrow ' else '' end || case when n % 2000 = 0 then 'Heron ' else '' end
        || case when n % 33 = 0 then md5(n::text) || ' Magpie ' else '' end || case when n % 7 = 0 then 'x' else 'Bird' end,
      case when n % 3 = 0 then 'grooming' else 'formal dress' end, 'gold', 'no' || n || '/x', 1 + n * 7919 % 30000, ${at}
    from generate_series(1, ${amount}) as n`,
  )
}

const inRange = 'price_cents between 10000 and 15000'

type Query = Partial<
  Record<'search' | 'category' | 'color' | 'minPrice' | 'maxPrice' | 'sort' | 'page', string>
>

async function runSearch(query: Query, { call } = shop) {
  const answer = await call<{ data: { products: Product[]; totalProducts: number } }>({
    url: '/api/products',
    query: { ...query, limit: '100' },
  })
  const { products, totalProducts } = answer.body.data
  return { ids: products.map(({ _id }) => _id), total: totalProducts }
}

/** All products that have the letters, found by comparing each, in this order. */
async function expectedMatches(
  letters: string,
  { where = 'true', order = 'created_at desc, id' },
  { database } = shop,
) {
  const { rows } = await database.pool.query<{ ids: string[] }>(
    `select array(select id from products where deleted_at is null and name || ' ' || description like $1 and ${where}
      order by ${order}) as ids`,
    [`%${letters}%`],
  )
  const ids = rows[0]?.ids ?? []
  return { ids: ids.slice(0, 100), total: ids.length }
}

test('a search of a large shop lists enough of the newest matches, and finds rare words anywhere', async () => {
  for (const query of [{ search: 'magpie' }, { search: 'mAGPie', category: 'grooming' }]) {
    const where = query.category ? `category = 'grooming'` : 'true'
    const [newest, all] = [await runSearch(query), await expectedMatches('Magpie', { where })]
    assert.deepEqual(newest.ids, all.ids.slice(0, Math.min(newest.total, 100)))
    assert.ok(newest.total >= 24 && newest.total < all.total - 5, `${newest.total} of ${all.total}`)
  }
  const herons = await expectedMatches('Heron', {})
  assert.equal(herons.total, 21)
  assert.deepEqual(await runSearch({ search: 'heron' }), herons)
  assert.deepEqual(await runSearch({ search: 'heron sparrow' }), await expectedMatches('Sparrow Heron', {}))
  const { id } = await makeProduct(shop.database.db, { name: 'Ibis', category: 'tops/t-shirts' })
  assert.deepEqual((await runSearch({ search: 'ibis', category: 'tops/t-shirts' })).ids, [id])
  const range = { minPrice: '100', maxPrice: '150' }
  const birds = await expectedMatches('Sparrow %Bird', { where: inRange })
  assert.deepEqual(await runSearch({ search: 'sparrow bird', ...range }), birds)
})

test('a search reads hardly more index entries than it finds products, for frequent and for rare words', async () => {
  for (const [search, listed, most] of [
    ['magpie', 250, 400],
    ['heron', 21, 25],
  ] as const) {
    // If a sample is due, this search takes it, so that it is not counted below.
    await runSearch({ search: `bird ${search}` })
    const before = await countIndexEntriesRead(shop.database, 'products')
    const { total } = await runSearch({ search, page: '3' })
    const read = (await countIndexEntriesRead(shop.database, 'products')) - before
    assert.equal(total, listed)
    assert.ok(read < most, `${read} entries for ${total}`)
  }
})

test('a search sorted by oldest lists enough of the oldest matches', async () => {
  const [oldest, all] = [
    await runSearch({ search: 'magpie', sort: 'oldest' }),
    await expectedMatches('Magpie', { order: 'created_at, id desc' }),
  ]
  assert.deepEqual(oldest.ids, all.ids.slice(0, Math.min(oldest.total, 100)))
  assert.ok(oldest.total >= 24 && oldest.total < all.total, `${oldest.total} of ${all.total}`)
})

test('a search for a rare word lists the first of all matches, in any sort order', async () => {
  const sorts = { price: 'price_cents', '-price': 'price_cents desc', name: 'lower(name)', rating: 'rating' }
  for (const [sort, by] of Object.entries(sorts)) {
    const all = await expectedMatches('Sparrow', { order: `${by}, created_at desc, id` })
    assert.deepEqual(await runSearch({ search: 'sparrow', sort }), all, sort)
  }
  const oldest = await expectedMatches('Heron', { order: 'created_at, id desc' })
  assert.deepEqual(await runSearch({ search: 'heron', sort: 'oldest' }), oldest)
})

test('a search for a frequent word by price reads few entries to find the first matches, also in a price range', async () => {
  for (const [sort, by] of [
    ['price', 'price_cents'],
    ['-price', 'price_cents desc'],
  ]) {
    for (const [range, where] of [
      [{}, 'true'],
      [{ minPrice: '20', maxPrice: '290' }, 'price_cents between 2000 and 29000'],
    ] as const) {
      await runSearch({ search: 'bird', sort, ...range })
      const before = await countIndexEntriesRead(shop.database, 'products')
      const magpies = await runSearch({ search: 'magpie', sort, ...range })
      const read = (await countIndexEntriesRead(shop.database, 'products')) - before
      const all = await expectedMatches('Magpie', { where, order: `${by}, created_at desc, id` })
      assert.deepEqual(magpies.ids, all.ids.slice(0, magpies.total), sort)
      assert.ok(magpies.total >= 24 && magpies.total < 30, `${magpies.total} of ${all.total}`)
      // The 24th match, where every 33rd product is one.
      assert.ok(read < 1600, `${read} entries for ${magpies.total} of ${all.total}`)
    }
  }
})

test('a search by price finds the cheapest matches of a frequent word that the sample takes for rare', async () => {
  const cheapest = await expectedMatches('Kestrel', { order: 'price_cents, created_at desc, id' })
  assert.ok(cheapest.total > 5000, `${cheapest.total}`)
  assert.deepEqual((await runSearch({ search: 'kestrel', sort: 'price' })).ids, cheapest.ids)
})

test('a search by name for a frequent word sorts the newest matches instead of all matches', async () => {
  const pages = await Promise.all(
    ['1', '2', '3'].map((page) => runSearch({ search: 'magpie', sort: 'name', page })),
  )
  const ids = pages.flatMap((page) => page.ids)
  assert.deepEqual([ids.length, pages[0]?.total], [250, 250])
  const { rows } = await shop.database.pool.query<{ since: string; isNew: boolean }>(
    `select min(created_at)::text as since, min(created_at) > '2024-01-01' as "isNew" from products where id = any($1)`,
    [ids],
  )
  assert.ok(rows[0]?.isNew)
  const inOrder = await expectedMatches('Magpie', {
    where: `created_at >= '${rows[0].since}'`,
    order: 'lower(name)',
  })
  assert.deepEqual(ids.slice(0, 100), inOrder.ids)
})

test('a search by price for a frequent word and a two-letter part lists enough matches, but not all of them', async () => {
  const [all, cheapest] = [
    await expectedMatches('7f% Magpie %', {}),
    await runSearch({ search: 'magpie 7f', sort: 'price' }),
  ]
  assert.ok(cheapest.total >= 24 && cheapest.total < all.total, `${cheapest.total} of ${all.total}`)
  const where = `id = any('{${cheapest.ids.join()}}')`
  const order = 'price_cents, created_at desc, id'
  assert.deepEqual((await expectedMatches('7f% Magpie %', { where, order })).ids, cheapest.ids)
})

test('a search for a word that nearly all products have finds every match in a narrow price range', async () => {
  const where = `price_cents between 4200 and 4300 and category = 'grooming'`
  for (const [sort, order] of [
    ['newest', 'created_at desc, id'],
    ['oldest', 'created_at, id desc'],
  ]) {
    const narrow = { category: 'grooming', minPrice: '42', maxPrice: '43', sort }
    const birds = await expectedMatches('Bird', { where, order })
    assert.ok(birds.total > 10)
    assert.deepEqual(await runSearch({ search: 'bird', ...narrow }), birds, sort)
  }
})

test('a search for a word that nearly all products have does not find a product that lacks it', async () => {
  const robe = { name: 'Formal robe', category: 'grooming', createdAt: new Date('2015-06-01') }
  const [gold] = await Promise.all(
    ['gold', 'blue'].map((color) => makeProduct(shop.database.db, { ...robe, color })),
  )
  assert.deepEqual((await runSearch({ search: 'gold formal', category: 'grooming' })).ids, [gold?.id])
})

test('a part that many different words contain, such as digits, is found alone and together with other words', async () => {
  assert.deepEqual(await runSearch({ search: 'no1234' }), await expectedMatches('no1234', {}))
  const some = await runSearch({ search: 'no123' })
  assert.ok(some.total >= 24 && some.total <= (await expectedMatches('no123', {})).total, `${some.total}`)
  // Of these words the shortest are the first in alphabetical order.
  const exact = await expectedMatches('no123/x', {})
  assert.ok(exact.total === 2 && exact.ids.every((id) => some.ids.includes(id)), JSON.stringify(exact))
  for (const [search, letters] of [
    ['no12 sparrow', 'Sparrow %no12'],
    ['no123 magpie', 'Magpie %no123'],
    ['bird no1234', 'Bird no1234'],
    ['no1200/x', 'no1200/x'],
    ['1200/x heron', 'Heron %1200/x'],
  ])
    assert.deepEqual(await runSearch({ search }), await expectedMatches(letters ?? '', {}), search)
})

test('a part that many different words contain is found anywhere if the filters leave few products', async () => {
  for (let n = 1; n <= 10; n += 1)
    await makeProduct(shop.database.db, { name: 'Finch', category: 'jewellery', description: `no9z${n}/x` })
  const finches = await expectedMatches('no9', { where: `category = 'jewellery'` })
  assert.equal(finches.total, 10)
  assert.deepEqual(await runSearch({ search: 'no9', category: 'jewellery' }), finches)
  const dear = await makeProduct(shop.database.db, { name: 'no9zz', priceCents: 900_000 })
  assert.deepEqual((await runSearch({ search: 'no9', minPrice: '5000' })).ids, [dear.id])
})

test('a symbol or two letters within a word are searched for in all products if the filters leave few', async () => {
  for (let n = 1; n <= 30; n += 1)
    await makeProduct(shop.database.db, {
      name: `Bittern ${n}`,
      category: 'shoes & boots',
      priceCents: 500_000,
      // Older than all others.
      createdAt: new Date('2014-06-01'),
    })
  const bitterns = await expectedMatches('tern', { where: `category = 'shoes & boots'`, order: 'name, id' })
  assert.equal(bitterns.total, 30)
  for (const search of ['er', '&', 'er &']) {
    const query = { search, category: 'shoes & boots', sort: 'name' }
    assert.deepEqual(await runSearch(query), bitterns, search)
    const dear = { search, minPrice: '5000', maxPrice: '5000', sort: 'newest' }
    assert.equal((await runSearch(dear)).total, 30, search)
  }
})

test('a search lists a new product first at once, and no longer finds a deleted one', async () => {
  for (const year of ['2016', '2017'])
    await makeProduct(shop.database.db, { name: 'Avocet', createdAt: new Date(year) })
  const before = await runSearch({ search: 'avocet' })
  assert.equal(before.total, 2)
  const { id } = await makeProduct(shop.database.db, { name: 'Avocet of today' })
  assert.deepEqual((await runSearch({ search: 'avocet' })).ids, [id, ...before.ids])
  await shop.database.pool.query('update products set deleted_at = now() where id = $1', [before.ids[0]])
  assert.deepEqual((await runSearch({ search: 'avocet' })).ids, [id, ...before.ids.slice(1)])
})

test('a search finds the same products after thousands of newer ones were added in one statement', async () => {
  const [birds, magpies] = [await expectedMatches('Bird', {}), await runSearch({ search: 'magpie' })]
  await shop.database.pool.query(
    `insert into products (id, name, category, color, description, price_cents)
    select 'new' || n, 'Toad', 'grooming', 'gold', 'x', 15000 from generate_series(1, 3000) as n`,
  )
  assert.deepEqual((await runSearch({ search: 'bird' })).ids, birds.ids)
  assert.deepEqual((await runSearch({ search: 'magpie' })).ids.slice(0, 24), magpies.ids.slice(0, 24))
  assert.equal((await runSearch({ search: 'toad' })).total, 250)
})

test('the newest matches come first even after an import of products with older dates', async (t) => {
  const imported = await largeShop([
    [20_000, `'2024-01-01'::timestamptz + n * interval '1 second'`],
    [18_000, `'2014-01-01'::timestamptz + n * 7919 % 2000 * interval '1 day'`],
  ])
  t.after(() => imported.close())
  const newest = await runSearch({ search: 'magpie' }, imported)
  assert.ok(newest.total >= 24, `${newest.total}`)
  const all = await expectedMatches('Magpie', {}, imported)
  assert.deepEqual(newest.ids, all.ids.slice(0, newest.total))
})

test('frequent matches that lie together behind all newer and cheaper products are found without a full scan', async (t) => {
  const seasons = await largeShop([
    [20_000, `'2024-01-01'::timestamptz + n * interval '1 second'`],
    [36_000, `'2025-01-01'::timestamptz + n * interval '1 second'`, 'Toad'],
  ])
  t.after(() => seasons.close())
  await runSearch({ search: 'toad', sort: 'price' }, seasons)
  const before = await countIndexEntriesRead(seasons.database, 'products')
  const birds = await runSearch({ search: 'bird', sort: 'price' }, seasons)
  const read = (await countIndexEntriesRead(seasons.database, 'products')) - before
  const all = await expectedMatches('Bird', { order: 'price_cents, created_at desc, id' }, seasons)
  assert.equal(birds.total, 250)
  assert.equal(new Set(birds.ids).size, 100)
  assert.ok(read < 22_000, `${read} entries for ${birds.total} of ${all.total}`)
})

test('a search in a category for a frequent word that it lacks finds nothing and reads few index entries', async (t) => {
  const kinds = await largeShop([[30_000, `'2024-01-01'::timestamptz + n * interval '1 second'`]])
  t.after(() => kinds.close())
  const { pool } = kinds.database
  await pool.query(`update products set category = 'dress' where price_cents % 50 = 0`)
  await pool.query('analyze products')
  for (const sort of ['newest', 'price', '-name']) {
    await runSearch({ search: 'dress', category: 'grooming', sort }, kinds)
    const before = await countIndexEntriesRead(kinds.database, 'products')
    // Half of all products are formal dress.
    assert.equal((await runSearch({ search: 'formal', category: 'dress', sort }, kinds)).total, 0)
    const read = (await countIndexEntriesRead(kinds.database, 'products')) - before
    assert.ok(read < 3000, `${read} entries in order of ${sort}`)
  }
})

test('a search with every filter set fetches only products in the price range', async (t) => {
  const wide = await largeShop([[12_000, `'2024-01-01'::timestamptz + n * interval '108 seconds'`]])
  t.after(() => wide.close())
  await wide.database.pool.query(`update products set color = 'blue' where price_cents % 37 = 0`)
  const query = { category: 'grooming', color: 'blue', minPrice: '100', maxPrice: '115', sort: 'price' }
  const where = `category = 'grooming' and color = 'blue' and price_cents between 10000 and 11500`
  const expected = await expectedMatches('Bird', { where, order: 'price_cents, id' }, wide)
  await runSearch({ search: 'bird gold', ...query }, wide)
  const before = await countRowsFetched(wide.database, 'products')
  assert.deepEqual(await runSearch({ search: 'bird', ...query }, wide), expected)
  const fetched = (await countRowsFetched(wide.database, 'products')) - before
  // In all prices there are over a hundred.
  assert.ok(expected.total > 0 && fetched < 30, `${fetched} rows for ${expected.total}`)
})

test('after a minute the sample of frequent words is taken again, once, and no search waits for it', async (t) => {
  // A shop of its own, so that no sample is still being taken: the first search waits for one.
  const fresh = await largeShop([[11_000, `'2024-01-01'::timestamptz + n * interval '1 second'`]])
  await runSearch({ search: 'sparrow' }, fresh)
  const now = performance.now() + 61_000
  t.mock.method(performance, 'now', () => now)
  const held = Promise.withResolvers<void>()
  t.after(() => {
    held.resolve()
    // Closing a shop needs the clock, too.
    t.mock.restoreAll()
    return fresh.close()
  })
  let timesLooked = 0
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown
  const holdWhatLooks = function (this: pg.Client, ...args: unknown[]) {
    const ask = () => Reflect.apply(query, this, args)
    if (!JSON.stringify(args[0]).includes('tablesample')) return ask()
    timesLooked += 1
    return held.promise.then(ask)
  }
  t.mock.method(pg.Client.prototype, 'query', holdWhatLooks as pg.Client['query'])
  for (const { total } of await Promise.all(
    ['bird', 'sparrow', 'magpie', 'kestrel'].map((search) => runSearch({ search }, fresh)),
  ))
    assert.ok(total >= 20, `${total}`)
  assert.equal(timesLooked, 1)
})

test('paging, sorting or filtering a search looks its words up once, until a product is added', async (t) => {
  const createdAt = new Date('2014-01-01')
  await makeProduct(shop.database.db, { name: 'Osprey', createdAt })
  // Even a refused change is answered only once the shop has heard of all changes before it.
  assert.equal((await shop.call({ method: 'DELETE', url: '/api/products/none' })).status, 401)
  // What is known of words stays valid while the shop listens to the database's changes.
  await until(async () => versionOf(shop.database.db))
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
  let timesLooked = 0
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown
  const count = function (this: pg.Client, ...args: unknown[]) {
    if (JSON.stringify(args[0]).includes('"words like patterns"')) timesLooked += 1
    return Reflect.apply(query, this, args)
  }
  t.mock.method(pg.Client.prototype, 'query', count as pg.Client['query'])
  const { total } = await runSearch({ search: 'osprey' })
  for (const more of [{ page: '2' }, { sort: 'price' }, { minPrice: '1' }])
    await runSearch({ search: 'osprey', ...more })
  assert.equal(timesLooked, 1)
  await makeProduct(shop.database.db, { name: 'Ospreys', createdAt })
  assert.equal((await runSearch({ search: 'osprey' })).total, total + 1)
  assert.equal(timesLooked, 2)
})

test('the index of words splits text at ASCII characters that are neither letters nor digits', async () => {
  const betweenWords = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/
  for (let code = 1; code < 0x100; code += 1) {
    const text = `a${String.fromCharCode(code)}b`
    const { rows } = await shop.database.pool.query<{ words: string[] }>('select words_of($1) as words', [
      text,
    ])
    assert.deepEqual(rows[0]?.words, text.split(betweenWords), `sign ${code}`)
  }
})

test('a search loses its accents in the same way as the text in the database', async () => {
  const texts = Array.from({ length: 0x2000 }, (_, code) => `a${String.fromCharCode(code + 1)}b`)
  const { rows } = await shop.database.pool.query<{ text: string }>(
    `select text from unnest($1::text[], $2::text[]) as each(text, bare) where folded(text) <> lower(bare)`,
    [texts, texts.map(withoutAccents)],
  )
  assert.deepEqual(rows, [])
})
