import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import type { Product } from '#shop/catalogue/contract.ts'
import { buildApp } from '#shop/app.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { lockTable } from '#shop/testing/lock-table.ts'
import { exchange } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { openDatabase } from './database.ts'

/** Two processes of one shop would share its database in the same way as these two servers do. */
let shop: TestApp
let other: { url: string; close(): Promise<void> }
let admin: Awaited<ReturnType<typeof makeUser>>
before(async () => {
  shop = await startTestApp()
  other = await openSecond()
  admin = await makeUser(shop.database.db, { role: 'admin' })
})
after(async () => {
  await other.close()
  await shop.close()
})

async function openSecond() {
  const database = openDatabase(shop.database.connection, () => {})
  const app = await buildApp({ ...shop, database })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const close = async () => {
    await app.close()
    await database.close()
  }
  return { url, close }
}

type One = { data: { product: Product; reviews: { userId: { username: string } }[] } }
async function read<T>(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers })
  const body = (response.status === 200 ? await response.json() : undefined) as T
  return { status: response.status, headers: response.headers, body }
}
const write = (base: string, method: string, path: string, body: unknown, headers = admin.headers) =>
  fetch(base + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The second answer at an address comes from the cache that the first one has filled. */
async function readTwice(address: string): Promise<void> {
  await read(address)
  await read(address)
}

/**
 * Waits for two proofs of each process, which begins one only when it has handled every change before the last.
 */
async function waitForProofs(): Promise<void> {
  const listProofs = async () => {
    const { rows } = await shop.database.pool.query<{ at: string }>(
      `select query_start::text as at from pg_stat_activity
        where datname = current_database() and application_name = 'haberdash listener'`,
    )
    return rows
  }
  for (let times = 0; times < 2; times += 1) {
    const before = new Set((await listProofs()).map(({ at }) => at))
    await until(async () => (await listProofs()).every(({ at }) => !before.has(at)))
  }
}

test('after each of many price changes, the very next read in both processes has the new price', async () => {
  const { id } = await makeProduct(shop.database.db)
  const addresses = [shop.url, other.url].map((base) => `${base}/api/products/${id}`)
  for (let cents = 1; cents <= 12; cents += 1) {
    await Promise.all(addresses.map(readTwice))
    const writer = cents % 2 ? shop.url : other.url
    const changed = await write(writer, 'PATCH', `/api/products/update-product/${id}`, { price: cents })
    assert.equal(changed.status, 200)
    const seen = await Promise.all(addresses.map((address) => read<One>(address)))
    assert.deepEqual(
      seen.map(({ body }) => body.data.product.price),
      [cents, cents],
    )
  }
})

/** A connection to the database that tells the client another backend pid than it has. */
function poolerLine(): Socket {
  const socket = new Socket()
  const keyOfBackend = Buffer.from([0x4b, 0, 0, 0, 12])
  socket.on('data', (bytes: Buffer) => {
    const at = bytes.indexOf(keyOfBackend)
    if (at >= 0) bytes.writeInt32BE(1, at + keyOfBackend.length)
  })
  return socket
}

test('a process hears of its own changes even when a pooler reports a different backend pid', async (t) => {
  const { db, ownChanges, close } = openDatabase(
    { ...shop.database.connection, stream: poolerLine },
    () => {},
  )
  t.after(close)
  const heard = once(ownChanges, 'change')
  await makeProduct(db)
  await heard
})

test('a new review, a renamed author and a deleted product show at once in the other process', async () => {
  const { id } = await makeProduct(shop.database.db)
  const { user, headers } = await makeUser(shop.database.db)
  const address = `${other.url}/api/products/${id}`
  const list = `${other.url}/api/products/?limit=100`
  const names = async () => (await read<One>(address)).body.data.reviews.map(({ userId }) => userId.username)
  await Promise.all([address, list].map(readTwice))
  await write(shop.url, 'POST', '/api/reviews/post-review', { productId: id, rating: 4 }, headers)
  assert.deepEqual(await names(), [user.username])
  const profile = {
    username: 'Renamed',
    profileImage: 'https://example.com/a.png',
    bio: 'b',
    profession: 'p',
  }
  await write(shop.url, 'PATCH', `/api/auth/edit-profile/${user.id}`, profile, headers)
  assert.deepEqual(await names(), ['Renamed'])
  await write(shop.url, 'DELETE', `/api/products/${id}`, {})
  assert.equal((await read(address)).status, 404)
  const { body } = await read<{ data: { products: Product[] } }>(list)
  assert.ok(body.data.products.every(({ _id }) => _id !== id))
})

test('a cached product is served in every encoding while its table is locked, and is no-store with credentials', async (t) => {
  const { id } = await makeProduct(shop.database.db, { description: 'long '.repeat(300) })
  const path = `/api/products/${id}`
  const encodings = ['identity', 'gzip', 'br']
  // With the clock stopped, no proof of hearing is too old, however long the rest takes.
  const stoppedAt = performance.now()
  t.mock.method(performance, 'now', () => stoppedAt)
  await waitForProofs()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const encoding of encodings) await read(shop.url + path, { 'accept-encoding': encoding })
  const products = await lockTable(shop.database, 'products')
  try {
    for (const encoding of encodings) {
      const headers = { 'accept-encoding': encoding }
      const cached = await read<One>(shop.url + path, headers)
      assert.equal(cached.body.data.product._id, id)
      assert.equal(cached.headers.get('content-encoding') ?? 'identity', encoding)
      assert.equal(cached.headers.get('cache-control'), 'no-cache')
      assert.equal(cached.headers.get('vary'), 'accept-encoding')
      assert.match(cached.headers.get('content-security-policy') ?? '', /default-src/)
      const tag = cached.headers.get('etag') ?? ''
      const again = await read(shop.url + path, { ...headers, 'if-none-match': `"x", ${tag}` })
      assert.deepEqual([again.status, again.headers.get('etag')], [304, tag])
      const withSession = await read(shop.url + path, { ...admin.headers, ...headers, 'if-none-match': tag })
      assert.deepEqual([withSession.status, withSession.headers.get('content-encoding')], [304, null])
    }
    const { body, headers } = await read<One>(shop.url + path, admin.headers)
    assert.deepEqual([body.data.product._id, headers.get('cache-control')], [id, 'no-store'])
    const cacheControl = async (cookie: string) =>
      (await read(shop.url + path, { cookie })).headers.get('cache-control')
    for (const cookie of ['sid=x', 'a=b; sid=x', 'a=b;sid =x', '__Host-sid=x'])
      assert.equal(await cacheControl(cookie), 'no-store', cookie)
    assert.equal(await cacheControl('__stripe_mid=x; __stripe_sid=y'), 'no-cache')
  } finally {
    await products.release()
  }
})

