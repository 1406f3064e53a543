import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { productSorts } from '#shop/catalogue/choices.ts'
import type { Product } from '#shop/catalogue/contract.ts'
import type { Problem } from '#shop/contract/problem.ts'
import { onlyRow } from '#shop/platform/database.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'

type List = {
  data: { products: Product[]; totalPages: number; totalProducts: number; page: number; limit: number }
}

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

/** Until the end of the test. */
async function useOwnShop(t: TestContext): Promise<void> {
  const common = shop
  shop = await startTestApp()
  t.after(async () => {
    await shop.close()
    shop = common
  })
}

const list = async (query: Record<string, string>) =>
  (await shop.call<List>({ url: '/api/products', query })).body.data
const namesOf = async (query: Record<string, string>) => (await list(query)).products.map(({ name }) => name)

test('over all pages every product appears exactly once, newest first, ties in a stable order', async () => {
  const createdAt = new Date('2026-01-01')
  const category = 'neckwear'
  for (let each = 0; each < 23; each += 1) await makeProduct(shop.database.db, { category, createdAt })
  const newest = await makeProduct(shop.database.db, { category })
  const seen: string[] = []
  for (let page = 1; page <= 3; page += 1) {
    const data = await list({ category, limit: '8', page: `${page}` })
    assert.deepEqual([data.totalPages, data.totalProducts, data.page, data.limit], [3, 24, page, 8])
    seen.push(...data.products.map(({ _id }) => _id))
  }
  assert.equal(seen[0], newest.id)
  assert.equal(new Set(seen).size, 24)
  const past = await list({ category, limit: '8', page: '4' })
  assert.deepEqual([past.products, past.totalPages, past.totalProducts], [[], 3, 24])
})

test('filters by category, color and inclusive price range, ignoring case; `all` and empty mean no filter', async () => {
  const db = shop.database.db
  const category = 'smart dress'
  await makeProduct(db, { name: 'fifty', category, color: 'red', priceCents: 5000 })
  await makeProduct(db, { name: 'hundred', category, color: 'red', priceCents: 10_000 })
  await makeProduct(db, { name: 'more', category, color: 'gold', priceCents: 10_001 })
  await makeProduct(db, { name: 'deleted', category, color: 'gold', deletedAt: new Date() })
  assert.deepEqual((await namesOf({ category })).sort(), ['fifty', 'hundred', 'more'])
  assert.deepEqual(await namesOf({ category: 'Smart Dress', color: 'GOLD' }), ['more'])
  assert.deepEqual((await namesOf({ category, minPrice: '50', maxPrice: '100' })).sort(), [
    'fifty',
    'hundred',
  ])
  assert.deepEqual(await namesOf({ category, minPrice: '100.01' }), ['more'])
  assert.deepEqual(await namesOf({ category, minPrice: '100', maxPrice: '50' }), [])
  assert.deepEqual(await namesOf({ category: 'nowhere' }), [])
  assert.deepEqual(await namesOf({ category, sort: '' }), await namesOf({ category }))
  const everything = (await list({})).totalProducts
  for (const beyond of ['21474836.48', '999999999.99']) {
    assert.equal((await list({ maxPrice: beyond })).totalProducts, everything)
    assert.deepEqual(await namesOf({ minPrice: beyond }), [])
    assert.deepEqual(await namesOf({ minPrice: beyond, search: 'fifty' }), [])
    assert.deepEqual(await namesOf({ category, maxPrice: beyond, search: 'fifty' }), ['fifty'])
  }
  for (const none of ['', 'all']) {
    const query = { category: none, color: none, minPrice: none, maxPrice: none }
    assert.equal((await list(query)).totalProducts, everything)
  }
  const unknown = `${'x'.repeat(120)}' union select null --`
  for (const filter of ['category', 'color']) assert.deepEqual(await namesOf({ [filter]: unknown }), [])
})

