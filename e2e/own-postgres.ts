import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort, until } from './shop-process.ts'

const run = promisify(execFile)
const nobody = 65_534

export type OwnPostgres = { url: string; version: string; stop(): Promise<void> }

/** A PostgreSQL server as somebody else runs it, over TCP; undefined where none is installed. */
export async function startOwnPostgres(): Promise<OwnPostgres | undefined> {
  const found = spawnSync('sh', ['-c', 'command -v initdb && command -v postgres'], { encoding: 'utf8' })
  const [initdb, postgres] = found.stdout.trim().split('\n')
  if (!initdb || !postgres) return undefined
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  const folder = await mkdtemp(join(tmpdir(), 'own-postgres-'))
  if (isRoot) await chown(folder, nobody, nobody)
  const data = join(folder, 'data')
  const options = { ...user, cwd: folder, env: { ...process.env, HOME: folder } }
  await run(initdb, ['-D', data, '-U', 'owner', '--auth', 'trust', '--no-sync'], options)
  const port = await freePort()
  const settings = ['-c', `unix_socket_directories=${folder}`, '-c', 'listen_addresses=127.0.0.1']
  const server = spawn(postgres, ['-D', data, '-p', `${port}`, ...settings], { ...options, stdio: 'ignore' })
  const url = `postgres://owner@127.0.0.1:${port}/postgres`
  const version = await until(() => versionAt(url))
  return {
    url,
    version,
    async stop() {
      const exit = once(server, 'exit')
      server.kill('SIGINT')
      await exit
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function versionAt(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => undefined)
  }
}
