import assert from 'node:assert/strict'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { startShop } from './shop-process.ts'

test('damaged database files stop the start with a one-line error and are left unchanged', async (t) => {
  const shop = await startShop()
  t.after(() => shop.close())
  const client = new pg.Client(await findRunningPostgres(shop.dataDir))
  await client.connect()
  // Read by every connection, only by the shop, and not before somebody pays.
  const { rows } = await client.query<{ path: string }>(
    `select pg_relation_filepath(name) as path from unnest('{pg_database_oid_index, drizzle.__drizzle_migrations, orders}'::text[]) as name`,
  )
  await client.end()
  await shop.stop()
  for (const { path } of rows) {
    const file = join(shop.dataDir, 'postgres', path)
    const whole = await readFile(file)
    const damaged = Buffer.from(whole.map((byte, index) => (index % 100 === 50 ? byte ^ 0xff : byte)))
    await write(file, damaged)
    await assert.rejects(
      shop.start(),
      /^Error: The shop did not start: The shop cannot start: The database is damaged \(.+\): put back a copy, .+\n$/,
    )
    assert.deepEqual(await readFile(file), damaged)
    await write(file, whole)
  }
  await shop.start()
  assert.equal((await fetch(`${shop.url}/shop`)).status, 200)
})

async function write(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes)
  await file.close()
}
