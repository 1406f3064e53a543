import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import pg from 'pg'
import { sessions, users } from '#shop/accounts/server/tables.ts'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession } from '#shop/testing/payments.ts'
import { buildApp } from '#shop/app.ts'
import { startExhaustedPooler, startSessionPooler, startTransactionPooler } from '#shop/testing/pooler.ts'
import { startSilencingProxy } from '#shop/testing/silencing-proxy.ts'
import { startSilentServer } from '#shop/testing/silent-server.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { createTestDatabase } from '#shop/testing/test-database.ts'
import { until } from '#shop/testing/until.ts'
import { openDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { migrateDatabase } from './migrations.ts'
import { requireUsableServer } from './usable-server.ts'
import { queryPrepared, transaction } from './statements.ts'

/** A shop whose server has other defaults than the shop counts on. */
async function startOn(t: TestContext, settings: string[]) {
  const shop = await startTestApp({ hasStatementLimits: true })
  t.after(() => shop.close())
  const { pool } = shop.database
  const { rows } = await pool.query<{ name: string }>('select current_database() as name')
  const set = async (setting: string) => {
    await pool.query(`begin read write; alter database ${rows[0]?.name} ${setting}; commit`)
    // Only new connections have the setting.
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
    await until(async () => pool.totalCount === 0)
  }
  for (const setting of settings) await set(`set ${setting}`)
  return { shop, set }
}

test('with other server defaults, concurrent confirmations make one order and dates are read correctly', async (t) => {
  const { shop } = await startOn(t, [
    "default_transaction_isolation = 'serializable'",
    "datestyle = 'SQL, DMY'",
    "timezone = 'Asia/Kolkata'",
    'standard_conforming_strings = off',
    'idle_in_transaction_session_timeout = 0',
    "idle_session_timeout = '1s'",
  ])
  const product = await makeProduct(shop.database.db)
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  await submitCard(session.url)
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(shop, session.id)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.data.orderId)).size, 1)
  const { body } = await shop.call<{ data: { products: { createdAt: string }[] } }>({ url: '/api/products/' })
  assert.equal(body.data.products[0]?.createdAt, product.createdAt.toISOString())
  // A serializable server refuses one of two transactions now and then; without the timeout, rows could stay
  // locked. A request on a connection that the server closes for being idle would fail.
  const { rows } = await shop.database.pool
    .query(`select current_setting('transaction_isolation') as isolation,
    current_setting('idle_in_transaction_session_timeout') as transaction,
    current_setting('idle_session_timeout') as idle`)
  assert.deepEqual(rows, [{ isolation: 'read committed', transaction: '5s', idle: '0' }])
})

test('a request that waits too long for a locked row gets 503, changes nothing, and can be repeated', async (t) => {
  const shop = await startTestApp({ hasStatementLimits: true })
  t.after(() => shop.close())
  const { db } = shop.database
  const { headers, user } = await makeUser(db)
  const profileImage = 'https://example.com/a.png'
  const payload = { username: 'Another', profileImage, bio: 'Somebody', profession: 'Tailor' }
  const url = `/api/auth/edit-profile/${user.id}`
  const rename = () => shop.call<{ code: string }>({ method: 'PATCH', url, headers, payload })
  await transaction(db, async (tx) => {
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    await tx.select().from(users).where(eq(users.id, user.id)).for('update')
    const { status, body } = await rename()
    assert.deepEqual([status, body.code], [503, 'database_unavailable'])
  })
  const { rows } = await shop.database.pool.query('select username from users')
  assert.deepEqual(rows, [{ username: user.username }])
  assert.equal((await rename()).status, 200)
})

test('a read-only database server makes writes and /health answer 503 while reads go on', async (t) => {
  const { shop, set } = await startOn(t, [])
  const { headers } = await makeUser(shop.database.db)
  await shop.database.db.update(sessions).set({ lastSeenAt: sql`now() - interval '10 minutes'` })
  await set('set default_transaction_read_only = on')
  const credentials = { username: 'Somebody', email: 'somebody@example.com', password: 'a long enough one' }
  const register = () => shop.call({ method: 'POST', url: '/api/auth/register', payload: credentials })
  assert.equal((await register()).status, 503)
  assert.equal((await shop.call({ url: '/health' })).status, 503)
  assert.equal((await shop.call({ url: '/api/products/' })).status, 200)
  assert.equal((await shop.call({ url: '/api/auth/me', headers })).status, 200)
  await set('reset default_transaction_read_only')
  assert.equal((await register()).status, 201)
  assert.equal((await shop.call({ url: '/health' })).status, 200)
})

/** The address of another database on the same server. */
function addressOf(
  { connectionString, host = '', port = 5432, user = '' }: pg.PoolConfig,
  name = '',
  options?: string,
): string {
  const address = new URL(
    connectionString ?? `postgres:///?${new URLSearchParams({ host, port: `${port}`, user })}`,
  )
  address.pathname = `/${name}`
  if (options) address.searchParams.set('options', options)
  return address.href
}

test('options in the database address are added to the shop’s own settings and do not replace them', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const { rows } = await shop.database.pool.query<{ name: string }>('select current_database() as name')
  const address = addressOf(shop.database.connection, rows[0]?.name, '-c search_path=public,pg_temp')
  const opened = openDatabase({ connectionString: address }, () => {})
  t.after(() => opened.close())
  const setting = async (name: string) =>
    (await opened.pool.query<Record<string, string>>(`show ${name}`)).rows[0]?.[name]
  assert.equal(await setting('search_path'), 'public,pg_temp')
  assert.equal(await setting('statement_timeout'), '3s')
  assert.equal(await setting('lock_timeout'), '2s')
  assert.equal(await setting('jit'), 'off')
  assert.equal(await setting('max_parallel_workers_per_gather'), '0')
  assert.equal(await setting('plan_cache_mode'), 'force_generic_plan')
  assert.equal(await setting('work_mem'), '32MB')
})

