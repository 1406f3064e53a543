import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { transaction } from '#shop/platform/statements.ts'
import { makeProduct } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const locations = (xml: string) =>
  [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

/** With ids as an import may bring them, and without the triggers that keep totals, which are not needed here. */
async function addProducts(from: number, to: number): Promise<void> {
  await transaction(shop.database.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (let next = from; next < to; next += batch) {
      await tx.execute(sql`
        insert into products (id, name, category, description, price_cents, color)
        select 'SKU.' || md5(n::text), 'Product ' || n, 'grooming', 'One of many.', 1000, 'blue'
        from generate_series(${next}::int, ${Math.min(next + batch, to) - 1}::int) n`)
    }
  })
}

async function assertCompressed(url: string) {
  const plain = await shop.app.inject({ url })
  for (const [encoding, expand] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { rawPayload, headers } = await shop.app.inject({ url, headers: { 'accept-encoding': encoding } })
    assert.equal(headers['content-encoding'], encoding)
    assert.equal(headers.vary, 'accept-encoding')
    assert.ok(rawPayload.length < plain.rawPayload.length / 2)
    assert.equal(expand(rawPayload).toString(), plain.body)
  }
}

/** Rows in one statement, which must not take long. */
const batch = 1000

test('in a large shop the sitemap is an index of files of at most 50,000 addresses, with each product once', async () => {
  await addProducts(0, 46_000)
  await makeProduct(shop.database.db, { deletedAt: new Date() })
  const { body: index } = await shop.call<string>({ url: '/sitemap.xml' })
  assert.match(index, /<sitemapindex xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">/)
  const files = locations(index)
  assert.equal(files.length, 3)

  // A product that was added after the index was read is in one of the files, too.
  await addProducts(46_000, 47_000)
  const named: string[] = []
  for (const file of files) {
    const { status, body } = await shop.call<string>({ url: file.replace(shop.config.publicUrl, '') })
    assert.equal(status, 200)
    const addresses = locations(body)
    assert.ok(addresses.length <= 50_000)
    named.push(...addresses)
  }
  const [, , last = ''] = files
  await assertCompressed(last.replace(shop.config.publicUrl, ''))
  const products = named.filter((address) => address.startsWith(`${shop.config.publicUrl}/shop/`))
  assert.equal(products.length, 47_000)
  assert.equal(new Set(products).size, 47_000)
})

test('a HEAD request reads only the beginning of a sitemap file from the database', async () => {
  const { app, database } = shop
  let queries = 0
  database.pool.on('acquire', () => (queries += 1))
  const ask = (method: 'GET' | 'HEAD') =>
    app.inject({ method, url: '/sitemaps/products.xml', headers: { 'accept-encoding': 'br' } })
  await ask('GET')
  const toTheEnd = queries
  assert.ok(toTheEnd > 5)
  const { statusCode, headers } = await ask('HEAD')
  assert.deepEqual([statusCode, headers['content-type']], [200, 'application/xml; charset=utf-8'])
  // By the end of this, the rest of the file for HEAD would have been read too.
  await ask('GET')
  assert.ok(queries <= 2 * toTheEnd + 2, `${queries} queries, ${toTheEnd} for a whole file`)
})

test('concurrent requests for sitemap files read one piece at a time from the database', async () => {
  const { app, database } = shop
  let [now, most] = [0, 0]
  const acquired = () => (most = Math.max(most, (now += 1)))
  const released = () => (now -= 1)
  database.pool.on('acquire', acquired).on('release', released)
  const all = await Promise.all(
    Array.from({ length: 6 }, () => app.inject({ url: '/sitemaps/products.xml' })),
  )
  database.pool.off('acquire', acquired).off('release', released)
  for (const { statusCode, body } of all) {
    assert.equal(statusCode, 200)
    assert.equal(body, all[0]?.body)
  }
  assert.equal(most, 1)
})

test('a sitemap file that fails before its first piece is answered with an uncompressed JSON error', async () => {
  await shop.database.pool.query('alter table products rename to gone')
  const ask = (encoding: string) =>
    fetch(`${shop.url}/sitemaps/products.xml`, { headers: { 'accept-encoding': encoding } })
  const answers = [await ask('br'), await ask('identity')]
  await shop.database.pool.query('alter table gone rename to products')
  for (const answer of answers) {
    assert.equal(answer.status, 500)
    assert.equal(answer.headers.get('content-encoding'), null)
    assert.match(await answer.text(), /^\{.*"code":"internal"/)
  }
})
