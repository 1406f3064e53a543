import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './error-code.ts'
import { lockFile, type FileLock } from './file-lock.ts'
import { StartError } from './start-error.ts'

export const inUseExitCode = 75
/** A process that was killed a moment ago holds its lock until the kernel has cleaned up after it. */
const endingHolderMs = 500

/** Makes this process the only shop on the folder, or throws. */
export async function lockDataDir(dataDir: string): Promise<FileLock> {
  const pidFile = join(dataDir, 'shop.pid')
  const lock = await lockFile(join(dataDir, 'shop.lock'), { patienceMs: endingHolderMs })
  if (!lock) {
    const holder = `Data directory is in use by process ${readHolder(pidFile)}`
    throw new StartError(`${holder}: set DATA_DIR to another folder`, inUseExitCode)
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return lock
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
    return codeOf(error) === 'EPERM'
  }
}
