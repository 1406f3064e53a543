import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Product } from '#shop/catalogue/contract.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

type List = {
  data: { products: Product[]; totalPages: number; totalProducts: number; page: number; limit: number }
}

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const list = async (query: Record<string, string>) =>
  (await shop.call<List>({ url: '/api/products', query })).body.data
const namesOf = async (query: Record<string, string>) => (await list(query)).products.map(({ name }) => name)

test('over all pages every product appears exactly once, newest first, ties in a stable order', async () => {
  const createdAt = new Date('2026-01-01')
  const category = 'grooming'
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

test('filters by category, color and price, both ends included, in any case; `all` and nothing mean no filter', async () => {
  const db = shop.database.db
  const category = 'formal dress'
  await makeProduct(db, { name: 'fifty', category, color: 'red', priceCents: 5000 })
  await makeProduct(db, { name: 'hundred', category, color: 'red', priceCents: 10_000 })
  await makeProduct(db, { name: 'more', category, color: 'gold', priceCents: 10_001 })
  await makeProduct(db, { name: 'deleted', category, color: 'gold', deletedAt: new Date() })
  assert.deepEqual((await namesOf({ category })).sort(), ['fifty', 'hundred', 'more'])
  assert.deepEqual(await namesOf({ category: 'Formal Dress', color: 'GOLD' }), ['more'])
  assert.deepEqual((await namesOf({ category, minPrice: '50', maxPrice: '100' })).sort(), [
    'fifty',
    'hundred',
  ])
  assert.deepEqual(await namesOf({ category, minPrice: '100.01' }), ['more'])
  assert.deepEqual(await namesOf({ category, minPrice: '100', maxPrice: '50' }), [])
  assert.deepEqual(await namesOf({ category: 'nowhere' }), [])
  const everything = (await list({})).totalProducts
  assert.equal(
    (await list({ category: 'all', color: '', minPrice: '', maxPrice: '' })).totalProducts,
    everything,
  )
})

test('search finds every word in name, description, category or color, and takes signs for themselves', async () => {
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
  for (const search of ["' or 1=1 --", 'zephyr%wool', 'zephyr_'])
    assert.deepEqual(await namesOf({ search }), [])
})

test('what is not a number in range is refused by name', async () => {
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
  ]) {
    assert.equal((await shop.call({ url })).status, 400, url)
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
