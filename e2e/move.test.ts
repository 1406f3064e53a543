import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { changeChannel, withConnection } from '#shop/platform/database.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { fillShop } from '#shop/testing/fill.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { until } from '#shop/testing/until.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { runProgram } from './run-program.ts'
import { confirm, listProducts, openSession, pay, post } from './shop-calls.ts'
import { startShop, type ShopProcess } from './shop-process.ts'

const project = resolve(import.meta.dirname, '..')
const admin = { email: 'admin@haberdash.example', password: 'demo-admin-1' }

let server: OwnPostgres
let shop: ShopProcess
let headers: { authorization: string }
let orderId: string
let productId: string
/** Texts with characters that lists of texts and copies treat specially; the move must not change them. */
const specialTexts = {
  name: `"Tie" \\N \\. {NULL} 'é' 👔`,
  description: 'One\\\n\\.\ntwo,\tthree\\t; \\x41 $1 %s',
}
const sameRequest = { 'idempotency-key': 'moved-with-the-shop-1' }
before(async () => {
  server = await startOwnPostgres()
  shop = await startShop()
  const login = await post(shop, '/api/auth/login', admin)
  headers = { authorization: `Bearer ${((await login.json()) as { token: string }).token}` }
  productId = await addProduct(sameRequest)
  orderId = await buy()
  await post(shop, '/api/orders/create-checkout-session', { products: [{ _id: productId, quantity: 2 }] })
})
after(async () => {
  await shop.close()
  await server.stop()
})

async function addProduct(more: Record<string, string> = {}, name = specialTexts.name): Promise<string> {
  const product = { ...specialTexts, name, category: 'grooming', color: 'red', price: 12.5 }
  const added = await post(shop, '/api/products/create-product', product, { ...headers, ...more })
  assert.equal(added.status, 201)
  return ((await added.json()) as { data: { _id: string } }).data._id
}

async function buy(): Promise<string> {
  const session = await openSession(shop)
  await pay(session.url)
  const confirmed = await confirm(shop, session.id)
  assert.equal(confirmed.status, 200)
  return ((await confirmed.json()) as { data: { orderId: string } }).data.orderId
}

/** The responses that must be the same before and after. */
async function answers(): Promise<unknown[]> {
  const paths = [
    '/api/products/?limit=100',
    '/api/products/?search=tie&sort=name&limit=100',
    `/api/products/${productId}`,
    '/api/products/trending',
    `/api/orders/order/${orderId}`,
    '/api/orders/?limit=100',
    '/api/auth/me',
    '/api/auth/users?limit=100',
    '/api/stats/admin-stats',
  ]
  const all = []
  for (const path of paths) {
    const answer = await fetch(shop.url + path, { headers })
    assert.equal(answer.status, 200, path)
    all.push([path, answer.headers.get('x-total-count'), await answer.json()])
  }
  return all
}

/** `NODE_ENV` alone would keep a shop from starting, but not this program. */
const settings = (databaseUrl: string) => ({
  NODE_ENV: 'production',
  DATA_DIR: shop.dataDir,
  DATABASE_URL: databaseUrl,
})

const move = (databaseUrl: string, environment: NodeJS.ProcessEnv = {}) =>
  runProgram('src/move.ts', { ...settings(databaseUrl), ...environment })

/** Starts a move without waiting for its end. */
function beginMove(databaseUrl: string) {
  const env = { ...process.env, ...settings(databaseUrl) }
  const moving = spawn(process.execPath, ['src/move.ts'], { cwd: project, env })
  let stderr = ''
  moving.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(moving, 'close').then(([status]: (number | null)[]) => ({ status, stderr }))
  return { moving, ended }
}