test('a search matches all of its words in name, description, category and color, and symbols literally', async () => {
  const db = shop.database.db
  await makeProduct(db, {
    name: 'Zephyr 100% Linen',
    description: 'Cool under_score \\ cloth',
    color: 'silver',
  })
  await makeProduct(db, { name: 'Zephyr Wool', description: 'Warm', color: 'black' })
  assert.deepEqual(await namesOf({ search: 'zephyr SILVER' }), ['Zephyr 100% Linen'])
  for (const search of ['100%', 'r_s', '\\'])
    assert.deepEqual(await namesOf({ search }), ['Zephyr 100% Linen'])
  for (const search of ['linen, zephyr', '“Zephyr” linen!', '(zephyr; 100% cloth.)'])
    assert.deepEqual(await namesOf({ search }), ['Zephyr 100% Linen'], search)
  await makeProduct(shop.database.db, { name: "Smuggler's Cape" })
  await makeProduct(shop.database.db, { name: 'Smuggler’s Boots' })
  for (const search of ["smuggler's", 'smuggler’s'])
    assert.deepEqual((await namesOf({ search })).sort(), ['Smuggler’s Boots', "Smuggler's Cape"].sort())
  for (const search of ["' or 1=1 --", 'zephyr%wool', 'zephyr_'])
    assert.deepEqual(await namesOf({ search }), [])
})

test('a search ignores accents, both in its words and in the products', async () => {
  const db = shop.database.db
  await makeProduct(db, { name: 'Zibeline PIQUÉ', createdAt: new Date('2020-01-01') })
  await makeProduct(db, {
    name: 'Zibeline Scarf',
    description: 'Of pique, café-crème.',
    createdAt: new Date('2021-01-01'),
  })
  for (const search of ['zibeline pique', 'Zibéline Piqué', 'zibeline pique\u0301'])
    assert.deepEqual(await namesOf({ search }), ['Zibeline PIQUÉ', 'Zibeline Scarf'], search)
  assert.deepEqual(await namesOf({ search: 'zibeline CAFE creme' }), ['Zibeline Scarf'])
  assert.deepEqual(await namesOf({ search: 'zibeline q' }), ['Zibeline PIQUÉ', 'Zibeline Scarf'])
  // No product has a combining accent alone.
  assert.deepEqual(await namesOf({ search: 'zibeline \u0301' }), [])
})

test('a search for a part that many different words contain finds all of them', async () => {
  for (let each = 100; each < 150; each += 1) await makeProduct(shop.database.db, { name: `Kilt KX${each}` })
  assert.equal((await list({ search: 'x1' })).totalProducts, 50)
  assert.deepEqual(
    await namesOf({ search: 'kx1 KILT', limit: '100', sort: 'name' }),
    Array.from({ length: 50 }, (_, index) => `Kilt KX${100 + index}`),
  )
  assert.equal((await list({ search: 'kx11 kilt' })).totalProducts, 10)
})

test('a search lists matches in the name first, and a plural also finds the singular', async () => {
  const db = shop.database.db
  await makeProduct(db, { name: 'Quilted Wumbrella', createdAt: new Date('2020-01-01') })
  await makeProduct(db, {
    name: 'Rain Hat',
    description: 'Goes with a wumbrella.',
    createdAt: new Date('2021-01-01'),
  })
  await makeProduct(db, { name: 'Bristle Wumbrush', createdAt: new Date('2019-01-01') })
  for (const search of ['wumbrella', 'Wumbrellas', 'WUMBRELLAS']) {
    assert.deepEqual(await namesOf({ search }), ['Quilted Wumbrella', 'Rain Hat'], search)
  }
  assert.deepEqual(await namesOf({ search: 'wumbrushes' }), ['Bristle Wumbrush'])
  assert.deepEqual(await namesOf({ search: 'wumbrella', sort: 'newest' }), ['Rain Hat', 'Quilted Wumbrella'])
  assert.deepEqual(await namesOf({ search: 'wumbrella', limit: '1', page: '2' }), ['Rain Hat'])
})

test('statement names stay within the database’s length limit, however many words and filters are combined', async (t) => {
  // The driver logs an error if a name is too long.
  const said = t.mock.method(console, 'error', () => undefined)
  const ten = Array.from({ length: 10 }, (_, index) => `word${index}`).join(' ')
  const filters = { category: 'grooming', color: 'red', minPrice: '1', maxPrice: '2', sort: '-category' }
  for (const search of [ten, 'a b c d e f g h i j', '']) await list({ ...filters, search })
  assert.equal(said.mock.callCount(), 0)
})

