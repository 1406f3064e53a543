import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Product } from '#shop/catalogue/contract.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { trendingProducts } from './tables.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

async function trending(): Promise<string[]> {
  const url = '/api/products/trending'
  const { status, body } = await shop.call<{ data: { products: Product[] } }>({ url })
  assert.equal(status, 200)
  return body.data.products.map(({ name }) => name)
}

test('the demo’s trending products stay first; deleted ones are replaced by the newest other products', async () => {
  const { db } = shop.database
  const { headers } = await makeUser(db, { role: 'admin' })
  const add = async (name: string) => {
    const payload = { name, category: 'formal dress', description: 'Warm.', price: 20, color: 'black' }
    const url = '/api/products/create-product'
    assert.equal((await shop.call({ method: 'POST', url, payload, headers })).status, 201)
  }
  assert.deepEqual(await trending(), [])

  const makeOfDay = (day: number) =>
    makeProduct(db, { name: `day ${day}`, createdAt: new Date(Date.UTC(2020, 0, day)) })
  const made = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(makeOfDay))
  await add('first of the new')
  await makeProduct(db, { name: 'gone', deletedAt: new Date() })
  const days = (...names: number[]) => names.map((day) => `day ${day}`)
  assert.deepEqual(await trending(), ['first of the new', ...days(9, 8, 7, 6, 5, 4)])

  // As in the demo: the newest of its own products, in its order.
  const first = made.toReversed().slice(0, 7)
  await db.insert(trendingProducts).values(first.map(({ id }, place) => ({ productId: id, place })))
  await add('another')
  assert.deepEqual(await trending(), days(9, 8, 7, 6, 5, 4, 3))

  const { status } = await shop.call({ method: 'DELETE', url: `/api/products/${first[1]?.id}`, headers })
  assert.equal(status, 200)
  assert.deepEqual(await trending(), [...days(9, 7, 6, 5, 4, 3), 'another'])
})
