import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from './start-error.ts'

const sqliteBusy = 5
const sqliteNoDatabase = 26

export type FileLock = { release(): void }

/** Held locks must not be garbage collected: that would close the file and so open the lock. */
const held = new Set<DatabaseSync>()

/**
 * A lock that one process at a time can hold.
 *
 * It is the kernel's own file lock. It vanishes with the process, however that ended, so it can be neither stale
 * nor fooled by a pid that is used again, and of two starts at once exactly one gets it. Node offers no file locks
 * itself, but its SQLite takes one for an exclusive transaction; nothing is ever written to the file. This process
 * must not open the file in any other way: POSIX drops a process's locks when it closes any handle of the file.
 *
 * @returns undefined when another process has had it for `patienceMs`
 * @throws StartError when the file cannot be written; what `signal` aborts with
 */
export async function lockFile(
  path: string,
  { patienceMs, signal }: { patienceMs: number; signal?: AbortSignal | undefined },
): Promise<FileLock | undefined> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const file = tryLock(path)
    if (file) {
      held.add(file)
      return {
        release() {
          if (held.delete(file)) file.close()
        },
      }
    }
    if (performance.now() > deadline) return undefined
    await wait(50, undefined, { signal })
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
    if (isCalled(error, sqliteBusy)) return undefined
    throw new StartError(`${path} cannot be locked: ${reasonOf(error)}`)
  }
}

/**
 * A file that something else has written into is not replaced here: two starts at once might then each lock a file
 * of their own. The operator, who is told to delete it, can make sure that no shop runs.
 */
function reasonOf(error: unknown): string {
  if (isCalled(error, sqliteNoDatabase))
    return 'something else has written into it. It holds nothing that is needed: while no shop is running, delete it'
  return error instanceof Error ? error.message : String(error)
}

function isCalled(error: unknown, errcode: number): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === errcode
}