const using = <T>(connection: pg.ClientConfig, act: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection({ ...connection, options: '-c timezone=UTC' }, act)

const connectionTo = (connectionString: string) => ({ connectionString })

async function makeDatabase(name: string, how = ''): Promise<string> {
  await using(connectionTo(server.url), (client) => client.query(`create database ${name} ${how}`))
  return server.url.replace(/\w+$/, name)
}

/** The number and a hash of every table's rows, and the next number of every sequence. */
function contentsOf(connection: pg.ClientConfig): Promise<Record<string, string>> {
  return using(connection, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    )
    const { rows: sequences } = await client.query<{ name: string }>(
      `select sequencename as name from pg_sequences where schemaname = 'public'`,
    )
    const lines = [
      ...tables.map(
        ({ name }) =>
          `select '${name}' as name, concat(count(*), ' ', md5(string_agg(t::text, E'\n' order by t::text collate "C"))) as rows from ${name} t`,
      ),
      ...sequences.map(
        ({ name }) =>
          `select '${name}', (last_value + case when is_called then 1 else 0 end)::text from ${name}`,
      ),
    ]
    const { rows } = await client.query<{ name: string; rows: string }>(
      `${lines.join(' union all ')} order by 1`,
    )
    return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
  })
}

async function withEmbedded<T>(act: (connection: pg.PoolConfig) => Promise<T>): Promise<T> {
  const { connection, stop } = await startEmbeddedPostgres({ dataDir: shop.dataDir, log: () => {} })
  return act(connection).finally(stop)
}

test('npm run move reports a missing target, a missing shop or an unreachable server in one line', () => {
  const nowhere = move('')
  assert.equal(nowhere.stderr, 'DATABASE_URL must be set: it says where the shop moves to\n')
  const DATA_DIR = join(shop.dataDir, 'mistyped')
  const nothing = move(server.url, { DATA_DIR })
  assert.equal(nothing.stderr, `DATA_DIR ${DATA_DIR} has no shop's database\n`)
  assert.ok(!existsSync(DATA_DIR))
  const gone = move('postgres://owner:secret@localhost:1/shop')
  assert.match(gone.stderr, /^DATABASE_URL cannot be used: .+\n$/)
  assert.doesNotMatch(gone.stderr, /secret/)
  assert.deepEqual([nowhere.status, nothing.status, gone.status], [1, 1, 1])
})

test('a database of an older PostgreSQL version is reported as such, not as in use', async () => {
  const DATA_DIR = join(shop.dataDir, 'older')
  await mkdir(join(DATA_DIR, 'postgres'), { recursive: true })
  await writeFile(join(DATA_DIR, 'postgres/PG_VERSION'), '17\n')
  const refused = move(server.url, { DATA_DIR })
  assert.match(refused.stderr, /^.+ made by PostgreSQL 17 .+\n$/)
  assert.equal(refused.status, 1)
})

test('npm run move refuses while the shop is running, and creates nothing on the server', async () => {
  const url = await makeDatabase('untouched')
  const refused = move(url)
  assert.equal(refused.status, 75)
  assert.equal(refused.stderr, `Stop the shop on DATA_DIR ${shop.dataDir} first\n`)
  const { rows } = await using(connectionTo(url), (client) =>
    client.query(`select from pg_tables where schemaname in ('public', 'drizzle')`),
  )
  assert.equal(rows.length, 0)
  assert.equal((await fetch(`${shop.url}/health`)).status, 200)
})

