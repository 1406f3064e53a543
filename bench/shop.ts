import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { fillShop, type Amounts } from '#shop/testing/fill.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { isHealthy } from '#shop/testing/is-healthy.ts'
import packageJson from '../package.json' with { type: 'json' }

const project = resolve(import.meta.dirname, '..')

/** A shop as people run it, with ports and data of its own. */
export type BenchShop = {
  pid: number
  port: number
  /** From the start of its process until it answers `/health`. */
  startedInMs: number
  client: pg.Client
  connection: pg.PoolConfig
  /** Its environment variables, for programs that run beside it. */
  environment: NodeJS.ProcessEnv
  fill(amounts: Partial<Amounts>): Promise<void>
  /** Drops the caches of every process, so that the next response is made from the database. */
  forget(): Promise<void>
  stop(): Promise<void>
}

export async function startShop(folder: string): Promise<BenchShop> {
  const [port, practicePort] = [await freePort(), await freePort()]
  const dataDir = join(folder, 'data')
  const began = performance.now()
  const environment = {
    ...process.env,
    PORT: `${port}`,
    PRACTICE_PORT: `${practicePort}`,
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    NODE_ENV: 'production',
    PAYMENTS: 'practice',
    DEMO: '1',
  }
  // As `npm start` does.
  const child = spawn(process.execPath, packageJson.scripts.start.split(' ').slice(2), {
    cwd: project,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!(await isHealthy(`http://127.0.0.1:${port}`))) {
    if (child.exitCode !== null) throw new Error('The shop did not start.')
    await wait(10)
  }
  const startedInMs = performance.now() - began
  const connection = await findRunningPostgres(dataDir)
  if (!connection || child.pid === undefined) throw new Error('The shop has no database.')
  const client = new pg.Client(connection)
  await client.connect()
  return {
    pid: child.pid,
    port,
    startedInMs,
    client,
    connection,
    environment,
    async fill(amounts) {
      await fillShop(connection, { products: 0, orders: 0, users: 0, ...amounts }, () => {})
    },
    async forget() {
      await client.query("select pg_notify('shop_changed', '')")
      await wait(5)
    },
    async stop() {
      await client.end()
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}
