import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findLauncher } from '#shop/platform/postgres/postgres-binaries.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { findInstalledPostgres } from '#shop/testing/installed-postgres.ts'
import { until } from '#shop/testing/until.ts'

const run = promisify(execFile)

export type OwnPostgres = {
  url: string
  /** As `pg_ctl stop`, or, with SIGQUIT, `pg_ctl stop -m immediate`: every connection is closed. */
  halt(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts it again; resolves when it accepts queries. */
  resume(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL server as an operator runs it, over TCP, with the locale that README.md asks for. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const { initdb, postgres } = await findInstalledPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'own-postgres-'))
  const { prefix } = await findLauncher({ postgres, dataDir: folder, clusterOwner: undefined })
  const data = join(folder, 'data')
  const options = [
    '-D',
    data,
    '-U',
    'owner',
    '--auth',
    'trust',
    '-E',
    'UTF8',
    '--locale',
    'C.UTF-8',
    '--no-sync',
  ]
  const [make = initdb, ...making] = [...prefix, initdb, ...options]
  await run(make, making, { cwd: folder })
  const port = await freePort()
  const url = `postgres://owner@127.0.0.1:${port}/postgres`
  // Autovacuum, which may run at any moment, would keep a migration from marking its tables as all-visible.
  const settings = [
    'unix_socket_directories=',
    'listen_addresses=127.0.0.1',
    'fsync=off',
    'autovacuum=off',
  ].flatMap((setting) => ['-c', setting])
  const [command = postgres, ...args] = [...prefix, postgres, '-D', data, '-p', `${port}`, ...settings]
  const launch = () => spawn(command, args, { cwd: folder, stdio: 'ignore' })
  let server = launch()
  await until(() => isReady(url))
  const halt: OwnPostgres['halt'] = async (signal = 'SIGINT') => {
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
  }
  return {
    url,
    halt,
    async resume() {
      server = launch()
      await until(() => isReady(url))
    },
    async stop() {
      await halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
