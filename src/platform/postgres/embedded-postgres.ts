import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { removePostgresVariables } from '#shop/platform/config.ts'
import { lockDataDir } from '#shop/platform/data-dir-lock.ts'
import { makeDataDir, createDataDirError } from '#shop/platform/data-dir.ts'
import type { GuardedProcess } from './guarded-process.ts'
import { endLeftoverServer } from './leftover-server.ts'
import { findFolderLock, findLauncher, findPostgresBinaries } from './postgres-binaries.ts'
import { databaseUser, findClusterOwner, prepareCluster } from './postgres-cluster.ts'
import {
  type Connection,
  launchServer,
  listSettings,
  prepareSocketDir,
  type ServerPlan,
  socketPort,
} from './postgres-server.ts'

export type EmbeddedPostgres = {
  /** Settings for `pg.Pool`; `host` is the socket directory. */
  connection: Connection
  /** Shuts the server down fast, with a checkpoint; resolves when it has ended. */
  stop(): Promise<void>
}

const longestPauseMs = 1_000
const longRunMs = 60_000

/**
 * Starts the shop's own PostgreSQL and keeps it running until `stop()` or the end of this process, however it
 * ends. Resolves when the server accepts connections; while it is being restarted, connections are refused.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: (line: string) => void
}): Promise<EmbeddedPostgres> {
  removePostgresVariables()
  try {
    const dataDir = await prepareDataDir(options.dataDir)
    const lock = await lockDataDir(dataDir)
    try {
      const stopping = new AbortController()
      const plan = await makePlan(dataDir, stopping.signal)
      const running = keepRunning(plan, await launchServer(plan), options.log)
      const stop = async () => {
        stopping.abort()
        await running
        // If the guardian was killed a moment ago, the server may still be shutting down.
        await endLeftoverServer(plan.clusterDir).finally(() => lock.release())
      }
      return { connection: plan.connection, stop }
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    throw describeSystemError(error, options.dataDir)
  }
}

/** How to reach the database of a shop that is running on this folder; undefined when none is. */
export async function findRunningPostgres(dataDir: string): Promise<Connection | undefined> {
  removePostgresVariables()
  const host = await findSocketDir(dataDir)
  return host === undefined ? undefined : connectionAt(host)
}

const connectionAt = (host: string): Connection => ({
  host,
  port: socketPort,
  user: databaseUser,
  database: 'haberdash',
  // Left out, it would be taken from `PGSSLMODE`, which is meant for another server.
  ssl: false,
})

/** Whether a database has been made in the folder; makes none. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return (await findClusterOwner(join(dataDir, 'postgres'))) !== undefined
}

async function findSocketDir(dataDir: string): Promise<string | undefined> {
  const folder = await realpath(dataDir).catch(() => undefined)
  if (!folder) return undefined
  const host = await prepareSocketDir(folder)
  const socket = connect(join(host, `.s.PGSQL.${socketPort}`))
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere ? host : undefined
}

async function prepareDataDir(dataDir: string): Promise<string> {
  await makeDataDir(dataDir)
  return realpath(dataDir)
}

function describeSystemError(error: unknown, dataDir: string): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  return isSystemError ? createDataDirError(dataDir, error) : error
}

async function makePlan(dataDir: string, signal: AbortSignal): Promise<ServerPlan> {
  const clusterDir = join(dataDir, 'postgres')
  const { initdb, postgres } = await findPostgresBinaries()
  const clusterOwner = await findClusterOwner(clusterDir)
  const launcher = await findLauncher({ postgres, dataDir, clusterOwner })
  await prepareCluster({ dataDir, clusterDir, initdb, launcher })
  const host = await prepareSocketDir(dataDir)
  const folderLock = await findFolderLock(clusterDir)
  return {
    clusterDir,
    logFile: join(dataDir, 'postgres.log'),
    command: [...folderLock, ...launcher.prefix, postgres, '-D', clusterDir, ...listSettings(host)],
    connection: connectionAt(host),
    signal,
  }
}

async function keepRunning(
  plan: ServerPlan,
  first: GuardedProcess,
  log: (line: string) => void,
): Promise<void> {
  let server: GuardedProcess | undefined = first
  let pauseMs = 100
  let failure = ''
  while (!plan.signal.aborted) {
    const since = performance.now()
    const ending = await server?.ended
    if (plan.signal.aborted) break
    if (ending) log(`The database stopped (${ending.reason}) and is being started again`)
    if (performance.now() - since > longRunMs) pauseMs = 100
    await wait(pauseMs, undefined, { signal: plan.signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    server = await launchServer(plan).catch(({ message }: Error) => {
      // The start is tried every second: the same message would fill the log.
      if (message !== failure) log(message)
      failure = message
      return undefined
    })
    if (server) failure = ''
    if (server && !plan.signal.aborted) log('The database is running again')
  }
  await server?.ended
}