test('every total matches a recount after many concurrent inserts, updates and deletes', async () => {
  const { db, pool } = shop.database
  const change = fc.record({
    category: fc.constantFrom('formal dress', 'grooming'),
    color: fc.constantFrom('red', 'green'),
    priceCents: fc.oneof(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 9990, max: 10_010 })),
    chance: fc.nat(9),
  })
  const ids: string[] = []
  const apply = async ({ chance, ...values }: typeof change extends fc.Arbitrary<infer T> ? T : never) => {
    const id = ids[(chance * 7919) % ids.length]
    if (!id || chance < 5) return void ids.push((await makeProduct(db, values)).id)
    const { category, color, priceCents } = values
    if (chance === 5) await pool.query('update products set deleted_at = now() where id = $1', [id])
    if (chance === 6) await pool.query('delete from products where id = $1', [id])
    if (chance === 7) await pool.query('update products set deleted_at = null where id = $1', [id])
    if (chance === 8) await pool.query('update products set price_cents = $2 where id = $1', [id, priceCents])
    if (chance === 9)
      // In order: transactions that lock the same rows in different orders wait for each other.
      await pool.query(
        `update products set category = $1, color = $2
          where id in (select id from products where md5(id) < '1' order by id for update)`,
        [category, color],
      )
  }
  const filters: Record<string, string>[] = [
    {},
    { category: 'grooming' },
    { color: 'red' },
    { category: 'formal dress', color: 'green' },
  ]
  const ranges: Record<string, string>[] = [
    {},
    { maxPrice: '100' },
    { minPrice: '100', maxPrice: '100' },
    { minPrice: '99.95', maxPrice: '1234.56' },
  ]
  const recount = async ({ category, color, minPrice, maxPrice }: Partial<Record<string, string>>) => {
    const { rows } = await pool.query<{ all: number }>(
      `select count(*)::int as all from products where deleted_at is null and category = coalesce($1, category)
        and color = coalesce($2, color) and price_cents between coalesce($3::numeric, 0) * 100 and coalesce($4::numeric, 1e6) * 100`,
      [category, color, minPrice, maxPrice],
    )
    return rows[0]?.all
  }
  const batch = fc.array(change, { minLength: 20, maxLength: 60 })
  const property = fc.asyncProperty(batch, async (changes) => {
    const queue = changes.values()
    const work = async () => {
      for (const each of queue) await apply(each)
    }
    await Promise.all(Array.from({ length: 8 }, work))
    for (const filter of filters)
      for (const range of ranges) {
        const query = { ...filter, ...range }
        assert.equal(
          (await list({ ...query, limit: '1' })).totalProducts,
          await recount(query),
          JSON.stringify(query),
        )
      }
  })
  await fc.assert(property, { numRuns: 5, endOnFailure: true })
})

test('in every sort order, the pages of a filtered list together are the whole list', async () => {
  const createdAt = new Date('2026-02-02')
  for (let n = 0; n < 20; n += 1) {
    const category = n % 2 ? 'casual dress' : 'sports dress'
    await makeProduct(shop.database.db, {
      createdAt,
      category,
      color: 'beige',
      priceCents: 100 * (n % 3) + 100,
      rating: n % 2,
    })
  }
  for (const sort of productSorts) {
    const query = { color: 'beige', sort, maxPrice: '2.50' }
    const { products: all } = await list({ ...query, limit: '100' })
    assert.equal(all.length, 14)
    for (const limit of [1, 4, 5]) {
      const pages = Array.from({ length: Math.ceil(14 / limit) }, (_, index) => `${index + 1}`)
      const found = await Promise.all(pages.map((page) => list({ ...query, limit: `${limit}`, page })))
      assert.deepEqual(
        found.flatMap(({ products }) => products),
        all,
        `${sort} by ${limit}`,
      )
    }
  }
})

