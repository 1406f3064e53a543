import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { eq } from 'drizzle-orm'
import type { DatedProduct, Product } from '#shop/catalogue/contract.ts'
import { updateCategories } from '#shop/catalogue/choices.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { products } from './tables.ts'

type Problem = {
  title: string
  code: string
  data: DatedProduct
  errors?: { path: string; message: string }[]
}
type Answered = { data: DatedProduct; message: string } & Problem
type Caller = Awaited<ReturnType<typeof makeUser>>

let shop: TestApp
let admin: Caller
let customer: Caller
before(async () => {
  shop = await startTestApp()
  admin = await makeUser(shop.database.db, { role: 'admin' })
  customer = await makeUser(shop.database.db)
})
after(() => shop.close())

const full = { name: 'Coat', category: 'formal dress', description: 'Warm.', price: 19.99, color: 'black' }
const create = (fields: object = {}, headers: Record<string, string> = admin.headers) =>
  shop.call<Answered>({
    method: 'POST',
    url: '/api/products/create-product',
    payload: { ...full, ...fields },
    headers,
  })
const update = (id: string, payload: object, headers: Record<string, string> = admin.headers) =>
  shop.call<Answered>({ method: 'PATCH', url: `/api/products/update-product/${id}`, payload, headers })
const remove = (id: string, headers: Record<string, string> = admin.headers) =>
  shop.call<Answered>({ method: 'DELETE', url: `/api/products/${id}`, headers })
const list = (query: string) =>
  shop.call<{ data: { products: Product[]; totalProducts: number } }>({ url: `/api/products/?${query}` })
const rowOf = async (id: string) =>
  (await shop.database.db.select().from(products).where(eq(products.id, id)))[0]
const all = () => shop.database.db.select().from(products).orderBy(products.id)

describe('create-product', () => {
  test('creates a product from the given fields and ignores fields that only the shop sets', async () => {
    const extras = {
      author: customer.user.id,
      rating: 5,
      _id: 'mine',
      createdAt: '2001-01-01T00:00:00Z',
      deletedAt: 'x',
    }
    const { status, body } = await create({
      ...extras,
      oldPrice: 29.5,
      image: '/uploads/a.webp',
      category: 'Formal Dress',
    })
    assert.equal(status, 201)
    assert.equal(body.message, 'Product added successfully!')
    const { _id, createdAt, updatedAt, ...rest } = body.data
    const given = { ...full, oldPrice: 29.5, image: '/uploads/a.webp' }
    assert.deepEqual(rest, { ...given, author: admin.user.id, rating: 0, views: [] })
    assert.notEqual(_id, 'mine')
    assert.ok(Date.parse(createdAt) > Date.now() - 60_000 && updatedAt)
    assert.equal((await rowOf(_id))?.priceCents, 1999)
    assert.equal((await list('limit=1')).body.data.products[0]?._id, _id)
  })

  test('refuses visitors and customers before validating the body, and creates nothing', async () => {
    const before = await all()
    assert.equal((await create({ name: '' }, {})).status, 401)
    const refused = await create({ name: '' }, customer.headers)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.title, 'Access denied! You must be an admin')
    assert.deepEqual(await all(), before)
  })

  test('refuses a missing or blank value in any of the five required fields, and names the field', async () => {
    const before = await all()
    for (const name of ['name', 'category', 'price', 'color', 'description']) {
      for (const value of [undefined, '', null, ...(name === 'price' ? [] : ['  ', '\u200b \u3164'])]) {
        const { status, body } = await create({ [name]: value })
        assert.equal(status, 400, `${name} ${value}`)
        assert.equal(body.title, 'Please fill in all fields.')
        const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
        assert.deepEqual(body.errors, [{ path: name, message: `${label} is required` }])
      }
    }
    assert.deepEqual(await all(), before)
  })

  test('refuses invalid prices, categories, colors, picture addresses and texts', async () => {
    const prices = [0, -0, -1, 0.001, 0.009, 1_000_000, 19.999, 1e21, '12', true, [5], {}, '0x1F']
    const bad = [
      ...prices.map((price) => ({ price })),
      ...[0, -1, 'x', 0.005].map((oldPrice) => ({ oldPrice })),
      ...['all', 'shoes', 7].map((category) => ({ category })),
      ...['all', 'pink', {}].map((color) => ({ color })),
      ...['javascript:alert(1)', 'http://example.com/a.png', 'data:image/png;base64,', 7].map((image) => ({
        image,
      })),
      { name: 'x'.repeat(121) },
      { name: 'a\u0000b' },
      { description: 'x'.repeat(5001) },
      { description: 'half \ud800' },
    ]
    for (const fields of bad) {
      const { status, body } = await create(fields)
      assert.equal(status, 400, JSON.stringify(fields))
      assert.equal(body.title, 'Invalid input', JSON.stringify(fields))
    }
    const { errors } = (await create({ oldPrice: 'x', image: 7 })).body
    assert.deepEqual(
      errors?.map(({ path, message }) => `${path} ${message}`),
      ['oldPrice must be a number', 'image must be text'],
    )
  })

  test('returns prices to the cent, and accepts the update form’s categories and empty optional fields', async () => {
    for (const price of [0.01, 0.07, 0.1, 1.1, 4.35, 19.99, 1000.29, 123456.78, 999_999.99]) {
      assert.equal((await create({ price, oldPrice: price })).body.data.price, price)
    }
    for (const category of updateCategories) assert.equal((await create({ category })).status, 201)
    for (const fields of [
      { image: '' },
      { image: null },
      { oldPrice: null },
      { oldPrice: '' },
      { image: 'https://example.com/a.png' },
    ]) {
      assert.equal((await create(fields)).status, 201)
    }
  })
})

