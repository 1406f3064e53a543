import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

/** Returns the body as it was sent, still compressed. */
async function ask(url: string, requestHeaders: Record<string, string>) {
  const { rawPayload, headers } = await shop.app.inject({ url, headers: requestHeaders })
  return { bytes: rawPayload, headers }
}

test('an admin’s list is compressed as the client accepts, with matching headers', async () => {
  const admin = await makeUser(shop.database.db, { role: 'admin' })
  for (let n = 0; n < 20; n += 1) await makeUser(shop.database.db)
  const url = '/api/auth/users?limit=100'
  const plain = await ask(url, admin.headers)
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const [encoding, expand] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { bytes, headers } = await ask(url, { ...admin.headers, 'accept-encoding': encoding })
    assert.equal(headers['content-encoding'], encoding)
    assert.equal(headers.vary, 'accept-encoding')
    assert.equal(headers['content-length'], `${bytes.length}`)
    assert.ok(bytes.length < plain.bytes.length / 2, `${bytes.length} of ${plain.bytes.length}`)
    assert.deepEqual(expand(bytes), plain.bytes)
  }
})

test('a short response is not compressed, and a cached one is compressed only once', async () => {
  const short = await ask('/api/auth/me', { 'accept-encoding': 'br' })
  assert.equal(short.headers['content-encoding'], undefined)
  assert.match(short.bytes.toString(), /"status":401/)
  const document = await ask('/api/openapi.json', { 'accept-encoding': 'br' })
  assert.match(brotliDecompressSync(document.bytes).toString(), /^\{"openapi"/)
  // Only a cached answer has an `ETag`.
  assert.ok(document.headers.etag)
})
