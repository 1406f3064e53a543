import { createHash } from 'node:crypto'
import { lstat, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { damageOf } from '#shop/platform/database-errors.ts'
import { type GuardedProcess, runGuarded } from './guarded-process.ts'
import { endLeftoverServer } from './leftover-server.ts'
import { StartError } from '#shop/platform/start-error.ts'

export type Connection = { host: string; port: number; user: string; database: string; ssl: false }

export type ServerPlan = {
  clusterDir: string
  logFile: string
  command: string[]
  connection: Connection
  signal: AbortSignal
}

export const socketPort = 5432
/** The address of a Unix socket has room for 104 bytes on macOS and 108 on Linux, with a zero at the end. */
const maxSocketPathBytes = 103
const readyWithinMs = 120_000
const oldServerGoneWithinMs = 20_000

export function listSettings(socketDir: string): string[] {
  const settings = {
    listen_addresses: '',
    port: socketPort,
    // The setting is a list, in which quotes protect spaces and commas.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: 100,
    shared_buffers: '128MB',
    max_wal_size: '256MB',
    // The default is a minute: until then the planner expects the few rows that were counted last, however many
    // are new.
    autovacuum_naptime: '15s',
    // Turns off processes that a database of this size has no work for.
    io_method: 'sync',
    max_logical_replication_workers: 0,
    fsync: 'on',
    // After a crash of one of its processes the server ends, and the shop starts it again. A server that restarts
    // by itself would wait for ever if the process that recovers it were killed too.
    restart_after_crash: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // "log" ranks above "error" here, so refused statements are not logged: the shop reports them itself, and
    // strangers could fill the disk with them.
    log_min_messages: 'log',
    log_statement: 'none',
    log_checkpoints: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * The socket lies in the data directory, or, when that path is too long for a socket's address, in a folder for
 * temporary files under a name made from the path. Anyone may create folders there, so this one must be ours and
 * closed to others.
 */
export async function prepareSocketDir(dataDir: string): Promise<string> {
  const name = `haberdash-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const socketDir = [join(dataDir, 'socket'), join(tmpdir(), name), join('/tmp', name)].find(
    (dir) => Buffer.byteLength(join(dir, `.s.PGSQL.${socketPort}`)) <= maxSocketPathBytes,
  )
  if (socketDir === undefined) throw new StartError(`No path short enough for a socket of ${dataDir}`)
  await mkdir(socketDir, { recursive: true, mode: 0o700 })
  if (dirname(socketDir) !== dataDir) await refuseForeignFolder(socketDir)
  return socketDir
}

async function refuseForeignFolder(dir: string): Promise<void> {
  const found = await lstat(dir)
  const isPrivate = found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0
  if (!isPrivate)
    throw new StartError(`${dir} must be a folder that only the shop's user can enter: remove it`)
}

/** Starts one server process that accepts connections. Throws when there will be none. */
export async function launchServer(plan: ServerPlan): Promise<GuardedProcess> {
  await endLeftoverServer(plan.clusterDir)
  const deadline = performance.now() + oldServerGoneWithinMs
  for (;;) {
    await clearSocketDir(plan.connection.host)
    const server = runGuarded(plan)
    const reason = await waitUntilReady(plan.connection, server)
    if (reason === 'ready') return server
    // Backends of a killed server end by themselves, each when it notices.
    const isOldServerEnding = /shared memory block|lock file|get lock/.test(reason)
    if (!isOldServerEnding || plan.signal.aborted || performance.now() > deadline) {
      throw new StartError(
        `The database does not start: ${reason} (see ${plan.logFile}; ${remedyFor(reason)})`,
      )
    }
    await wait(100)
  }
}

function remedyFor(reason: string): string {
  if (/No space left/i.test(reason)) return 'make room on its disk'
  if (/invalid permissions/.test(reason)) return 'nobody but its user may enter its folder: chmod go-rwx'
  if (/get lock/.test(reason))
    return 'a database of an earlier start still runs on its folder, perhaps in another container: end it first'
  return 'if its files are damaged, README.md says under “Copies” how to put one back'
}

/**
 * Removes what a killed server left. Like postmaster.pid, the socket's lock file would stop the start when its pid
 * belongs to another process by now. The caller has made sure that no server is left.
 */
async function clearSocketDir(socketDir: string): Promise<void> {
  await rm(join(socketDir, `.s.PGSQL.${socketPort}`), { force: true })
  await rm(join(socketDir, `.s.PGSQL.${socketPort}.lock`), { force: true })
}

async function waitUntilReady(connection: Connection, server: GuardedProcess): Promise<string> {
  const deadline = performance.now() + readyWithinMs
  let hasEnded = false
  void server.ended.then(() => (hasEnded = true))
  const giveUp = async (reason: string) => {
    server.end()
    await server.ended
    return reason
  }
  while (!hasEnded) {
    const problem = await ensureDatabase(connection)
    if (problem === undefined) return 'ready'
    const damage = damageOf(problem)
    if (damage) throw new StartError(await giveUp(damage))
    if (performance.now() > deadline)
      return giveUp(`not ready within ${readyWithinMs / 1000} s, ${problem.message}`)
    await wait(15)
  }
  return (await server.ended).reason
}

/** Makes the database when it is missing, and returns what is in the way, if anything. */
async function ensureDatabase(connection: Connection): Promise<Error | undefined> {
  try {
    await query(connection, 'select 1')
    return undefined
  } catch (error) {
    const isMissing = error instanceof pg.DatabaseError && error.code === '3D000'
    if (isMissing)
      await query({ ...connection, database: 'postgres' }, 'create database haberdash').catch(() => undefined)
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function query(connection: Connection, statement: string): Promise<void> {
  const settings = { ...connection, connectionTimeoutMillis: 5_000 }
  await withConnection(settings, (client) => client.query(statement))
}
