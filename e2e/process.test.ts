import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '#shop/testing/free-port.ts'
import { openSocket } from '#shop/testing/raw-request.ts'
import { until } from '#shop/testing/until.ts'
import { startOwnPostgres } from './own-postgres.ts'
import { runProgram } from './run-program.ts'
import { adminHeaders, confirm, listProducts, openSession, pay, post } from './shop-calls.ts'
import { inDatabase } from './shop-database.ts'
import { program, startShop, type ShopProcess } from './shop-process.ts'

let shop: ShopProcess
before(async () => {
  shop = await startShop()
})
after(() => shop.close())

/** How many orders have this id, as the admin sees it. */
async function ordersNamed(at: ShopProcess, orderId: string): Promise<number> {
  const headers = await adminHeaders(at)
  const orders = await fetch(`${at.url}/api/orders/?limit=100`, { headers })
  const { data } = (await orders.json()) as { data: { orderId: string }[] }
  return data.filter((order) => order.orderId === orderId).length
}

test('one command serves the pages, the API and its documentation, and prints addresses and logins', async () => {
  const lines = shop.output().trim().split('\n')
  assert.ok(lines.length <= 6, shop.output())
  for (const text of [shop.url, shop.practiceUrl, 'customer@haberdash.example', 'admin@haberdash.example']) {
    assert.ok(shop.output().includes(text), text)
  }
  const answers = [
    '/',
    '/shop',
    '/api/products/',
    '/api/config',
    '/api/openapi.json',
    '/api/docs/',
    '/health',
  ]
  for (const path of answers) assert.equal((await fetch(shop.url + path)).status, 200, path)
  const unknown = await fetch(`${shop.url}/no/such/page`)
  assert.equal(unknown.status, 404)
  assert.match(String(unknown.headers.get('content-type')), /html/)
  const typo = await fetch(`${shop.url}/api/produkte`)
  assert.equal(typo.status, 404)
  assert.match(String(typo.headers.get('content-type')), /problem\+json/)
})

test('the demo has a full catalogue', async () => {
  for (const category of ['formal dress', 'casual dress', 'sports dress', 'grooming']) {
    const { totalProducts } = await listProducts(shop, `limit=1&category=${encodeURIComponent(category)}`)
    assert.ok(totalProducts >= 12, category)
  }
  assert.ok((await listProducts(shop, 'limit=1')).totalProducts >= 64)
})

test('a shop killed right after the card was charged still ends up with exactly one order', async () => {
  const session = await openSession(shop)
  // The card is charged right before the kill, so the shop may not have handled the webhook event.
  await pay(session.url)
  await shop.kill()
  await shop.start()
  const answer = await until(async () => {
    const response = await confirm(shop, session.id)
    return response.status === 200 && response
  })
  const { data } = (await answer.json()) as { data: { orderId: string } }
  assert.equal(await ordersNamed(shop, data.orderId), 1)
})

test('a shop killed while confirmations are in flight still ends up with exactly one order', async () => {
  const session = await openSession(shop)
  await pay(session.url)
  const inFlight = Array.from({ length: 8 }, () => confirm(shop, session.id).catch(() => undefined))
  await Promise.race(inFlight)
  await shop.kill()
  await Promise.all(inFlight)
  await shop.start()
  const { data } = (await (await confirm(shop, session.id)).json()) as { data: { orderId: string } }
  assert.equal(await ordersNamed(shop, data.orderId), 1)
})

test('after a start, expired sessions are deleted, list notes are folded and lost words are forgotten', async () => {
  const ask = (statement: string) => inDatabase(shop, (client) => client.query<{ left: number }>(statement))
  await adminHeaders(shop)
  await ask(`update sessions set last_seen_at = now() - interval '2 days'`)
  await ask(`insert into users (id, email, username, password_hash)
    select 'u' || n, 'u' || n || '@example.com', 'Somebody', '' from generate_series(1, 600) as n`)
  await ask(`insert into product_words values ('platypus')`)
  await ask(`insert into lost_words values ('platypus')`)
  await shop.kill()
  await shop.start()
  await until(async () => {
    const { rows } = await ask(`select (select count(*) from sessions)::int
      + (select count(*) from list_notes)::int
      + (select count(*) from product_words where word = 'platypus')::int as left`)
    return rows[0]?.left === 0
  })
  await ask(`delete from users where username = 'Somebody'`)
})

