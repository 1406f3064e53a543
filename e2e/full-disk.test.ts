import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, open, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { picture } from '#shop/safety/calls.ts'
import { until } from '#shop/testing/until.ts'
import { openLocalStorage } from '#shop/uploads/server/storage.ts'
import { adminHeaders, confirm, openSession, pay, post } from './shop-calls.ts'
import { startShop } from './shop-process.ts'

/** Enough for a shop: of a larger disk it keeps 200 MB free, but of one this small only a twentieth. */
const megabytes = 260

/** Mounts a small disk; undefined where that is not permitted. What can be tested even then: `machine.test.ts`. */
async function makeDisk(size = megabytes): Promise<{ folder: string; remove(): Promise<void> } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'haberdash-disk-'))
  const sudoPrefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...command: string[]) => {
    const [program = '', ...args] = [...sudoPrefix, ...command]
    return spawnSync(program, args).status === 0
  }
  const remove = async () => {
    run('umount', folder)
    await rm(folder, { recursive: true, force: true })
  }
  const owner = `uid=${process.getuid?.()},mode=700`
  if (run('mount', '-t', 'tmpfs', '-o', `size=${size}m,nr_inodes=8000,${owner}`, 'tmpfs', folder))
    return { folder, remove }
  await rm(folder, { recursive: true, force: true })
  return undefined
}

/** Fills the disk but for this many bytes. */
async function fillBut(left: number, disk: string): Promise<() => Promise<void>> {
  const file = join(disk, 'nearly')
  const { bavail, bsize } = await statfs(disk)
  await writeFile(file, Buffer.alloc(bavail * bsize - left, 1))
  return () => rm(file)
}

/** Fills the disk to the last byte. */
async function fill(file: string): Promise<void> {
  const ballast = await open(file, 'w')
  try {
    for (const size of [4_000_000, 4096]) {
      const bytes = Buffer.alloc(size, 1)
      while (await ballast.write(bytes).then(({ bytesWritten }) => bytesWritten === size, isFull)) continue
    }
  } finally {
    await ballast.close()
  }
}

function isFull(error: Error & { code?: string }): false {
  if (error.code !== 'ENOSPC') throw error
  return false
}

/** Makes the database use up its log files, of 16 MB each, until there is no room for another one. */
async function useUpTheLog(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  const use = () => client.query("select pg_logical_emit_message(true, 'x', 'x'), pg_switch_wal()")
  while (
    await use().then(
      () => true,
      () => false,
    )
  )
    continue
  await client.end().catch(() => undefined)
}

test('on a nearly full disk, changes are refused, but reading works and paid orders are recorded', async (t) => {
  const disk = await makeDisk()
  if (!disk) return t.skip('nobody here may make a disk')
  const shop = await startShop({ DATA_DIR: join(disk.folder, 'data'), RATE_LIMITS: 'off' })
  try {
    const paid = await openSession(shop)
    await pay(paid.url)
    const makeRoom = await fillBut(11_000_000, disk.folder)
    const refused = await until(async () => {
      const response = await post(shop, '/api/orders/create-checkout-session', { products: [] })
      return response.status === 503 && response
    })
    assert.equal(refused.headers.get('retry-after'), '60')
    const { code, title } = (await refused.json()) as { code: string; title: string }
    assert.deepEqual({ code, title }, { code: 'no_room', title: 'Error creating checkout' })
    assert.match(shop.output(), /is nearly full/)

    assert.equal((await fetch(`${shop.url}/api/products/?limit=5`)).status, 200)
    const headers = await adminHeaders(shop)
    assert.equal((await fetch(`${shop.url}/api/orders/?limit=100`, { headers })).status, 200)
    const review = { comment: 'Fits well.', rating: 5, productId: 'none', userId: 'none' }
    assert.equal((await post(shop, '/api/reviews/post-review', review, headers)).status, 503)
    assert.equal((await post(shop, '/api/reviews/post-review', review)).status, 401)
    assert.equal((await post(shop, '/api/nowhere', {})).status, 404)
    assert.equal((await confirm(shop, paid.id)).status, 200)

    await makeRoom()
    await until(async () => (await post(shop, '/api/reviews/post-review', review, headers)).status !== 503)
    assert.match(shop.output(), /has room again/)
    await openSession(shop)

    // There is room, but no inode left for a file.
    const { ffree } = await statfs(disk.folder)
    for (let file = 500; file < ffree; file += 1) await writeFile(join(disk.folder, `${file}`), '')
    await until(async () => (await post(shop, '/api/reviews/post-review', review, headers)).status === 503)
    assert.equal((await fetch(`${shop.url}/api/products/?limit=5`)).status, 200)
    // However often the disk is checked, each change is logged once.
    const warnings = shop.output().match(/is nearly full|has room again/g)
    assert.deepEqual(warnings, ['is nearly full', 'has room again', 'is nearly full'])
  } finally {
    await shop.close()
    await disk.remove()
  }
})