describe('create-product with an idempotency key', () => {
  const keyed = (key: string, fields: object = {}, who = admin) =>
    create(fields, { ...who.headers, 'idempotency-key': key })

  test('creates one product for repeated requests and refuses a different one, until the key expires after a day', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => keyed('double-click')))
    assert.ok(answers.every(({ status }) => status === 201))
    const made = new Set(answers.map(({ body }) => body.data._id))
    assert.equal(made.size, 1)
    const other = await keyed('double-click', { price: 20 })
    assert.deepEqual([other.status, other.body.code], [409, 'key_reused'])
    const [id = ''] = made
    assert.equal((await update(id, { price: 30 })).status, 200)
    assert.equal((await keyed('double-click')).body.data.price, 30)
    const another = await keyed('double-click', { name: 'Shoes' })
    assert.deepEqual([another.status, another.body.code], [409, 'key_reused'])
    const deletedAt = new Date()
    await shop.database.db.update(products).set({ deletedAt }).where(eq(products.id, id))
    assert.equal((await keyed('double-click')).body.code, 'key_reused')
    const createdAt = new Date(Date.now() - 25 * 3_600_000)
    await shop.database.db.update(products).set({ createdAt }).where(eq(products.id, id))
    const [again, onceMore] = [await keyed('double-click'), await keyed('double-click')]
    assert.notEqual(again.body.data._id, id)
    assert.equal(onceMore.body.data._id, again.body.data._id)
  })

  test('keeps the keys of admins apart, refuses overlong keys, and creates a product per call without a key', async () => {
    const another = await makeUser(shop.database.db, { role: 'admin' })
    const [mine, theirs] = [await keyed('the same key'), await keyed('the same key', {}, another)]
    assert.deepEqual([mine.status, theirs.status], [201, 201])
    assert.notEqual(mine.body.data._id, theirs.body.data._id)
    assert.notEqual((await create()).body.data._id, (await create()).body.data._id)
    assert.equal((await keyed('k'.repeat(256))).status, 400)
  })
})

