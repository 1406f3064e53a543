import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import Stripe from 'stripe'
import { startPractice } from '#practice/server.ts'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { makeUser } from '#shop/testing/factories.ts'
import type { Random } from '#shop/testing/random.ts'
import { Gate } from './gate.ts'
import type { Chronicle } from './chronicle.ts'
import { startDatabaseServer } from './database-server.ts'
import { prepareProgram, type Change } from './program.ts'
import { startProviderProxy, type ProviderProxy } from './provider-proxy.ts'
import { startShop, type Shop } from './shops.ts'
import { watchUnsynced, type Unsynced } from './unsynced.ts'
import { startWebhookProxy, type WebhookProxy } from './webhook-proxy.ts'

export type Headers = { authorization: string }

export type World = {
  random: Random
  chronicle: Chronicle
  /** Two processes on one database. */
  shops: [Shop, Shop]
  /** The database's folder. */
  databaseDir: string
  /** What the database has not synced; undefined where that cannot be watched. */
  unsynced: Unsynced | undefined
  /** While it is off, neither the database nor the shop on the same machine is started again. */
  power: { isOff: boolean }
  environment: Record<string, string>
  /** A client of the provider that bypasses the proxy. */
  stripe: Stripe
  providerProxy: ProviderProxy
  webhookProxy: WebhookProxy
  /** Where customers wait for the next kill. */
  gate: Gate
  query<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>
  /** Tries once, without delay; undefined when the database does not respond. */
  queryOnce(text: string, values: unknown[]): Promise<unknown[] | undefined>
  /** How many customers have finished. */
  finishedCustomers: number
  /** How many responses asked a customer to try again later. */
  refused: number
  /** Whether no shop is killed, so that every request must be answered. */
  isEveryAnswerRequired: boolean
  /** Whether the run has nothing more to find out. */
  isOver(): boolean
  admin: Headers
  makeUser(): Promise<{ id: string; headers: Headers }>
  close(): Promise<void>
}

const quickRetryDelaysMs = [300, 600, 1000, 2000, 3000]
const webhookSecret = 'whsec_faults_secret'

/**
 * Two processes of the real shop on one database, with a provider of their own behind a faulty proxy. The database
 * is the first shop's embedded one or, as `server`, one over TCP that neither of them has started.
 */
export async function openWorld(options: {
  random: Random
  chronicle: Chronicle
  database: 'embedded' | 'server'
  faultRate: number
  /** Made in a copy of the program before it is run. */
  changes: Change[]
}): Promise<World> {
  const { random, chronicle, faultRate } = options
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'faults-')))
  const [databaseDir, otherDir] = [join(folder, 'data'), join(folder, 'other')]
  // After a violation, the folder is left for inspection.
  const leave = () => chronicle.violations.length || rm(folder, { recursive: true, force: true })
  const closing: (() => unknown)[] = [leave]
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
    folder: join(folder, 'provider'),
    webhookUrl: webhookProxy.url,
    webhookSecret,
    retryDelaysMs: quickRetryDelaysMs,
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
    // One compile cache for all of the many starts.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    STRIPE_SECRET_KEY: 'sk_test_faults',
    STRIPE_API_BASE: providerProxy.url,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    DATA_DIR: databaseDir,
    DATABASE_URL: '',
  }
  const unsynced = await watchUnsynced(folder, databaseDir)
  const power = { isOff: false }
  if (options.database === 'server') {
    const server = await startDatabaseServer(databaseDir, chronicle, {
      environment: unsynced?.environment ?? {},
      canStart: () => !power.isOff,
    })
    closing.push(() => server.end())
    environment.DATABASE_URL = server.url
    environment.DATA_DIR = join(folder, 'first')
  }
  const watching = unsynced && options.database === 'embedded' ? [unsynced.change] : []
  const changes = [...options.changes, ...watching]
  const program = await prepareProgram(join(folder, 'program'), changes)
  const first = await startShop({
    name: 'shop 1',
    chronicle,
    program,
    environment,
    canStart: async () => !power.isOff,
  })
  shops.push(first)
  closing.push(() => first.end())
  await waitUntil(() => first.isHealthy())
  const embedded = await findRunningPostgres(databaseDir)
  const databaseUrl = embedded ? addressOf(embedded) : environment.DATABASE_URL
  const connection = { connectionString: databaseUrl }
  const second = await startShop({
    name: 'shop 2',
    chronicle,
    program,
    environment: { ...environment, DATA_DIR: otherDir, DATABASE_URL: databaseUrl },
    canStart: () => first.isHealthy(),
  })
  shops.push(second)
  closing.push(() => second.end())

  const query = <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    withClient(connection, async (client) => (await client.query<T>(text, values)).rows)
  const pool = new pg.Pool({ ...connection, max: 8, connectionTimeoutMillis: 1000 })
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))
  closing.push(() => pool.end())
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
    unsynced,
    power,
    environment: { ...environment, STRIPE_API_BASE: target },
    stripe: new Stripe('sk_test_faults', { host: hostname, port, protocol: 'http', telemetry: false }),
    providerProxy,
    webhookProxy,
    gate: new Gate(),
    query,
    queryOnce: (text, values) =>
      pool.query<pg.QueryResultRow>(text, values).then(
        ({ rows }) => rows,
        () => undefined,
      ),
    finishedCustomers: 0,
    refused: 0,
    isEveryAnswerRequired: false,
    isOver: () => false,
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

type DatabaseAddress = { host: string; port: number; user: string; database: string }

function addressOf({ host, port, user, database }: DatabaseAddress): string {
  return `postgres:///${database}?${new URLSearchParams({ host, port: `${port}`, user }).toString()}`
}

/** Retries until the database responds: it may just have been killed. */
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

/** Waits until it is true, but not for ever; returns whether it is. */
export async function waitUntil(
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 120_000,
): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) return false
    await wait(50)
  }
  return true
}
