import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { withBounds } from '#shop/platform/session-settings.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { until } from '#shop/testing/until.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { runProgram } from './run-program.ts'

const migrations = resolve(import.meta.dirname, '../migrations')
type Journal = { entries: { tag: string }[] }

let server: OwnPostgres
let client: pg.Client
let folder: string
before(async () => {
  server = await startOwnPostgres()
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'haberdash-migrations-'))
  await cp(migrations, folder, { recursive: true })
})
after(async () => {
  await client.end()
  await server.stop()
  await rm(folder, { recursive: true })
})

/** What happens in a shop, written with only the columns that have existed since its first schema. */
function activitySql(step: number, products: number): string {
  const id = (kind: string, number = 'n') => `format('%s-%s-%s', '${kind}', ${step}, ${number})`
  return `
    insert into users (id, username, email, password_hash, created_at)
      select ${id('user')}, ${id('User')}, ${id('u')} || '@shop.example', 'x', now() - n * interval '1 day'
      from generate_series(1, 20) as n;
    insert into products (id, name, category, description, color, price_cents, created_at)
      select ${id('product')}, (array['Coat', 'Tie', 'Émile’s hat'])[n % 3 + 1] || ' ' || n % 700,
        (array['formal dress', 'casual dress', 'grooming'])[n % 3 + 1], 'Number ' || n || ' of ${step}',
        (array['black', 'red', 'gold', 'blue'])[n % 4 + 1], 1 + n * 7919 % 40000, now() - n * interval '1 minute'
      from generate_series(1, ${products}) as n;
    insert into reviews (id, product_id, user_id, rating, comment)
      select ${id('review')}, ${id('product', 'n % 30 + 1')}, ${id('user', 'n % 19 + 1')}, n % 5 + 1, 'So.'
      from generate_series(1, 60) as n on conflict do nothing;
    update products set rating = (select avg(rating) from reviews where product_id = products.id)
      where id in (select product_id from reviews where id like 'review-${step}-%');
    insert into checkouts (id, lines, amount_cents, currency, state, return_to, expires_at)
      select ${id('checkout')}, '[]', 500 + n, 'usd', 'paid', '/', now() from generate_series(1, 40) as n;
    insert into orders (id, payment_id, session_id, checkout_id, user_id, email, status, amount_cents, currency, created_at)
      select ${id('order')}, ${id('pi')}, ${id('cs')}, ${id('checkout')}, ${id('user', 'n % 20 + 1')}, 'a@shop.example',
        (array['pending', 'processing', 'shipped', 'completed'])[n % 4 + 1], 500 + n, 'usd', now() - n * interval '9 days'
      from generate_series(1, 40) as n;
    insert into order_lines (order_id, position, product_id, name, price_cents, quantity)
      select ${id('order')}, 0, ${id('product', '1')}, 'Coat', 500 + n, 1 from generate_series(1, 40) as n;

    update products set price_cents = price_cents % 30000 + 1, color = 'green', name = 'New ' || name, updated_at = now()
      where hashtext(id) % 53 = ${step};
    update products set deleted_at = now() where hashtext(id) % 97 = ${step};
    update orders set status = 'completed', refunded_cents = 100 where hashtext(id) % 7 = ${step % 7};
    update orders set deleted_at = now() where hashtext(id) % 11 = ${step % 11};
    delete from reviews where hashtext(id) % 17 = ${step % 17};
    update products set rating = coalesce((select avg(rating) from reviews where product_id = products.id), 0)
      where rating > 0;
    delete from users where hashtext(id) % 19 = ${step % 19};`
}

// The cast holds: the program that makes migrations wrote the file.
const readJournal = async () =>
  JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8')) as Journal

/** Brings the schema to the state it had when the last of these migrations was new. */
async function migrateTo(journal: Journal, entries: Journal['entries'], db = client): Promise<void> {
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
  await migrate(drizzle(db), { migrationsFolder: folder })
}

test('data written under every earlier schema satisfies all invariants after the upgrade', async () => {
  const journal = await readJournal()
  const { entries } = journal
  // No shop ever had the first migration alone: it makes the tables, and the second the totals over them.
  for (const [step, { tag }] of entries.entries()) {
    if (step === 0) continue
    await migrateTo(journal, entries.slice(0, step + 1))
    // With this many products at first, lists have several blocks, one of which is soon split again.
    await client.query(activitySql(step, step === 1 ? 4000 : 50)).catch((error: unknown) => {
      throw new Error(`business under ${tag}`, { cause: error })
    })
  }
  await client.query(`update users set role = 'admin' where id = (select min(id) from users)`)
  await migrateDatabase({ connectionString: server.url })
  assert.deepEqual(await brokenInvariants(drizzle(client)), [])
})

test('npm run move also moves a shop that was not started since its update, with all its data', async (t) => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  t.after(() => rm(DATA_DIR, { recursive: true }))
  const journal = await readJournal()
  const { connection, stop } = await startEmbeddedPostgres({ dataDir: DATA_DIR, log: () => undefined })
  await withConnection(connection, async (db) => {
    await migrateTo(journal, journal.entries.slice(0, 2), db)
    await db.query(activitySql(1, 50))
    await db.query(`update users set role = 'admin' where id = (select min(id) from users)`)
  }).finally(stop)
  await client.query('create database moved')
  const moved = new URL(server.url)
  moved.pathname = '/moved'
  const settings = { NODE_ENV: 'production', DATA_DIR, DATABASE_URL: moved.href }
  const { stderr } = runProgram('src/move.ts', settings)
  assert.equal(stderr, '')
  await withConnection({ connectionString: moved.href }, async (db) => {
    assert.equal((await db.query('select from products')).rowCount, 50)
    assert.deepEqual(await brokenInvariants(drizzle(db)), [])
  })
})