test('a second shop on the same data is refused with one clear line, and the first goes on', async () => {
  const second = runProgram('src/main.ts', { PORT: '1', DATA_DIR: shop.dataDir })
  assert.equal(second.status, 75)
  assert.match(
    second.stderr,
    /^The shop cannot start: Data directory is in use by process \d+: set DATA_DIR to another folder\n$/,
  )
  assert.equal((await fetch(`${shop.url}/health`)).status, 200)
})

test('an unusable DATABASE_URL stops the start with one clear line, without its password', () => {
  // A name with two addresses, so that two connections are refused; the same encrypted; a certificate that does not
  // exist.
  for (const query of ['', '?sslmode=require', '?sslmode=verify-full&sslrootcert=/nowhere.crt']) {
    const DATABASE_URL = `postgres://owner:secret@localhost:1/shop${query}`
    const refused = runProgram('src/main.ts', { PORT: '1', DATABASE_URL })
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /^The shop cannot start: DATABASE_URL cannot be used: .+\n$/)
    assert.doesNotMatch(refused.stderr + refused.stdout, /secret/)
  }
})

test('npm run reconcile compares and repairs orders, whether the shop is running or not', async () => {
  const { port: PRACTICE_PORT } = new URL(shop.practiceUrl)
  const compare = (environment: Record<string, string> = {}, ...options: string[]) =>
    runProgram('src/reconcile.ts', { DATA_DIR: shop.dataDir, PRACTICE_PORT, ...environment }, ...options)
  const session = await openSession(shop)
  // While stopped, the shop does not learn of this payment.
  shop.signal('SIGSTOP')
  try {
    await pay(session.url)
    const found = compare()
    assert.match(
      found.stdout,
      new RegExp(`^missing order  ${session.id}\n(.+\n){2}1 difference is left\\.\n$`, 'm'),
    )
    assert.deepEqual([found.status, found.stderr], [1, ''])
    const repaired = compare({}, '--repair')
    assert.match(
      repaired.stdout,
      new RegExp(`^repaired: missing order  ${session.id}\n.+\nNothing differs\\.\n$`, 'm'),
    )
    assert.deepEqual([repaired.status, repaired.stderr], [0, ''])
    // Only the provider at the address that is named is asked.
    const nobodys = `${await freePort()}`
    const named = { STRIPE_API_BASE: shop.practiceUrl, PRACTICE_PORT: nobodys }
    const keys = { STRIPE_SECRET_KEY: 'sk_test_practice', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
    assert.match(compare({ ...named, ...keys }).stdout, /^Nothing differs\.$/m)
    assert.match(compare(named).stdout, /^Nothing differs\.$/m)
    const unheard = compare({ ...named, STRIPE_API_BASE: `http://127.0.0.1:${nobodys}` })
    assert.match(unheard.stderr, /^Nothing was compared: .+: .*ECONNREFUSED.*\n$/)
    assert.equal(unheard.status, 2)
    const lost = compare({ DATABASE_URL: 'postgres://owner:secret@localhost:1/shop' })
    assert.match(lost.stderr, /^Nothing was compared: .+: .*ECONNREFUSED.*\n$/)
    assert.doesNotMatch(lost.stderr, /secret/)
    const unnamed = compare({ NODE_ENV: 'production' })
    assert.match(unnamed.stderr, /^Nothing was compared: STRIPE_SECRET_KEY must be set in production .+\n$/)
    // It must not start a second practice provider beside the shop's own.
    const elsewhere = compare({ PRACTICE_PORT: nobodys })
    assert.match(elsewhere.stderr, /^Nothing was compared: Data directory is in use by process \d+.*\n$/)
    assert.equal(elsewhere.status, 2)
  } finally {
    shop.signal('SIGCONT')
  }
  assert.equal((await confirm(shop, session.id)).status, 200)
  await shop.stop()
  const compared = compare()
  assert.match(compared.stdout, /^\d+ sessions? at the provider .+\n(.+\n)*Nothing differs\.\n$/)
  assert.deepEqual([compared.status, compared.stderr], [0, ''])
  await shop.start()
})

/** Loaded before all else: instead of sending a request, fails with the host and the key that it is meant for. */
const withoutStripe = `
  import https from 'node:https'
  import { syncBuiltinESMExports } from 'node:module'
  https.request = ({ host, headers }) => { throw new Error('asked ' + host + ' with ' + headers.Authorization) }
  syncBuiltinESMExports()`

test('npm run reconcile with a key asks Stripe with that key, even beside a practice provider', () => {
  const { port: PRACTICE_PORT } = new URL(shop.practiceUrl)
  const asked = runProgram('src/reconcile.ts', {
    DATA_DIR: shop.dataDir,
    PRACTICE_PORT,
    STRIPE_SECRET_KEY: 'sk_test_of_this_shop',
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutStripe)}`,
  })
  assert.match(
    asked.stderr,
    /^Nothing was compared: .*asked api\.stripe\.com with Bearer sk_test_of_this_shop\n$/,
  )
  assert.equal(asked.status, 2)
})

test('npm run reconcile refuses a data folder without a database, and creates nothing there', () => {
  const DATA_DIR = join(shop.dataDir, 'mistyped')
  const compared = runProgram('src/reconcile.ts', { DATA_DIR })
  assert.equal(compared.status, 2)
  assert.equal(compared.stderr, `Nothing was compared: DATA_DIR ${DATA_DIR} has no shop's database\n`)
  assert.ok(!existsSync(DATA_DIR))
})

test('npm run fill adds the requested number of products to a running shop, and refuses to run without one', async () => {
  const fill = (...options: string[]) => runProgram('scripts/fill.ts', { DATA_DIR: shop.dataDir }, ...options)
  const products = async () => (await listProducts(shop, 'limit=1')).totalProducts
  const before = await products()
  const nothing = fill()
  assert.deepEqual([nothing.status, nothing.stdout], [1, ''])
  assert.match(nothing.stderr, /^Say how many: .+\n$/)
  const filled = fill('--products', '3')
  assert.deepEqual([filled.status, filled.stderr], [0, ''])
  await until(async () => (await products()) === before + 3)
})

test('an unusable data folder stops the start with one clear line that names DATA_DIR', () => {
  for (const folder of ['/dev/null/data', ...(process.platform === 'linux' ? ['/proc/data'] : [])]) {
    const refused = runProgram('src/main.ts', { PORT: '1', DATA_DIR: folder })
    assert.match(
      refused.stderr,
      new RegExp(`^The shop cannot start: DATA_DIR ${folder} cannot be used: .+\\n$`),
    )
    assert.equal(refused.status, 1)
  }
})

/** Loaded before all else: pretends that Node is of this version and lacks what is newer. */
const olderNode = (version: string) => `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (name, context, next) =>
      name === 'node:module' ? { url: 'data:text/javascript,', shortCircuit: true } : next(name, context),
  })
  Object.defineProperty(process, 'version', { value: 'v${version}' })
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`

test('missing packages, a bad folder name or an old Node stop the start with one clear line', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [place, reason, ...options] of [
    ['shop', /^What the shop is made of is not there yet: run `npm ci` first\n$/],
    ['shop #1', /^The shop's folder has one of # .* in its path, .* It is .*shop #1\n$/],
    ...['20.0.0', '23.11.1'].map((version): [string, RegExp, string] => [
      'shop',
      new RegExp(`^The shop needs Node 24, and this is v${version}; plain \`npm ci\` brings one\n$`),
      `--import=data:text/javascript,${encodeURIComponent(olderNode(version))}`,
    ]),
  ] satisfies [string, RegExp, string?][]) {
    const scripts = join(folder, place, 'scripts')
    await mkdir(scripts, { recursive: true })
    await copyFile(
      resolve(import.meta.dirname, '../scripts/quick-start.mjs'),
      join(scripts, 'quick-start.mjs'),
    )
    const quickStart = [...options, '--import', './scripts/quick-start.mjs', 'none.ts']
    const refused = spawnSync(process.execPath, quickStart, {
      cwd: join(folder, place),
      encoding: 'utf8',
    })
    assert.match(refused.stderr, reason)
    assert.equal(refused.status, 1)
  }
})

