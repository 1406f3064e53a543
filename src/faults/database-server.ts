import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { cleanEnvironment, runGuarded } from '#shop/platform/postgres/guarded-process.ts'
import { findLauncher } from '#shop/platform/postgres/postgres-binaries.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { findInstalledPostgres } from '#shop/testing/installed-postgres.ts'
import type { Chronicle } from './chronicle.ts'
import { findProcessesIn } from './shops.ts'

/** A PostgreSQL server as an operator would run it: reached over TCP, and no child process of a shop. */
type DatabaseServer = { url: string; end(): Promise<void> }

/** Starts the server, and again whenever it has ended. */
export async function startDatabaseServer(
  dataDir: string,
  chronicle: Chronicle,
  parts: { environment: Record<string, string>; canStart(): boolean },
): Promise<DatabaseServer> {
  const { initdb, postgres } = await findInstalledPostgres()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const { prefix } = await findLauncher({ postgres, dataDir, clusterOwner: undefined })
  const clusterDir = join(dataDir, 'postgres')
  const [port, logFile] = [await freePort(), join(dataDir, 'server.log')]
  const options = ['--username', 'haberdash', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
  const made = await runGuarded({ command: [...prefix, initdb, '-D', clusterDir, ...options], logFile }).ended
  if (!made.isSuccess) throw new Error(`The database server can not be made: ${made.reason}`)

  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    // Otherwise the server would wait forever for a recovery process that was killed.
    restart_after_crash: 'off',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command = postgres, ...args] = [...prefix, postgres, '-D', clusterDir, ...flags]
  let isEnding = false
  let child: ChildProcess | undefined
  const keepRunning = async () => {
    while (!isEnding) {
      const log = await open(logFile, 'a')
      // The backends of a dead server end by themselves, each when it notices.
      while ((await findProcessesIn(clusterDir)).length) await wait(50)
      // There must be no await between this check and the start: the power may go off at any moment.
      while (!parts.canStart()) await wait(20)
      rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
      child = spawn(command, args, {
        stdio: ['ignore', 'ignore', log.fd],
        env: { ...cleanEnvironment, ...parts.environment },
      })
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
      await log.close()
      if (isEnding) return
      chronicle.note(`the database server ended with ${signal ?? code}`)
    }
  }
  const keeping = keepRunning()
  const url = `postgres://haberdash@127.0.0.1:${port}/haberdash`
  await createDatabase(url)
  return {
    url,
    async end() {
      isEnding = true
      child?.kill('SIGINT')
      await keeping
    },
  }
}

async function createDatabase(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url.replace(/\w+$/, 'postgres') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return void (await client.query('create database haberdash'))
    } catch (error) {
      if (tries === 100) throw error
      await wait(100)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
