import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { fillDemo } from './demo.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

test('a demo whose admin would be one of its customers is not filled, and says which variable is wrong', async () => {
  const { db } = shop.database
  const kept: string[] = []
  const storage = {
    save: async (name: string) => void kept.push(name),
    read: async () => undefined,
    has: async () => false,
  }
  for (const email of ['customer@haberdash.example', 'theo.runs@haberdash.example'])
    await assert.rejects(
      fillDemo(db, { email, password: 'secret-of-ours' }, storage),
      /^StartError: ADMIN_EMAIL /,
    )
  assert.deepEqual([await db.$count(users), await db.$count(products)], [0, 0])
  await fillDemo(db, { email: 'owner@haberdash.example', password: 'secret-of-ours' }, storage)
  assert.ok((await db.$count(products)) > 0 && kept.length > 0)
})