test('a port in use stops the start with one clear line that names the variable', async () => {
  const [, port = ''] = shop.url.split('localhost:')
  const free = async () => `${await freePort()}`
  const otherPorts = {
    PORT: await free(),
    PRACTICE_PORT: await free(),
    DATA_DIR: join(shop.dataDir, 'other'),
  }
  for (const name of ['PORT', 'PRACTICE_PORT'] as const) {
    const refused = runProgram('src/main.ts', { ...otherPorts, [name]: port })
    assert.match(
      refused.stderr,
      new RegExp(`^The shop cannot start: .*\\b${name} ${port} is already in use\\n$`),
    )
    assert.equal(refused.status, 1)
  }
})

test('ADMIN_EMAIL is case-insensitive, and a common ADMIN_PASSWORD causes a warning', async () => {
  const demo = await startShop({ ADMIN_EMAIL: 'Owner@Shop.Example', ADMIN_PASSWORD: 'password123' })
  assert.match(demo.output(), /^ADMIN_PASSWORD is one of the most common passwords/m)
  const login = { email: 'owner@shop.example', password: 'password123' }
  assert.equal((await post(demo, '/api/auth/login', login)).status, 200)
  await demo.close()
})

test('a demo prints its logins, and refuses or warns when others could use its default passwords', async () => {
  const demo = await startShop()
  const admin = 'admin@haberdash.example / demo-admin-1'
  await demo.stop()
  await demo.start({ ADMIN_EMAIL: 'somebody@else.example' })
  assert.ok(demo.output().includes(admin))
  assert.ok(!demo.output().includes('somebody@else.example'))

  const everywhere = { DEMO: '0', HOST: '0.0.0.0' }
  const change = async (email: string, currentPassword: string) => {
    const answer = await fetch(`${demo.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: currentPassword }),
    })
    const { token } = (await answer.json()) as { token: string }
    const changed = await fetch(`${demo.url}/api/auth/change-password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ currentPassword, newPassword: 'plum-teapot-9' }),
    })
    assert.equal(changed.status, 200)
  }
  const behindProxy = { PUBLIC_URL: 'https://shop.example' }
  const live = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
  await demo.stop()
  await demo.start(behindProxy)
  const harm = /PUBLIC_URL https:\/\/shop\.example lets others in/
  assert.match(demo.output(), harm)
  // It names both accounts, whose passwords are unchanged.
  assert.match(demo.output(), / as customer@haberdash\.example and admin@haberdash\.example, with /)
  for (const [email, password] of [
    ['customer@haberdash.example', 'demo-customer-1'],
    ['admin@haberdash.example', 'demo-admin-1'],
  ] as const) {
    await demo.stop()
    await assert.rejects(demo.start(everywhere), /The shop cannot start: HOST 0\.0\.0\.0 lets others in/)
    for (const DEMO of ['0', '1']) await assert.rejects(demo.start({ ...behindProxy, ...live, DEMO }), harm)
    await demo.start()
    await change(email, password)
  }
  await demo.stop()
  await demo.start(everywhere)
  assert.ok(!demo.output().includes('haberdash.example'))
  assert.match(
    demo.output(),
    /^PUBLIC_URL http:\/\/localhost:\d+ can be reached from this machine only: nobody else can log in/m,
  )
  await demo.close()
})