/** A database of its own, and its address at the port of a pooler. */
async function createPooled(t: TestContext, start: typeof startSessionPooler) {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const port = await start(t, connection)
  const { user, database = '', password } = new pg.Client(connection)
  const address = new URL(`postgres://127.0.0.1:${port}/${database}`)
  Object.assign(address, { username: user ?? '', password: password ?? '' })
  return address.href
}

test('behind a pooler in session mode the shop has its settings and hears of its changes', async (t) => {
  const connectionString = await createPooled(t, startSessionPooler)
  await requireUsableServer(connectionString)
  await migrateDatabase({ connectionString })
  const { db, pool, ownChanges, close } = openDatabase({ connectionString }, () => {})
  t.after(close)
  const { rows } = await pool.query<{ statement_timeout: string }>('show statement_timeout')
  assert.deepEqual(rows, [{ statement_timeout: '3s' }])
  const heard = once(ownChanges, 'change')
  await makeProduct(db)
  await heard
})

test('a pooler in transaction mode is refused: changes would be notified to nobody', async (t) => {
  const address = await createPooled(t, startTransactionPooler)
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(
      requireUsableServer(address),
      /^StartError: DATABASE_URL cannot be used: its pooler does not keep sessions whole/,
    )
})

test('a pooler that has no connection for the shop is refused after ten seconds', async (t) => {
  const { promise: queried, resolve: onQuery } = Promise.withResolvers<void>()
  const port = await startExhaustedPooler(t, onQuery)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const refused = assert.rejects(
    requireUsableServer(`postgres://owner@127.0.0.1:${port}/shop`),
    /^StartError: DATABASE_URL cannot be used: Query read timeout$/,
  )
  await queried
  t.mock.timers.tick(10_000)
  await refused
})

test('a database that is not encoded as UTF8 is refused', async (t) => {
  const shop = await startTestApp()
  t.after(() => shop.close())
  const { pool, connection } = shop.database
  const name = `latin_${process.pid}`
  await pool.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`)
  await assert.rejects(
    requireUsableServer(addressOf(connection, name)),
    /encoded as LATIN1, and must be as UTF8/,
  )
  await pool.query(`drop database ${name}`)
})

test('a server that accepts connections and never answers stops the start after ten seconds', async (t) => {
  const silent = await startSilentServer()
  t.after(() => silent.close())
  const { host } = new URL(silent.url)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const refused = assert.rejects(
    requireUsableServer(`postgres://owner:secret@${host}/shop`),
    /^StartError: DATABASE_URL cannot be used: timeout expired$/,
  )
  while (silent.sockets.length === 0) await setImmediate()
  t.mock.timers.tick(10_000)
  await refused
})

test('while the database does not respond, /health answers 503 before a query times out', async (t) => {
  const { shop } = await startOn(t, [])
  const proxy = await startSilencingProxy(t, shop.database.connection)
  const { user, database, password } = new pg.Client(shop.database.connection)
  const connection = { host: '127.0.0.1', port: proxy.port, user, database, password: password ?? undefined }
  const proxied = openDatabase({ ...connection, max: 3 }, () => {})
  const app = await buildApp({ ...shop, database: proxied })
  t.after(async () => {
    await app.close()
    await proxied.close()
  })
  await Promise.all(Array.from({ length: 3 }, () => proxied.pool.query('select pg_sleep(0.05)')))
  proxy.silence()
  const givenUp = proxied.pool.query('select 1').catch(() => 'given up')
  const health = app.inject({ url: '/health' })
  assert.equal(await Promise.race([givenUp, health.then(() => 'health')]), 'health')
  assert.equal((await health).statusCode, 503)
  await givenUp
})

test('a connection on which the server stops responding is closed, and later queries use others', async (t) => {
  const created = await createTestDatabase()
  const proxy = await startSilencingProxy(t, created.connection)
  const client = new pg.Client(created.connection)
  const { user, database, password } = client
  const connection = { host: '127.0.0.1', port: proxy.port, user, database, password: password ?? undefined }
  const { db, pool, close } = openDatabase({ ...connection, max: 3, query_timeout: 60_000 }, () => {})
  t.after(async () => {
    await close()
    await created.drop()
  })
  await Promise.all(Array.from({ length: 3 }, () => pool.query('select pg_sleep(0.05)')))
  assert.equal(pool.totalCount, 3)
  proxy.silence()
  const calls = [
    () => db.execute('select 1'),
    () => queryPrepared(db, 'one', () => sql`select 1`, {}),
    () => transaction(db, (tx) => tx.execute('select 1')),
  ]
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [index, call] of calls.entries()) {
    let isOver = false
    const refused = assert.rejects(call(), isDatabaseUnavailable).finally(() => (isOver = true))
    while (!isOver) {
      // A connection is taken from the pool first, which has a time limit, too.
      await setImmediate()
      t.mock.timers.tick(60_000)
    }
    await refused
    assert.equal(pool.totalCount, 2 - index)
  }
  t.mock.timers.reset()
  for (const call of calls) await call()
})