/** Waits until a session on the server matches this condition; returns its pid. */
function untilSeen(doing: string): Promise<number> {
  return using(connectionTo(server.url), (client) =>
    until(async () => {
      const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity where ${doing}`)
      return rows[0]?.pid
    }),
  )
}

/** One row for each table that must be empty. */
const rowOf = {
  users: `insert into users (id, username, email, password_hash) values ('u', 'U', 'u@shop.example', '')`,
  products: `insert into products (id, name, category, description, color, price_cents)
    values ('p', 'P', 'grooming', '', 'red', 1)`,
  checkouts: `insert into checkouts (id, lines, amount_cents, currency, state, return_to, expires_at)
    values ('c', '[]', 1, 'usd', 'open', '/', now())`,
}

test('a target that already has a shop’s data is refused in one line and stays unchanged', async () => {
  const [taken, theirs] = [await makeDatabase('taken'), await makeDatabase('theirs')]
  await migrateDatabase(connectionTo(taken))
  await using(connectionTo(theirs), (client) =>
    client.query(`create table users as select 'Somebody else’s' as name`),
  )
  await shop.stop()
  const refuse = async (url: string, table: string) => {
    const before = await contentsOf(connectionTo(url))
    const refused = move(url)
    assert.equal(refused.status, 1)
    const line = new RegExp(`^DATABASE_URL has a shop's data already, such as ${table}: .+\\n$`)
    assert.match(refused.stderr, line)
    assert.deepEqual(await contentsOf(connectionTo(url)), before)
  }
  await refuse(theirs, 'users')
  for (const [table, row] of Object.entries(rowOf)) {
    await using(connectionTo(taken), (client) => client.query(row))
    await refuse(taken, table)
    await using(connectionTo(taken), (client) => client.query(`delete from ${table}`))
  }
  await shop.start()
})

test('a shop that starts on the target during the move keeps its data, and the move is refused', async () => {
  await shop.stop()
  const url = await makeDatabase('begun')
  await migrateDatabase(connectionTo(url))
  await using(connectionTo(url), async (client) => {
    await client.query('alter database begun set lock_timeout = 1')
    await client.query('begin')
    await client.query(rowOf.users)
    const { ended } = beginMove(url)
    await untilSeen(`datname = 'begun' and wait_event_type = 'Lock'`)
    await client.query('commit')
    const { status, stderr } = await ended
    assert.match(stderr, /^DATABASE_URL has a shop's data already, such as users: .+\n$/)
    assert.equal(status, 1)
    assert.equal((await client.query('select from users')).rowCount, 1)
  })
  await shop.start()
})

test('the move copies one moment of the source, whatever is changed there meanwhile', async () => {
  await shop.stop()
  const url = await makeDatabase('at_one_moment')
  await migrateDatabase(connectionTo(url))
  await using(connectionTo(url), async (client) => {
    await client.query(`alter table orders add constraint waits check (pg_advisory_xact_lock(1) is not null)`)
    await client.query('select pg_advisory_lock(1)')
    const { ended } = beginMove(url)
    // The users have been copied, and not been counted.
    await untilSeen(`datname = 'at_one_moment' and wait_event = 'advisory'`)
    const source = (await findRunningPostgres(shop.dataDir)) ?? assert.fail()
    await using(source, (other) => other.query(rowOf.users))
    await client.query('select pg_advisory_unlock(1)')
    assert.deepEqual(await ended, { status: 0, stderr: '' })
    assert.equal((await client.query(`select from users where id = 'u'`)).rowCount, 0)
  })
  await withEmbedded((source) => using(source, (client) => client.query(`delete from users where id = 'u'`)))
  await shop.start()
})

test('if the move or its target server is killed midway, both databases stay as they were', async () => {
  await shop.stop()
  const url = await makeDatabase('interrupted')
  await migrateDatabase(connectionTo(url))
  await using(connectionTo(url), (client) =>
    client.query(
      `alter table orders add constraint slow
        check (created_at < now() - interval '1 hour' or pg_sleep(600) is not null);
      -- Otherwise a session whose client is gone would sleep on.
      alter database interrupted set client_connection_check_interval = 100`,
    ),
  )
  const [source, target] = [await withEmbedded(contentsOf), await contentsOf(connectionTo(url))]
  for (const killed of ['move', 'server']) {
    const { moving, ended } = beginMove(url)
    const backend = await untilSeen(`datname = 'interrupted' and query like 'copy public.orders %'`)
    process.kill(killed === 'move' ? (moving.pid ?? assert.fail()) : backend, 'SIGKILL')
    const { status, stderr } = await ended
    if (killed === 'server') {
      assert.match(stderr, /^The move failed: .+\n$/)
      assert.equal(status, 1)
    }
    // Waits until the server has noticed, and accepts connections.
    assert.deepEqual(await until(() => contentsOf(connectionTo(url)).catch(() => undefined)), target)
    assert.deepEqual(await withEmbedded(contentsOf), source)
  }
  await shop.start()
})

test('a move in which rows get lost fails and names their table', async () => {
  await shop.stop()
  const url = await makeDatabase('losing')
  await migrateDatabase(connectionTo(url))
  await using(connectionTo(url), (client) =>
    client.query(`
      create function lose_counts() returns boolean language plpgsql as
        $$ begin delete from row_counts; return true; end $$;
      alter table orders add constraint loses check (lose_counts())`),
  )
  const target = await contentsOf(connectionTo(url))
  const failed = move(url)
  assert.equal(failed.stderr, 'The move failed: Error: Not all rows have arrived in public.row_counts\n')
  assert.equal(failed.status, 1)
  assert.deepEqual(await contentsOf(connectionTo(url)), target)
  await shop.start()
})

test('a damaged source database stops the move with the advice to restore a copy', async () => {
  await shop.stop()
  const path = await withEmbedded((connection) =>
    using(connection, async (client) => {
      const { rows } = await client.query<{ path: string }>(`select pg_relation_filepath('orders') as path`)
      return rows[0]?.path ?? assert.fail()
    }),
  )
  const file = join(shop.dataDir, 'postgres', path)
  const whole = await readFile(file)
  await writeFile(
    file,
    whole.map((byte, index) => (index % 100 === 50 ? byte ^ 0xff : byte)),
  )
  const failed = move(await makeDatabase('spared'))
  await writeFile(file, whole)
  assert.match(failed.stderr, /^The move failed: The database is damaged \(.+\): put back a copy, .+\n$/)
  assert.equal(failed.status, 1)
  await shop.start()
})

test('all data arrives on the server, and the shop continues there where it left off', async () => {
  const before = await answers()
  await shop.stop()
  const source = await withEmbedded(contentsOf)
  // As in the database of a shop that had one user, who was deleted.
  await migrateDatabase(connectionTo(server.url))
  await using(connectionTo(server.url), (client) =>
    client.query(`insert into row_counts (name, slot, rows) values ('users', 1, 1), ('users', 2, -1)`),
  )
  // The user is given by the environment, as a password may be.
  const address = new URL(server.url)
  const PGUSER = address.username
  address.username = ''
  const channels: unknown[] = []
  const moved = await using(connectionTo(server.url), async (listener) => {
    listener.on('notification', ({ channel }) => channels.push(channel))
    await listener.query(`listen ${changeChannel}`)
    const ended = move(address.href, { PGUSER })
    await listener.query('select')
    return ended
  })
  assert.equal(moved.stderr, '')
  // A shop that was started on the empty server is told that its data has changed.
  assert.ok(channels.includes(changeChannel))
  const counts = Object.values(source).flatMap((rows) => /^(\d+) /.exec(rows)?.[1] ?? [])
  const sum = counts.reduce((sum, rows) => sum + Number(rows), 0)
  assert.deepEqual(moved.stdout.replace(/PostgreSQL [\d.]+/, 'PostgreSQL').split('\n'), [
    'Copying …',
    `${sum} rows of ${counts.length} tables are on the PostgreSQL of DATABASE_URL`,
    `Start the shop with it, and with this DATA_DIR: ${shop.dataDir}`,
    '',
  ])
  assert.equal(moved.status, 0)
  assert.deepEqual(await contentsOf(connectionTo(server.url)), source)
  assert.deepEqual(await withEmbedded(contentsOf), source)
  const disabled = await using(connectionTo(server.url), (client) =>
    client.query(`select from pg_trigger where tgenabled <> 'O'`),
  )
  assert.equal(disabled.rowCount, 0)
  assert.match(move(server.url).stderr, /^DATABASE_URL has a shop's data already/)

  await shop.start({ DATABASE_URL: server.url })
  assert.deepEqual(await answers(), before)
  assert.equal((await post(shop, '/api/auth/login', admin)).status, 200)
  // Sent again, as by a client that got no response before the move.
  assert.equal(await addProduct(sameRequest), productId)
  const added = await addProduct({}, 'A cravat of the new server')
  assert.notEqual(await buy(), orderId)
  const { products } = await listProducts(shop, 'search=cravat')
  assert.deepEqual(
    products.map(({ _id }) => _id),
    [added],
  )
  const broken = await using(connectionTo(server.url), (client) => brokenInvariants(drizzle(client)))
  assert.deepEqual(broken, [])
  await shop.stop()
  await shop.start()
})

test('once all data has arrived, a server that cannot make its statistics does not fail the move', async () => {
  await shop.stop()
  const url = await makeDatabase('without_statistics')
  await migrateDatabase(connectionTo(url))
  await using(connectionTo(url), (client) =>
    client.query(`
      create function no_vacuum(text) returns text language plpgsql immutable as $$
        begin if current_query() like 'vacuum%' then raise 'no statistics'; end if; return $1; end $$;
      create index on orders (no_vacuum(id))`),
  )
  const moved = move(url)
  assert.deepEqual([moved.status, moved.stderr], [0, ''])
  await shop.start()
})

test('counts that depend on the sort order of text are rebuilt if the target sorts differently, as they are after a restore', async () => {
  await shop.stop()
  await withEmbedded(async (connection) => {
    await fillShop(connection, { products: 9000, orders: 0, users: 0 }, () => {})
    await using(connection, async (client) => {
      await client.query(`update products set name = 'É' || name where number % 3 > 0`)
      // All from one moment, so that their ids determine their order.
      await client.query(`insert into users (id, username, email, password_hash, created_at)
        select case n % 2 when 0 then upper(md5(n::text)) else md5(n::text) end, 'U', n || '@shop.example', '', '2025-01-01'
        from generate_series(1, 5000) as n`)
    })
    await fillShop(connection, { products: 0, orders: 0, users: 1 }, () => {})
  })
  for (const [name, locale] of [
    ['sorted', `locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'`],
    // The same order as the source, but it has no lower case for letters with an accent.
    ['plain', `locale 'C'`],
  ] as const) {
    const url = await makeDatabase(name, `template template0 ${locale}`)
    assert.equal(move(url).status, 0)
    await assertCountedRightly(url)
    // A restore brings along what was counted in another order.
    await using(connectionTo(url), (client) =>
      client.query(`
        update letter_order set letters = 'another';
        delete from product_name_blocks where starts > '';
        update list_blocks set rows = rows + 1`),
    )
    for (const isRecounted of [true, false]) {
      await shop.start({ DATABASE_URL: url })
      assert.equal(/^This database sorts text differently .+: counting .+$/m.test(shop.output()), isRecounted)
      await shop.stop()
    }
    await assertCountedRightly(url)
  }
  await shop.start()
})

/** Asserts that products and users are counted by the order that text has in this database. */
async function assertCountedRightly(url: string): Promise<void> {
  const { rows } = await using(connectionTo(url), (client) =>
    client.query(`
      select starts, products, (select count(*) from products where deleted_at is null
        and lower(name) >= starts and (ends is null or lower(name) < ends)) as really
      from (select starts, products, lead(starts) over (order by starts) as ends from whole_name_blocks) as block`),
  )
  assert.ok(rows.length > 2)
  assert.deepEqual(
    rows.filter(({ products, really }) => products !== really),
    [],
  )
  const users = await using(connectionTo(url), (client) =>
    client.query(`
      with block as (
        select starts_at, starts_id, sum(rows) as rows, lead(starts_at, 1, '-infinity') over in_order as ends_at,
          lead(starts_id, 1, '') over in_order as ends_id
        from list_blocks where list = 'users' group by 1, 2 window in_order as (order by starts_at desc, starts_id)
      )
      select rows::int, (select count(*)::int from users
        where (created_at < starts_at or created_at = starts_at and id >= starts_id)
          and (created_at > ends_at or created_at = ends_at and id < ends_id)) as really
      from block`),
  )
  assert.ok(users.rows.length > 1)
  assert.deepEqual(
    users.rows.filter(({ rows, really }) => rows !== really),
    [],
  )
  assert.deepEqual(await using(connectionTo(url), (client) => brokenInvariants(drizzle(client))), [])
  // The pages are marked as visible to everybody, so that index-only scans work.
  const { rowCount } = await using(connectionTo(url), (client) =>
    client.query(
      `select from pg_class where relname = 'products' and relpages > 1 and relallvisible = relpages`,
    ),
  )
  assert.equal(rowCount, 1)
}