test('a cached response is the same on the wire as the original, except for its date', async () => {
  const { id } = await makeProduct(shop.database.db, { description: 'dress '.repeat(300) })
  const ask = async (version: string, count: number) => {
    const fields = `Host: localhost\r\nAccept-Encoding: identity\r\n`
    const request = `GET /api/products/${id} HTTP/${version}\r\n${fields}`
    const last = `${request}Connection: close\r\n\r\n`
    return (await exchange(shop.url, `${request}\r\n`.repeat(count - 1) + last)).split(/(?=HTTP\/1\.1 \d)/)
  }
  const parts = (answer: string | undefined) => {
    const [head = '', body] = (answer ?? '').split('\r\n\r\n')
    const [first, ...lines] = head.split('\r\n')
    const others = lines.filter((line) => !/^(date|keep-alive): /i.test(line))
    return [first, ...others.map((line) => line.toLowerCase()).sort(), body]
  }
  const [rendered] = await ask('1.1', 1)
  // Three requests at once on one connection, of which the last closes it, and one of HTTP/1.0.
  const cached = [...(await ask('1.1', 3)), ...(await ask('1.0', 1))]
  assert.equal(cached.length, 4)
  const [alive, , closing, old] = cached.map(parts)
  assert.deepEqual(closing, parts(rendered))
  assert.deepEqual(old, parts(rendered))
  assert.deepEqual(
    alive?.map((line) => line?.replace('keep-alive', 'close')),
    parts(rendered),
  )
})

test('a process whose change listener is disconnected serves no outdated price', async () => {
  const { pool, db } = shop.database
  const { id } = await makeProduct(db)
  const address = `${other.url}/api/products/${id}`
  for (let cents = 1; cents <= 5; cents += 1) {
    await readTwice(address)
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'haberdash listener' and datname = current_database()`)
    const path = `/api/products/update-product/${id}`
    assert.equal((await write(shop.url, 'PATCH', path, { price: cents })).status, 200)
    assert.equal((await read<One>(address)).body.data.product.price, cents)
  }
})
