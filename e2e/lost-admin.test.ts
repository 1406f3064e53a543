import assert from 'node:assert/strict'
import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { lockDataDir } from '#shop/platform/data-dir-lock.ts'
import { withConnection } from '#shop/platform/database.ts'
import { startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { startOwnPostgres } from './own-postgres.ts'
import { runProgram } from './run-program.ts'
import { post } from './shop-calls.ts'
import { inDatabase } from './shop-database.ts'
import { startShop, type ShopProcess } from './shop-process.ts'

const customer = { email: 'customer@haberdash.example', password: 'demo-customer-1' }

let shop: ShopProcess
before(async () => {
  shop = await startShop()
})
after(() => shop.close())

/** A shop would not start with these alone. */
const serverSettings = { NODE_ENV: 'production', HOST: '0.0.0.0', STRIPE_PUBLISHABLE_KEY: 'pk_live_1' }

const admin = (environment: Record<string, string>) =>
  runProgram('src/admin.ts', { ...serverSettings, DATA_DIR: shop.dataDir, ...environment })

async function logIn(email: string, password: string, at = shop) {
  const answer = await post(at, '/api/auth/login', { email, password })
  const { token } = (await answer.json()) as { token?: string }
  return { status: answer.status, headers: { authorization: `Bearer ${token}` } }
}

async function get(path: string, headers: Record<string, string>, at = shop): Promise<number> {
  return (await fetch(at.url + path, { headers })).status
}

test('npm run admin makes an existing account an admin with a new password, and ends only its sessions', async () => {
  const before = await logIn(customer.email, customer.password)
  const other = await logIn('admin@haberdash.example', 'demo-admin-1')
  const made = admin({ ADMIN_EMAIL: ' Customer@Haberdash.Example', ADMIN_PASSWORD: 'plum-teapot-9' })
  assert.equal(made.stderr, '')
  assert.equal(
    made.stdout,
    `${customer.email} is an admin, logged out everywhere, with this ADMIN_PASSWORD\n`,
  )
  assert.equal(made.status, 0)
  assert.equal(await get('/api/auth/me', before.headers), 401)
  assert.equal((await logIn(customer.email, customer.password)).status, 401)
  const { headers } = await logIn(customer.email, 'plum-teapot-9')
  assert.equal(await get('/api/auth/users', headers), 200)
  // Nobody else is signed out.
  assert.equal(await get('/api/auth/me', other.headers), 200)
})

test('npm run admin creates a new admin while the shop is stopped, and warns about a common password', async () => {
  await shop.stop()
  const login = { email: 'new-owner@shop.example', password: 'password123' }
  const made = admin({ ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password })
  assert.equal(made.stderr, '')
  assert.equal(
    made.stdout,
    `${login.email} is a new admin, with this ADMIN_PASSWORD\nADMIN_PASSWORD is one of the most common passwords: choose another\n`,
  )
  assert.equal(made.status, 0)
  await shop.start()
  const { headers } = await logIn(login.email, login.password)
  assert.equal(await get('/api/auth/users', headers), 200)
})

test('npm run admin does not touch a folder that another process has locked, and ends with 75', async () => {
  await shop.stop()
  const lock = await lockDataDir(shop.dataDir)
  const refused = admin({ ADMIN_EMAIL: customer.email, ADMIN_PASSWORD: 'plum-teapot-6' })
  lock.release()
  assert.match(refused.stderr, new RegExp(`^Data directory is in use by process ${process.pid}: .+\\n$`))
  assert.deepEqual([refused.status, refused.stdout], [75, ''])
  await shop.start()
})

test('when the database refuses the new admin, npm run admin says why, and prints no e-mail and no hash', async () => {
  const login = { ADMIN_EMAIL: 'next-owner@shop.example', ADMIN_PASSWORD: 'plum-teapot-7' }
  const refused = await inDatabase(shop, async (database) => {
    await database.query('begin; lock table users')
    return admin(login)
  })
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^error: canceling statement due to lock timeout\n +at /)
  assert.doesNotMatch(refused.stderr, /argon2|next-owner/)
})

