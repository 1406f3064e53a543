import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from './start-error.ts'

const inUseExitCode = 75
const sqliteBusy = 5
const endingHolderMs = 500

type DataDirLock = { release(): void }

/** What is held must not be garbage collected: closing the file would open the lock. */
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only shop on the folder, or throws.
 *
 * The lock is the kernel's own file lock. It vanishes with the process, however that went, so it can be neither
 * stale nor fooled by a process number used twice, and of two starts at once exactly one gets it. Node offers no
 * file locks itself, but its SQLite takes one for an exclusive transaction; nothing is ever written to the file.
 * Nobody in this process may open it in another way: POSIX drops a process's locks when it closes any handle of the file.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const pidFile = join(dataDir, 'shop.pid')
  const file = await openLock(join(dataDir, 'shop.lock'))
  if (file === undefined) {
    const holder = `Data directory is in use by process ${readHolder(pidFile)}`
    throw new StartError(`${holder}: DATA_DIR must be another`, inUseExitCode)
  }
  held.add(file)
  writeFileSync(pidFile, `${process.pid}\n`)
  return {
    release() {
      if (held.delete(file)) file.close()
    },
  }
}

/** A process that was killed a moment ago holds its lock until the kernel has cleared it away. */
async function openLock(path: string): Promise<DatabaseSync | undefined> {
  const deadline = Date.now() + endingHolderMs
  for (;;) {
    const file = tryLock(path)
    if (file !== undefined || Date.now() > deadline) return file
    await wait(50)
  }
}

function tryLock(path: string): DatabaseSync | undefined {
  const file = new DatabaseSync(path, { open: false, timeout: 0 })
  try {
    file.open()
    file.exec('BEGIN EXCLUSIVE')
    return file
  } catch (error) {
    if (file.isOpen) file.close()
    if (isBusy(error)) return undefined
    throw new StartError(
      `${path} cannot be locked: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function readHolder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim()
  } catch {
    return '(unknown)'
  }
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