test('the shop keeps running when nothing reads its output any more', async () => {
  shop.closeOutputPipes()
  for (let refusal = 0; refusal < 5; refusal += 1) {
    assert.equal((await fetch(`${shop.url}/api/auth/me`)).status, 401)
  }
  assert.equal((await fetch(`${shop.url}/health`)).status, 200)
})

test('the shop exits with 0 on SIGINT, SIGHUP and SIGTERM', async () => {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
    assert.equal(await shop.stop(signal), 0)
    await shop.start()
  }
})

test('a first start that is stopped while it stores the demo’s pictures exits with 0 and reports no lost connection', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  const [command = '', ...parameters] = program
  const ports = { PORT: `${await freePort()}`, PRACTICE_PORT: `${await freePort()}` }
  const starting = spawn(command, parameters, { env: { ...process.env, ...ports, DATA_DIR: dataDir } })
  t.after(() => starting.kill('SIGKILL'))
  let printed = ''
  for (const stream of [starting.stdout, starting.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  }
  const stored = async () => (await readdir(join(dataDir, 'uploads')).catch(() => [])).length
  await until(async () => (await stored()) > 1, 'the first pictures', 60_000, 5)
  starting.kill('SIGTERM')
  const [code] = (await once(starting, 'close')) as [number | null]
  assert.equal(code, 0)
  assert.doesNotMatch(printed, /lost/)
})