describe('update-product', () => {
  test('stores further pictures, refuses invalid ones, and returns them with the product but not in lists', async () => {
    const views = ['/uploads/b.webp', 'https://example.com/c.png']
    const { _id, updatedAt } = (await create({ image: '/uploads/a.webp', views })).body.data
    const page = () => shop.call<{ data: { product: DatedProduct } }>({ url: `/api/products/${_id}` })
    assert.deepEqual((await page()).body.data.product.views, views)
    const listed = (await list('limit=1')).body.data.products[0]
    assert.deepEqual([listed?._id, listed && 'views' in listed], [_id, false])
    for (const refused of [['javascript:alert(1)'], [''], 'x', Array.from({ length: 9 }, () => views[0])]) {
      const { status, body } = await update(_id, { views: refused })
      assert.equal(status, 400, JSON.stringify(refused))
      assert.match(body.errors?.[0]?.path ?? '', /^views/)
    }
    assert.equal((await page()).body.data.product.updatedAt, updatedAt)
    await update(_id, { price: 1 })
    assert.deepEqual((await page()).body.data.product.views, views)
    await update(_id, { views: views.slice(1) })
    assert.deepEqual((await page()).body.data.product.views, views.slice(1))
  })

  test('makes the product searchable by its new words at once, and no longer by the old ones', async () => {
    const { _id } = (await create({ name: 'Balaclava' })).body.data
    const foundBy = async (word: string) =>
      (await list(`search=${word}`)).body.data.products.map((product) => product._id)
    assert.deepEqual(await foundBy('laclav'), [_id])
    // A word that is too long for any index.
    const longest = randomBytes(2490).toString('hex')
    await update(_id, { name: 'Trilby', description: `Fedora ${longest}` })
    const parts = [0, 120, 180, 2000, 4880].map((from) => longest.slice(from, from + 100))
    for (const word of ['rilby', 'FEDORA', ...parts]) assert.deepEqual(await foundBy(word), [_id], word)
    assert.deepEqual(await foundBy('balaclava'), [])
  })

  test('changes the given fields and leaves the rest', async () => {
    const made = await makeProduct(shop.database.db, {
      oldPriceCents: 9900,
      rating: 4.5,
      image: '/uploads/a.webp',
    })
    const { status, body } = await update(made.id, {
      _id: made.id,
      price: 12.5,
      rating: 1,
      author: 'me',
      createdAt: 'x',
    })
    assert.equal(status, 200)
    assert.equal(body.message, 'Product updated successfully!')
    assert.ok(Date.parse(body.data.updatedAt) > made.updatedAt.getTime())
    const after = await rowOf(made.id)
    assert.deepEqual(after, { ...made, priceCents: 1250, updatedAt: after?.updatedAt })
    await update(made.id, { id: made.id, oldPrice: '', image: '', category: 'Jewellery', name: ' New  ' })
    const last = await rowOf(made.id)
    const cleared = { oldPriceCents: null, image: null, category: 'jewellery', name: 'New' }
    assert.deepEqual(last, { ...after, ...cleared, updatedAt: last?.updatedAt })
  })

  test('refuses non-admins, another id in the body, invalid values, and unknown or deleted products', async () => {
    const made = await makeProduct(shop.database.db)
    assert.equal((await update(made.id, { price: 1 }, {})).status, 401)
    assert.equal((await update(made.id, { price: 1 }, customer.headers)).status, 403)
    for (const fields of [{ _id: 'other' }, { id: 'other' }, { price: 0 }, { name: '' }, { color: 'pink' }]) {
      const { status, body } = await update(made.id, { description: 'Changed', ...fields })
      assert.deepEqual([status, body.errors?.[0]?.path], [400, Object.keys(fields)[0]])
    }
    assert.equal((await update('unknown', { price: 1 })).status, 404)
    assert.equal((await update('%00', { price: 1 })).status, 404)
    assert.deepEqual(await rowOf(made.id), made)
    await remove(made.id)
    assert.equal((await update(made.id, { price: 1 })).status, 404)
  })

  test('with If-Match, one of several concurrent updates succeeds; the others get 412 and the current product', async () => {
    const made = await makeProduct(shop.database.db)
    const seen = (version: string) => ({ ...admin.headers, 'if-match': version })
    let updatedAt = made.updatedAt.toISOString()
    for (let round = 0; round < 5; round += 1) {
      const prices = Array.from({ length: 12 }, (_, index) => index + 1)
      const version = seen(`"${updatedAt}"`)
      const answers = await Promise.all(prices.map((price) => update(made.id, { price }, version)))
      const winner = answers.find(({ status }) => status === 200)
      const losers = answers.filter(({ status, body }) => status === 412 && body.code === 'stale')
      assert.equal(losers.length, 11)
      for (const { body } of losers) assert.deepEqual(body.data, winner?.body.data)
      updatedAt = winner?.body.data.updatedAt ?? ''
    }
    assert.equal((await update(made.id, { price: 9 }, seen(`"${updatedAt}"`))).status, 200)
    assert.equal((await update(made.id, { price: 7 }, seen('*'))).status, 200)
    // In a body this is a field like any unknown one.
    for (const updatedAt of [made.updatedAt.toISOString(), 'x', null])
      assert.equal((await update(made.id, { price: 6, updatedAt })).status, 200)
    assert.equal((await update(made.id, { price: 8 })).status, 200)
  })
})

