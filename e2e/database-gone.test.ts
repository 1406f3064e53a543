import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { until } from '#shop/testing/until.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { adminHeaders, openSession, pay, post, confirm, listProducts } from './shop-calls.ts'
import { sendSignal, startShop, type ShopProcess } from './shop-process.ts'

/** Clients that never stop. Each response must be right, or a 503 that says when to come back. */
function startCrowd(shop: ShopProcess, headers: { authorization: string }) {
  const statuses = new Map<number, number>()
  let isOver = false
  const ask = async (number: number) => {
    const urls = ['/api/products/?limit=3', '/api/orders/?limit=5', '/api/auth/me', '/health']
    for (let turn = number; !isOver; turn += 1) {
      const response = await fetch(shop.url + (urls[turn % urls.length] ?? ''), { headers })
      const text = await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      assert.ok([200, 503].includes(response.status), `${response.status} ${text}`)
      if (response.status !== 503) continue
      assert.ok(Number(response.headers.get('retry-after')) > 0)
      assert.match(text, /"code":"(database_unavailable|overloaded)"/)
    }
  }
  const asking = Promise.all(Array.from({ length: 12 }, (_, number) => ask(number)))
  return {
    statuses,
    async end() {
      isOver = true
      await asking
    },
  }
}

async function priceOf(shop: ShopProcess, id: string): Promise<number | undefined> {
  const response = await fetch(`${shop.url}/api/products/${id}`)
  if (!response.ok) return undefined
  return ((await response.json()) as { data: { product: { price: number } } }).data.product.price
}

async function changePrice(connection: pg.ClientConfig, id: string, cents: number): Promise<boolean> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('update products set price_cents = $1 where id = $2', [cents, id])
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The lines of its output, without those about single requests. */
const lines = (shop: ShopProcess) =>
  shop
    .output()
    .split('\n')
    .filter((line) => line && !line.startsWith('{'))

async function checkOutage(
  shop: ShopProcess,
  connection: () => Promise<pg.ClientConfig | undefined>,
  server: { lose(): Promise<void>; regain(): Promise<void> },
): Promise<void> {
  const headers = await adminHeaders(shop)
  const [product] = (await listProducts(shop, 'limit=1')).products
  assert.ok(product)
  const paid = await openSession(shop)
  await pay(paid.url)
  // From now on the response is cached.
  assert.equal(await priceOf(shop, product._id), product.price)
  assert.equal(await priceOf(shop, product._id), product.price)
  const before = lines(shop).length
  const crowd = startCrowd(shop, headers)
  await server.lose()
  await until(async () => (await fetch(`${shop.url}/health`)).status === 503 || crowd.statuses.get(503))
  await server.regain()
  // The first client to get through changes a price; from then on nobody may see the old one.
  const cents = Math.round(product.price * 100) + 1
  await until(async () => changePrice((await connection()) ?? {}, product._id, cents))
  const seen = await until(() => priceOf(shop, product._id))
  assert.equal(seen, cents / 100)
  await until(async () => (await fetch(`${shop.url}/health`)).ok)
  const answer = await until(async () => {
    const response = await confirm(shop, paid.id)
    return response.ok && response
  })
  assert.equal(answer.status, 200)
  await crowd.end()
  // The connection that listens for changes is reopened by itself, a little later than those for queries.
  await until(async () => lines(shop).slice(before).join('\n').includes('reports changes again'))
  const logged = lines(shop).slice(before)
  // Usually up to five. On a slow machine it may lose the database a second time.
  assert.ok(logged.length > 0 && logged.length <= 12, logged.join('\n'))
  assert.match(logged.join('\n'), /does not report changes.*(\n.*)*reports changes again/)
  assert.doesNotMatch(shop.output(), /"level":50,.*"status":500/)
}

/** Buys one thing after another, retrying as often as told to; `orders` gets the order of each session. */
async function keepBuying(
  shop: ShopProcess,
  line: object,
  orders: Map<string, string>,
  isOver: () => boolean,
) {
  const untilAnswered = async <T>(path: string, body: object, headers = {}): Promise<T> => {
    const response = await until(async () => {
      const answer = await post(shop, path, body, headers)
      if (answer.status !== 503) return answer
      assert.ok(Number(answer.headers.get('retry-after')) > 0, await answer.text())
      return undefined
    })
    assert.ok(response.ok, await response.clone().text())
    return (await response.json()) as T
  }
  while (!isOver()) {
    const key = { 'idempotency-key': randomUUID() }
    const cart = { products: [line] }
    const opening = '/api/orders/create-checkout-session'
    const session = await untilAnswered<{ id: string; url: string }>(opening, cart, key)
    await pay(session.url)
    const answer = await untilAnswered<{ data: { orderId: string } }>('/api/orders/confirm-payment', {
      session_id: session.id,
    })
    orders.set(session.id, answer.data.orderId)
  }
}

describe('an external database server', () => {
  let server: OwnPostgres
  let shop: ShopProcess
  before(async () => {
    server = await startOwnPostgres()
    shop = await startShop({ DATABASE_URL: server.url, RATE_LIMITS: 'off' })
  })
  after(async () => {
    try {
      await shop.close()
    } finally {
      await server.stop()
    }
  })

  test('an outage causes 503 responses, a few log lines and no stale data afterwards', async () => {
    const connection = async () => ({ connectionString: server.url })
    await checkOutage(shop, connection, { lose: () => server.halt(), regain: () => server.resume() })
  })

  test('restarts and crashes under load leave every purchase with exactly one order', async () => {
    const { products } = await listProducts(shop, 'limit=1')
    const confirmedOrders = new Map<string, string>()
    let isOver = false
    const line = { _id: products[0]?._id, quantity: 1 }
    const buying = Promise.all(
      Array.from({ length: 6 }, () => keepBuying(shop, line, confirmedOrders, () => isOver)),
    )
    const ask = async <T extends pg.QueryResultRow>(text: string, values: unknown[]) => {
      const connection = { connectionString: server.url }
      return (await withConnection(connection, (client) => client.query<T>(text, values))).rows
    }
    const restart = async (signal: 'SIGINT' | 'SIGQUIT') => {
      await server.halt(signal)
      await server.resume()
    }
    // At any given moment, all of them may be busy with something else.
    const killOne = () =>
      until(async () => {
        const busy = `select pid from pg_stat_activity where query like '%checkouts%' and pid <> pg_backend_pid() limit 1`
        const [found] = await ask<{ pid: number }>(busy, [])
        return found && sendSignal(found.pid, 'SIGKILL')
      })
    for (const end of [
      () => restart('SIGINT'),
      () => restart('SIGQUIT'),
      killOne,
      () => restart('SIGQUIT'),
    ]) {
      const before = confirmedOrders.size
      await until(async () => confirmedOrders.size >= before + 12)
      await end()
    }
    isOver = true
    await buying
    const orders = await ask<{ session: string; payment: string }>(
      'select session_id as session, payment_id as payment from orders where session_id = any($1)',
      [[...confirmedOrders.keys()]],
    )
    assert.equal(orders.length, confirmedOrders.size)
    for (const { session, payment } of orders) assert.equal(payment, confirmedOrders.get(session))
  })
})

test('a killed embedded database restarts by itself, and no stale data is shown', async () => {
  const shop = await startShop({ RATE_LIMITS: 'off' })
  try {
    await checkOutage(shop, () => findRunningPostgres(shop.dataDir), {
      async lose() {
        const pid = Number.parseInt(await readFile(join(shop.dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
        process.kill(pid, 'SIGKILL')
      },
      regain: async () => {},
    })
  } finally {
    await shop.close()
  }
})