test('all pages of the same kind of list use one generic query plan, from the first request on', async () => {
  const mistral = { name: 'Mistral Wool', category: 'grooming', color: 'red' }
  for (let each = 0; each < 14; each += 1) await makeProduct(shop.database.db, mistral)
  const kinds: Record<string, string>[] = [
    ...['newest', '-price', 'name', '-rating'].map((sort) => ({ sort })),
    { category: 'grooming', color: 'red' },
    { sort: 'price', minPrice: '1', maxPrice: '50' },
    { category: 'grooming', sort: 'name' },
    { search: 'mistral wool' },
    { search: 'mistral', minPrice: '1', maxPrice: '50' },
  ]
  // What other tests have asked for may make the shop forget some of these statements the first time.
  const rows = await until(async () => {
    // From here on no cached list is valid.
    await makeProduct(shop.database.db, mistral)
    for (let n = 1; n <= 7; n += 1)
      for (const kind of kinds) await list({ page: `${n}`, limit: '2', ...kind })
    const { rows } = await shop.database.pool.query<{ name: string; plans: number }>(
      'select name, custom_plans::int as plans from pg_prepared_statements where generic_plans + custom_plans >= 7',
    )
    return rows.length >= kinds.length && rows
  })
  assert.deepEqual(
    rows.filter(({ plans }) => plans > 0),
    [],
  )
})

test('a large import is analyzed within its transaction, and counted correctly when it commits', async (t) => {
  const { database, close } = await startTestApp()
  const client = await database.pool.connect()
  t.after(async () => {
    client.release(true)
    await close()
  })
  // Autovacuum does not see rows that are not committed: only the shop's trigger can have counted these.
  await client.query('begin; set constraints all immediate')
  await client.query(
    `insert into products (id, name, category, color, description, price_cents)
      select md5(n::text), 'Coat', 'grooming', 'gold', repeat('x', 900), n from generate_series(1, 3000) as n`,
  )
  const { rows } = await client.query<{ known: string }>(
    `select histogram_bounds::text as known from pg_stats where tablename = 'products' and attname = 'price_cents'`,
  )
  const bounds = rows[0]?.known.match(/\d+/g)?.map(Number) ?? []
  assert.deepEqual([bounds[0], bounds.at(-1)], [1, 3000])
  await client.query('commit')
  // If more was added than there was before, everything is counted anew.
  const broken = await brokenInvariants(database.db)
  assert.deepEqual(
    broken.filter((what) => !what.includes('admin')),
    [],
  )
  const { rows: places } = await database.pool.query<{ blocks: number; products: number }>(
    'select count(*)::int as blocks, sum(products)::int as products from whole_product_blocks',
  )
  assert.deepEqual(places, [{ blocks: 2, products: 3000 }])
})

test('a connection keeps a limited number of prepared statements, however many kinds of list are requested', async () => {
  const filters: Record<string, string>[] = [
    {},
    { category: 'grooming' },
    { color: 'red' },
    { category: 'grooming', color: 'red' },
  ]
  const searches = ['', 'wool', 'wool cashmere', 'xl']
  for (const sort of productSorts)
    for (const filter of filters) for (const search of searches) await list({ ...filter, search, sort })
  const { pool } = shop.database
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  const counts: number[] = []
  for (const client of clients) {
    const { rows } = await client.query<{ all: number }>(
      'select count(*)::int as all from pg_prepared_statements',
    )
    counts.push(onlyRow(rows).all)
    client.release()
  }
  const most = Math.max(...counts)
  assert.ok(most > 50 && most <= 110, `${counts.join(', ')} statements`)
})

