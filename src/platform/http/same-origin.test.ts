import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#shop/platform/config.ts'
import { originOf } from './same-origin.ts'

test('a demo accepts loopback origins on its own port, including port 80, and no other origins', () => {
  for (const [PORT, here, elsewhere] of [
    ['3000', 'http://127.0.0.1:3000', 'http://127.0.0.1'],
    ['80', 'http://127.0.0.1', 'http://127.0.0.1:3000'],
    ['3000', 'http://[::1]:3000', 'http://[::2]:3000'],
  ] as const) {
    const config = readConfig({ PORT, DEMO: '1' })
    const origins = [here, elsewhere, 'https://127.0.0.1', 'http://shop.example', 'null', undefined]
    assert.deepEqual(
      origins.map((origin) => originOf({ headers: { origin } }, config)),
      [here, ...Array<string>(5).fill(config.publicUrl)],
    )
  }
})
