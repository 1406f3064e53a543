import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { runRace, type RaceName } from './races.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

/** The short form; the long one is `npm run races`. */
const rounds: Record<RaceName, number> = { payment: 5, 'last admin': 12, profile: 12 }
for (const name of Object.keys(rounds) as RaceName[]) {
  test(`concurrent requests end in a consistent state: ${name}`, async () => {
    assert.deepEqual(await runRace(shop, name, rounds[name]), [])
  })
}