test('on a full disk, uploads and payments get 503 and leave nothing half done; with room, they work again', async (t) => {
  const disk = await makeDisk()
  if (!disk) return t.skip('nobody here may make a disk')
  const DATA_DIR = join(disk.folder, 'data')
  const shop = await startShop({ DATA_DIR, RATE_LIMITS: 'off' })
  try {
    const headers = await adminHeaders(shop)
    const upload = () => post(shop, '/uploadImage', { image: picture }, headers)
    const before = await upload()
    assert.equal(before.status, 200)
    const paid = await openSession(shop)
    await pay(paid.url)
    const ballast = join(disk.folder, 'ballast')
    const connection = await findRunningPostgres(DATA_DIR)
    await fill(ballast)

    const refused = await upload()
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(((await refused.json()) as { code: string }).code, 'storage_full')
    assert.deepEqual(
      (await readdir(join(DATA_DIR, 'uploads'))).filter((file) => file.endsWith('.tmp')),
      [],
    )
    const pictureBefore = await fetch(shop.url + (await before.text()))
    assert.equal(pictureBefore.status, 200)

    await useUpTheLog(connection ?? {})
    const full = await until(async () => {
      const response = await confirm(shop, paid.id)
      return response.status === 503 && response
    })
    assert.ok(Number(full.headers.get('retry-after')) > 0)
    const { code } = (await full.json()) as { code: string }
    assert.equal(code, 'database_unavailable')

    await rm(ballast)
    await until(async () => (await fetch(`${shop.url}/health`)).ok)
    const confirmed = await until(async () => {
      const response = await confirm(shop, paid.id)
      return response.ok && response
    })
    const { data } = (await confirmed.json()) as { data: { orderId: string } }
    const orders = await fetch(`${shop.url}/api/orders/?limit=100`, { headers })
    const all = ((await orders.json()) as { data: { orderId: string }[] }).data
    assert.equal(all.filter(({ orderId }) => orderId === data.orderId).length, 1)
    assert.equal((await upload()).status, 200)
    await openSession(shop)
    assert.doesNotMatch(shop.output(), /"status":500/)
  } finally {
    await shop.close()
    await disk.remove()
  }
})

test('a picture is refused when the disk turns out to have no inode left for it, and leaves nothing', async (t) => {
  const disk = await makeDisk(20)
  if (!disk) return t.skip('nobody here may make a disk')
  t.after(() => disk.remove())
  const uploads = join(disk.folder, 'uploads')
  const storage = await openLocalStorage(uploads, () => 0)
  const { ffree } = await statfs(disk.folder)
  for (let file = 0; file < ffree; file += 1) await writeFile(join(disk.folder, `${file}`), '')
  await assert.rejects(storage.save('a.webp', Buffer.alloc(1)), { status: 503, code: 'storage_full' })
  assert.deepEqual(await readdir(uploads), [])
})

test('a shop starts on a disk with too little room for uploads, which it refuses', async (t) => {
  const disk = await makeDisk()
  if (!disk) return t.skip('nobody here may make a disk')
  t.after(() => disk.remove())
  await fillBut(90_000_000, disk.folder)
  const shop = await startShop({ DATA_DIR: join(disk.folder, 'data') })
  try {
    const refused = await post(shop, '/uploadImage', { image: picture }, await adminHeaders(shop))
    assert.equal(refused.status, 503)
    assert.match(await refused.text(), /"code":"storage_full"/)
  } finally {
    await shop.close()
  }
})

for (const [what, megabytes, message] of [
  ['a database', 20, /database cannot be created: No space left on its disk/],
  ['the demo products', 44, /a disk is full \(.*\): make room on it|No space left on its disk/],
] as const) {
  test(`a first start on a disk too small for ${what} fails with a clear message`, async (t) => {
    const disk = await makeDisk(megabytes)
    if (!disk) return t.skip('nobody here may make a disk')
    t.after(() => disk.remove())
    const starting = startShop({ DATA_DIR: join(disk.folder, 'data') })
    await assert.rejects(starting, message)
  })
}