test('a deleted product leaves the shop, and its row stays', async () => {
  const made = await makeProduct(shop.database.db)
  assert.equal((await remove(made.id, {})).status, 401)
  assert.equal((await remove(made.id, customer.headers)).status, 403)
  assert.equal((await shop.call({ url: `/api/products/${made.id}` })).status, 200)
  const { status, body } = await remove(made.id)
  assert.equal(status, 200)
  assert.equal(body.message, 'Product deleted successfully!')
  assert.equal((await remove(made.id)).status, 404)
  assert.equal((await shop.call({ url: `/api/products/${made.id}` })).status, 404)
  const shown = (await list('limit=100')).body.data.products
  assert.ok(!shown.some(({ _id }) => _id === made.id))
  const row = await rowOf(made.id)
  assert.ok(row?.deletedAt)
  assert.deepEqual({ ...row, deletedAt: null }, made)
})

test('the list can be sorted by date, name and price, and refuses an unknown sort order', async () => {
  for (const [name, priceCents] of [
    ['b sorted', 300],
    ['A sorted', 200],
    ['c sorted', 100],
  ] as const) {
    await makeProduct(shop.database.db, { name, priceCents })
  }
  const names = async (sort: string) =>
    (await list(`search=sorted&sort=${sort}`)).body.data.products.map(({ name }) => name[0]).join('')
  assert.deepEqual(await Promise.all(['newest', 'oldest', 'name', '-name', 'price', '-price'].map(names)), [
    'cAb',
    'bAc',
    'Abc',
    'cbA',
    'cAb',
    'bAc',
  ])
  assert.equal((await list('sort=price;drop')).status, 400)
})

test('the database refuses to insert a product with an invalid id or rating, and lists still work', async () => {
  for (const { id = 'fine', rating = 0 } of [
    { id: 'a b' },
    { id: '' },
    { id: 'ö' },
    { id: 'x'.repeat(256) },
    { rating: 5.1 },
  ])
    await assert.rejects(
      shop.database.pool.query(
        `insert into products (id, name, category, color, description, price_cents, rating)
        values ($1, 'Coat', 'grooming', 'blue', 'x', 1, $2)`,
        [id, rating],
      ),
      /violates check constraint "products_(id|rating)"/,
    )
  assert.equal((await list('')).status, 200)
})

test('an import looks its words up by index and never scans the word table, however many words it adds', async (t) => {
  const client = await shop.database.pool.connect()
  t.after(() => client.release(true))
  const wordsRead = async () => {
    const { rows } = await client.query<{ read: number }>(
      `select seq_tup_read::int as read from pg_stat_xact_user_tables where relname = 'product_words'`,
    )
    return rows[0]?.read ?? 0
  }
  await client.query('begin')
  const readBefore = await wordsRead()
  for (let from = 0; from < 2000; from += 200)
    await client.query(
      `insert into products (id, name, category, color, description, price_cents)
      select 'imported-' || n, 'Import' || n, 'grooming', 'blue', 'x', 1 from generate_series($1::int, $1 + 199) as n`,
      [from],
    )
  assert.equal(await wordsRead(), readBefore)
  await client.query('commit')
  const found = await list('search=import1999')
  assert.deepEqual(
    found.body.data.products.map(({ _id }) => _id),
    ['imported-1999'],
  )
})
