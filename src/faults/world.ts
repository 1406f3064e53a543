import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import Stripe from 'stripe'
import { startPractice } from '#practice/server.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#shop/platform/embedded-postgres.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { Gate } from './gate.ts'
import type { Chronicle } from './chronicle.ts'
import { startProviderProxy, type ProviderProxy } from './provider-proxy.ts'
import type { Random } from './random.ts'
import { startShop, type Shop } from './shops.ts'
import { startWebhookProxy, type WebhookProxy } from './webhook-proxy.ts'

export type Headers = { authorization: string }

export type World = {
  random: Random
  chronicle: Chronicle
  /** Two processes on one database. */
  shops: [Shop, Shop]
  /** Where the database lies. */
  databaseDir: string
  environment: Record<string, string>
  /** The provider as it is, past the proxy. */
  stripe: Stripe
  providerProxy: ProviderProxy
  webhookProxy: WebhookProxy
  /** Customers who wait for something to be killed under their hands. */
  gate: Gate
  query<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>
  admin: Headers
  makeUser(): Promise<{ id: string; headers: Headers }>
  close(): Promise<void>
}

const quickRetries = [300, 600, 1000, 2000, 3000]
const webhookSecret = 'whsec_faults_secret'

/**
 * The shop as it runs, twice, on one database, with a provider of its own and a bad line in between. The database is
 * the first shop's embedded one, or, as `server`, one that neither of them has started.
 */
export async function openWorld(options: {
  random: Random
  chronicle: Chronicle
  database: 'embedded' | 'server'
  faultRate: number
}): Promise<World> {
  const { random, chronicle, faultRate } = options
  const folder = await mkdtemp(join(tmpdir(), 'faults-'))
  const [databaseDir, otherDir] = [join(folder, 'data'), join(folder, 'other')]
  const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  const shops: Shop[] = []
  await Promise.all([databaseDir, otherDir].map((dir) => mkdir(dir, { mode: 0o700 })))
  const webhookProxy = await startWebhookProxy({
    random: random.stream('signals'),
    chronicle,
    target: () => (random.chance(0.6) ? shops[0] : shops[1])?.url ?? 'http://127.0.0.1:1',
    customerOf: (sessionId) => providerProxy.customerOf(sessionId),
  })
  const practice = await startPractice({
    port: 0,
    host: '127.0.0.1',
    folder: join(folder, 'provider'),
    webhookUrl: webhookProxy.url,
    webhookSecret,
    retryDelaysMs: quickRetries,
  })
  const target = `http://127.0.0.1:${practice.port}`
  const providerProxy = await startProviderProxy({
    target,
    random: random.stream('provider'),
    chronicle,
    faultRate,
  })

  const environment = {
    DEMO: '0',
    RATE_LIMITS: 'off',
    NODE_ENV: '',
    // Compiled once, not at each of many starts.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    STRIPE_SECRET_KEY: 'sk_test_faults',
    STRIPE_API_BASE: providerProxy.url,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    DATA_DIR: databaseDir,
    DATABASE_URL: '',
  }
  if (options.database === 'server') {
    const server = await startEmbeddedPostgres({ dataDir: databaseDir, log: (line) => chronicle.note(line) })
    closing.push(() => server.stop())
    environment.DATABASE_URL = addressOf(server.connection)
    environment.DATA_DIR = join(folder, 'first')
  }
  const first = await startShop({ name: 'shop 1', chronicle, environment, canStart: async () => true })
  shops.push(first)
  closing.push(() => first.end())
  await until(() => first.isHealthy())
  const connection = await findRunningPostgres(databaseDir)
  if (!connection) throw new Error('The database is not where it should be')
  const second = await startShop({
    name: 'shop 2',
    chronicle,
    environment: { ...environment, DATA_DIR: otherDir, DATABASE_URL: addressOf(connection) },
    canStart: () => first.isHealthy(),
  })
  shops.push(second)
  closing.push(() => second.end())

  const query = <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    withClient(connection, async (client) => (await client.query<T>(text, values)).rows)
  const makeOne = async (role: 'user' | 'admin') => {
    const { user, headers } = await withClient(connection, (client) => makeUser(drizzle(client), { role }))
    return { id: user.id, headers }
  }
  const { hostname, port } = new URL(target)
  return {
    random,
    chronicle,
    shops: [first, second],
    databaseDir,
    environment: { ...environment, STRIPE_API_BASE: target },
    stripe: new Stripe('sk_test_faults', { host: hostname, port, protocol: 'http', telemetry: false }),
    providerProxy,
    webhookProxy,
    gate: new Gate(),
    query,
    admin: (await makeOne('admin')).headers,
    makeUser: () => makeOne('user'),
    async close() {
      await second.end()
      await first.end()
      await practice.close()
      providerProxy.close()
      webhookProxy.close()
      for (const end of closing.reverse()) await end()
    },
  }
}

function addressOf({
  host,
  port,
  user,
  database,
}: {
  host: string
  port: number
  user: string
  database: string
}) {
  return `postgres:///${database}?${new URLSearchParams({ host, port: `${port}`, user }).toString()}`
}

/** Tried until the database answers: it may just have been killed. */
async function withClient<T>(
  connection: pg.ClientConfig,
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + 60_000
  for (;;) {
    const client = new pg.Client(connection)
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await act(client)
    } catch (error) {
      if (
        performance.now() > giveUpAt ||
        (error instanceof pg.DatabaseError && !/^57|^08/.test(error.code ?? ''))
      )
        throw error
      await wait(100)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

export async function until(isTrue: () => Promise<boolean> | boolean, withinMs = 120_000): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) return false
    await wait(50)
  }
  return true
}
