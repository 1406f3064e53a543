import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { fuzz } from './run.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

test('random requests by every role get documented responses and leave the data consistent', async () => {
  const { violations, statuses } = await fuzz(shop, { requests: 1200, seed: '1' })
  assert.deepEqual(violations, [])
  for (const status of [200, 201, 400, 401, 403, 404, 409])
    assert.ok(statuses[status], `${status} was never answered`)
})