test('npm run admin on a stopped shop with a newer database ends in one line, and so does its database', async () => {
  const later = `insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'later', max(created_at) + 1 from drizzle.__drizzle_migrations`
  await inDatabase(shop, (database) => database.query(later))
  await shop.stop()
  const refused = admin({ ADMIN_EMAIL: customer.email, ADMIN_PASSWORD: 'plum-teapot-5' })
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^The database belongs to a newer version of the shop: .+\n$/)
  const { connection, stop } = await startEmbeddedPostgres({ dataDir: shop.dataDir, log: () => undefined })
  await withConnection(connection, (database) =>
    database.query(`delete from drizzle.__drizzle_migrations where hash = 'later'`),
  )
  await stop()
  await shop.start()
  assert.equal((await logIn(customer.email, 'plum-teapot-5')).status, 401)
})

test('npm run admin works on a separate PostgreSQL server, even before the shop’s first start', async () => {
  const server = await startOwnPostgres()
  let bare: ShopProcess | undefined
  try {
    // An admin can be made before the shop has ever been started.
    const first = {
      ADMIN_EMAIL: 'first@shop.example',
      ADMIN_PASSWORD: 'plum-teapot-8',
      DATABASE_URL: server.url,
    }
    assert.equal(admin(first).stdout, `${first.ADMIN_EMAIL} is a new admin, with this ADMIN_PASSWORD\n`)
    bare = await startShop({ DATABASE_URL: server.url, DEMO: '0' })
    const login = { email: 'owner@shop.example', password: 'plum-teapot-9' }
    const made = admin({
      ADMIN_EMAIL: login.email,
      ADMIN_PASSWORD: login.password,
      DATABASE_URL: server.url,
    })
    assert.equal(made.stdout, `${login.email} is a new admin, with this ADMIN_PASSWORD\n`)
    const { headers } = await logIn(login.email, login.password, bare)
    assert.equal(await get('/api/auth/users', headers, bare), 200)
  } finally {
    await bare?.close()
    await server.stop()
  }
})

test('npm run admin refuses missing or invalid settings in one line that names them, and changes nothing', async () => {
  const mistyped = await mkdtemp(join(tmpdir(), 'haberdash-mistyped-'))
  const neither = 'ADMIN_EMAIL and ADMIN_PASSWORD must be set'
  const good = { ADMIN_EMAIL: customer.email, ADMIN_PASSWORD: 'quince-kettle-7' }
  const refusals: [string, Record<string, string>][] = [
    [neither, {}],
    // A demo's own admin, whose password everybody knows, is not taken instead.
    [neither, { NODE_ENV: 'development', HOST: '127.0.0.1' }],
    [neither, { ADMIN_EMAIL: customer.email }],
    [neither, { ADMIN_PASSWORD: 'quince-kettle-7' }],
    ['ADMIN_PASSWORD must have at least 8 characters', { ...good, ADMIN_PASSWORD: 'short' }],
    ['ADMIN_EMAIL must be an email address', { ...good, ADMIN_EMAIL: 'nobody' }],
    [`DATA_DIR ${mistyped} has no shop's database`, { ...good, DATA_DIR: mistyped }],
    ['DATABASE_URL cannot be used', { ...good, DATABASE_URL: 'postgres://owner:secret@localhost:1/shop' }],
  ]
  for (const [line, environment] of refusals) {
    const refused = admin(environment)
    assert.equal(refused.status, 1, line)
    assert.ok(refused.stderr.startsWith(line), refused.stderr)
    assert.match(refused.stderr, /^.+\n$/)
    assert.doesNotMatch(refused.stderr, /secret/)
    assert.equal(refused.stdout, '')
  }
  assert.deepEqual(await readdir(mistyped), [])
  await rmdir(mistyped)
  assert.equal((await logIn(customer.email, good.ADMIN_PASSWORD)).status, 401)
})
