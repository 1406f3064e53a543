import { randomBytes } from 'node:crypto'
import { lchown, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '#shop/platform/data-dir.ts'
import { runGuarded } from './guarded-process.ts'
import type { PostgresLauncher } from './postgres-binaries.ts'
import { StartError } from '#shop/platform/start-error.ts'

export const databaseUser = 'haberdash'
const unfinishedPrefix = 'postgres.new-'

export async function findClusterOwner(clusterDir: string): Promise<number | undefined> {
  const found = await stat(clusterDir).catch(() => undefined)
  return found?.uid
}

/** Leaves a folder that this PostgreSQL can open, or throws and leaves everything as it was. */
export async function prepareCluster(options: {
  dataDir: string
  clusterDir: string
  initdb: string
  launcher: PostgresLauncher
}): Promise<void> {
  const { clusterDir, launcher } = options
  const version = await readVersion(clusterDir)
  if (version !== undefined && version !== launcher.majorVersion) {
    throw new StartError(describeUpgrade(clusterDir, version, launcher))
  }
  await removeUnfinished(options.dataDir)
  if (version === undefined) await createCluster(options)
  await changeOwner(clusterDir, launcher.runsAs)
}

async function readVersion(clusterDir: string): Promise<string | undefined> {
  const text = await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    },
  )
  if (text !== undefined) return text.trim()
  const files = await readdir(clusterDir).catch(() => [])
  if (files.length === 0) return undefined
  throw new StartError(
    `${clusterDir} is not a complete database (no PG_VERSION): restore a backup, or move it away`,
  )
}

function describeUpgrade(clusterDir: string, made: string, { majorVersion }: PostgresLauncher): string {
  return (
    `${clusterDir} was made by PostgreSQL ${made} and this shop brings ${majorVersion}: the version of the shop ` +
    'that made it moves it to a server of your own (DATABASE_URL=postgres://… npm run move)'
  )
}

/**
 * A start killed half-way must not leave half a database under the final name. So initdb works under another name
 * and brings everything to disk, and then the finished folder is renamed. Each try has its own name, because an
 * initdb whose shop was killed may live a moment longer.
 */
async function createCluster(options: {
  dataDir: string
  clusterDir: string
  initdb: string
  launcher: PostgresLauncher
}): Promise<void> {
  const { dataDir, clusterDir, initdb, launcher } = options
  const folder = join(dataDir, `${unfinishedPrefix}${randomBytes(4).toString('hex')}`)
  // "trust": whoever can open the socket is let in. The socket is in a folder that only this user can enter, and
  // so could read the data files anyway.
  const access = ['--username', databaseUser, '--auth-local', 'trust', '--auth-host', 'reject']
  const language = [
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
  ]
  const creation = runGuarded({
    command: [...launcher.prefix, initdb, '--pgdata', folder, ...access, ...language],
    logFile: join(dataDir, 'postgres.log'),
  })
  const { isSuccess, reason } = await creation.ended
  if (!isSuccess) throw new StartError(describeFailure(dataDir, reason))
  await rename(folder, clusterDir)
  await syncFolder(dataDir)
}

function describeFailure(dataDir: string, reason: string): string {
  // A container often runs as a mere number.
  const isNameless = reason.includes('could not look up effective user')
  return isNameless
    ? `The database can be created only by a user that /etc/passwd names (${reason}): add one, start the shop as another user, or set DATABASE_URL`
    : `DATA_DIR ${dataDir}: the database cannot be created: ${reason}`
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    // A folder that an ending initdb still holds is removed at a later start.
    if (name.startsWith(unfinishedPrefix))
      await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The folder itself comes last: by its owner the next start knows whether all the files were changed. */
async function changeOwner(clusterDir: string, uid: number | undefined): Promise<void> {
  if (uid === undefined || (await findClusterOwner(clusterDir)) === uid) return
  for (const name of await readdir(clusterDir, { recursive: true }))
    await lchown(join(clusterDir, name), uid, uid)
  await lchown(clusterDir, uid, uid)
}