test('a search counts all matches in a small shop, and lists at most 250 in a large one', async (t) => {
  await useOwnShop(t)
  await shop.database.pool
    .query(`insert into products (id, name, category, color, description, price_cents, created_at)
    select 'found-' || n, 'Plentiful', 'grooming', 'gold', 'x', 100, '2020-01-01'::timestamptz + n * interval '1 second'
    from generate_series(1, 600) as n`)
  const all = await list({ search: 'plentiFUL', limit: '100', page: '6' })
  assert.deepEqual([all.totalProducts, all.products.at(-1)?._id], [600, 'found-1'])
  for (let from = 1; from < 10_000; from += 2000) {
    await shop.database.pool.query(
      `insert into products (id, name, category, color, description, price_cents, created_at)
      select 'other-' || n, 'Other', 'grooming', 'gold', 'x', 100, '2019-01-01' from generate_series($1::int, $1 + 1999) as n`,
      [from],
    )
  }
  const last = await list({ search: 'plentiful', limit: '100', page: '3' })
  assert.deepEqual([last.totalProducts, last.totalPages, last.products.at(-1)?._id], [250, 3, 'found-351'])
  assert.equal((await list({ search: 'plentiful', limit: '100', page: '4' })).products.length, 0)

  const createdAt = new Date('2018-01-01')
  await makeProduct(shop.database.db, { name: 'Unicorn (xl), 50% wool', createdAt, priceCents: 99_900 })
  const ways: Record<string, string>[] = [
    {},
    { sort: 'price' },
    { sort: '-name' },
    { category: 'casual dress' },
    { minPrice: '999' },
  ]
  for (const way of ways) {
    // Rare words are found however far behind: by parts of words, by beginnings, and beside what no index knows.
    for (const search of ['nicor', 'UNICORN wool', 'unicorn %', 'cas unicorn x'])
      assert.deepEqual(await namesOf({ ...way, search }), ['Unicorn (xl), 50% wool'], search)
    assert.equal((await list({ ...way, search: 'unicorn plentiful' })).totalProducts, 0)
  }
  // Has every three letters of a word that nearly all have, but not the word.
  await makeProduct(shop.database.db, { name: 'Oth the her', description: 'Griffin', createdAt })
  assert.deepEqual(await namesOf({ search: 'the griffin' }), ['Oth the her'])
  assert.deepEqual(await namesOf({ search: 'other griffin' }), [])
  const other = await list({ search: 'other gold', sort: 'oldest', limit: '100' })
  assert.deepEqual([other.totalProducts, other.products.length], [250, 100])
  assert.equal((await list({ search: 'ot' })).totalProducts, 250)
  // Frequent words that are not among the first products are found, too. Not all of their matches are sorted.
  assert.equal((await list({ search: 'other' })).totalProducts, 250)
  // In order of names, all of these come after ten thousand others.
  assert.equal(
    (await list({ search: 'plentiful', sort: 'name', limit: '100' })).products[0]?.name,
    'Plentiful',
  )
})

test('invalid page numbers, limits, prices and encodings are refused, and the error names the parameter', async () => {
  const wrong = [
    '0',
    '-1',
    '1.5',
    'NaN',
    'Infinity',
    '1e3',
    '0x10',
    '',
    ' 1',
    '99999999999999999999',
    '١',
    'null',
  ]
  for (const field of ['page', 'limit']) {
    for (const value of field === 'limit' ? [...wrong, '101'] : wrong) {
      const answer = await shop.call<{ errors: { path: string }[] }>({
        url: '/api/products/',
        query: { [field]: value },
      })
      assert.equal(answer.status, 400, `${field}=${value}`)
      assert.equal(answer.body.errors[0]?.path, field)
    }
  }
  for (const field of ['minPrice', 'maxPrice']) {
    for (const value of ['-1', '1.234', 'NaN', '1e3', '0x1', '$5', '9999999999']) {
      const answer = await shop.call<{ errors: { path: string }[] }>({
        url: '/api/products/',
        query: { [field]: value },
      })
      assert.equal(answer.status, 400, `${field}=${value}`)
      assert.equal(answer.body.errors[0]?.path, field)
    }
  }
  for (const url of [
    '/api/products/?page=1&page=2',
    '/api/products/?search=%00',
    '/api/products/?category=a%00b',
    '/api/products/?page=1&search=%ff',
    '/api/products/?search=a?%ff',
    '/api/products/?search=%c0%80',
    '/api/products/?search=100%',
  ]) {
    const { status, body } = await shop.call<Problem>({ url })
    assert.deepEqual([status, body.errors?.[0]?.path], [400, /(\w+)=[^=]*$/.exec(url)?.[1]], url)
  }
})

test('one product comes with its reviews; unknown, malformed and deleted ones are 404', async () => {
  const product = await makeProduct(shop.database.db, { priceCents: 1234, oldPriceCents: 1500 })
  const found = await shop.call<{ data: { product: Product; reviews: unknown[] } }>({
    url: `/api/products/${product.id}`,
  })
  assert.equal(found.status, 200)
  assert.deepEqual([found.body.data.product.price, found.body.data.product.oldPrice], [12.34, 15])
  assert.deepEqual(found.body.data.reviews, [])
  const gone = await makeProduct(shop.database.db, { deletedAt: new Date() })
  for (const id of [gone.id, 'nothing', '%00', '..%2f..', 'x'.repeat(10_000), '%F0%9F%98%80']) {
    const answer = await shop.call<{ title: string }>({ url: `/api/products/${id}` })
    assert.equal(answer.status, 404, id.slice(0, 40))
    assert.equal(answer.body.title, 'Not found')
  }
})