/** A database of its own, with the schema that there was before this migration. */
async function makeOld(
  t: TestContext,
  name: string,
  nextTag: string,
): Promise<{ url: string; db: pg.Client }> {
  await client.query(`create database ${name}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const db = new pg.Client({ connectionString: url.href })
  await db.connect()
  t.after(() => db.end())
  const journal = await readJournal()
  const before = journal.entries.findIndex(({ tag }) => tag === nextTag)
  await migrateTo(journal, journal.entries.slice(0, before), db)
  return { url: url.href, db }
}

test('tables rewritten by an upgrade are marked all-visible, as index-only scans need', async (t) => {
  const { url, db } = await makeOld(t, 'anew', '0041_letters_without_accents')
  await db.query(activitySql(1, 500))
  await migrateDatabase({ connectionString: url })
  const { rows } = await db.query<{ pages: number; visible: number }>(
    `select relpages as pages, relallvisible as visible from pg_class where relname in ('products', 'users')`,
  )
  assert.equal(rows.length, 2)
  for (const { pages, visible } of rows) {
    assert.ok(pages > 0)
    assert.equal(visible, pages)
  }
})

test('an upgrade that waits for a pg_dump logs it, and does not block customers of the old shop', async (t) => {
  const { url, db } = await makeOld(t, 'copied', '0043_products_that_can_be_listed')
  const settings = withBounds({ connectionString: url })
  // pg_dump locks every table like this until it has copied the last one.
  await db.query('begin; lock table payment_breaks in access share mode')
  const lines: string[] = []
  const upgrade = migrateDatabase({ connectionString: url }, (line) => lines.push(line))
  await until(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = 'copied' and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }, 'it waits')
  // It no longer holds a lock on `products`, which an earlier migration has changed.
  const { rows: held } = await db.query(
    `select from pg_locks where relation = 'products'::regclass and mode = 'AccessExclusiveLock' and granted`,
  )
  assert.equal(held.length, 0)
  await withConnection(settings, (customer) => customer.query('select from payment_breaks'))
  await until(async () => lines.length > 0, 'it says so')
  await db.query('commit')
  await upgrade
  assert.equal(lines.length, 1)
  await db.query('select given_back_at from payment_breaks')
})

test('those who read products and an upgrade from which on words are forgotten do not wait for each other', async (t) => {
  const tag = '0052_words_are_forgotten'
  const { url, db } = await makeOld(t, 'read', tag)
  await db.query('begin; lock table products in access share mode')
  const journal = await readJournal()
  const upTo = journal.entries.findIndex((entry) => entry.tag === tag) + 1
  await withConnection({ connectionString: url }, async (upgrade) => {
    await upgrade.query(`set lock_timeout = '1s'`)
    await migrateTo(journal, journal.entries.slice(0, upTo), upgrade)
  })
})

test('a shop that had the first forms of some migrations gets what every other shop has', async (t) => {
  const { url, db } = await makeOld(t, 'first_forms', '0053_what_every_shop_has')
  await db.query(`
    drop function recount_places;
    create or replace function prices_after(prices integer[], changes integer[]) returns integer[] language sql
      as 'select prices || array(select abs(change) from unnest(changes) as change where change > 0)'`)
  const add = (from: number, to: number) =>
    db.query(`insert into products (id, name, category, description, color, price_cents)
      select 'p' || n, 'Tie', 'grooming', 'Of silk', 'red', 500 from generate_series(${from}, ${to}) as n`)
  await add(1, 10)
  await db.query('update product_blocks set prices = prices || 500')
  await db.query(
    `insert into users (id, username, email, password_hash, role) values ('a', 'A', 'a@shop.example', 'x', 'admin')`,
  )
  await migrateDatabase({ connectionString: url })
  assert.deepEqual(await brokenInvariants(drizzle(db)), [])
  const { rows } = await db.query(`select prices_after('{1,5}', '{-7,7}') as prices`)
  assert.deepEqual(rows, [{ prices: [1, 5] }])
  // So many at once are counted by what there is then.
  await add(11, 2000)
})

test('npm run admin says that it is waiting while a pg_dump holds a table', async (t) => {
  const { url, db } = await makeOld(t, 'copied_for_long', '0043_products_that_can_be_listed')
  await db.query('begin; lock table products in access share mode')
  const ofAdmin = { ADMIN_EMAIL: 'lost@shop.example', ADMIN_PASSWORD: 'plum-teapot-9' }
  const env = { ...process.env, ...ofAdmin, DATABASE_URL: url, DATA_DIR: join(folder, 'none') }
  const program = resolve(import.meta.dirname, '../src/admin.ts')
  const admin = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => admin.kill())
  let output = ''
  admin.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until(async () => output.includes('Waiting for another session'), 'it says so', 20_000)
  await db.query('commit')
  assert.deepEqual(await once(admin, 'close'), [0, null])
  assert.match(output, /^Waiting for another session .+\nlost@shop\.example is a new admin, .+\n$/)
})