test('npm start forwards SIGTERM and SIGINT to the shop, and exits with 0 once it has ended', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const shop = await startShop({}, [], ['npm', 'start'])
    assert.equal(await shop.stop(signal), 0)
    await assert.rejects(fetch(`${shop.url}/health`))
    await shop.close()
  }
})

test('with a separate PostgreSQL server, a second start is refused and a killed shop loses no order', async () => {
  const server = await startOwnPostgres()
  let other: ShopProcess | undefined
  try {
    other = await startShop({ DATABASE_URL: server.url })
    // It must not start: two practice providers would write to one store.
    const settings = { PORT: '1', DATA_DIR: other.dataDir, DATABASE_URL: server.url }
    const second = runProgram('src/main.ts', settings)
    assert.equal(second.status, 75)
    assert.match(second.stderr, /^The shop cannot start: Data directory is in use by process \d+: .+\n$/)
    const session = await openSession(other)
    await pay(session.url)
    await other.kill()
    await other.start()
    const { data } = (await (await confirm(other, session.id)).json()) as { data: { orderId: string } }
    assert.equal(await ordersNamed(other, data.orderId), 1)
  } finally {
    await other?.close()
    await server.stop()
  }
})

test('two shops that start at once on one empty database fill it only once', async () => {
  const server = await startOwnPostgres()
  const starts = await Promise.allSettled([1, 2].map(() => startShop({ DATABASE_URL: server.url })))
  const shops = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    assert.equal(shops.length, 2)
    for (const each of shops) assert.equal((await listProducts(each, 'limit=1')).totalProducts, 80)
  } finally {
    await Promise.all(shops.map((one) => one.close())).finally(() => server.stop())
  }
})

test('with a low open-file limit, the shop keeps fewer connections, logs it and still reaches its database', async (t) => {
  if (process.platform !== 'linux') return t.skip('looks into /proc')
  const few = await startShop({}, [], ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh', ...program])
  t.after(() => few.close())
  assert.match(few.output(), /256 files \(ulimit -n\): it keeps 156 connections/)
  const kept: Socket[] = []
  t.after(() => kept.forEach((socket) => socket.destroy()))
  const address = few.url.replace('localhost', '127.0.0.1')
  while (kept.length < 300) {
    const socket = await openSocket(address)
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200/, `${kept.length}`)
    kept.push(socket)
  }
  // More requests at once than there have been so far, so that the shop opens new connections to its database.
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => fetch(`${few.url}/api/products/?search=a`)),
  )
  for (const { status } of answers) assert.equal(status, 200)
})
