import { execFile } from 'node:child_process'
import { readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isAlive } from '#shop/platform/data-dir-lock.ts'
import { StartError } from '#shop/platform/start-error.ts'

const run = promisify(execFile)

const quitAfterMs = 5_000
const killAfterMs = 10_000
const giveUpAfterMs = 20_000
/** A server that starts makes its file first and writes its number right after. */
const writesWithinMs = 1000

/**
 * Ends the server of a shop that is gone. Its guardian does the same a moment after the shop; this is for the moment,
 * and for a guardian that was killed too. To be called by the holder of the data directory's lock only.
 */
export async function endLeftoverServer(clusterDir: string): Promise<void> {
  const started = performance.now()
  for (;;) {
    const pid = await readServerPid(clusterDir)
    if (pid === undefined) return
    const waited = performance.now() - started
    if (Number.isNaN(pid) && waited <= writesWithinMs) {
      await wait(50)
      continue
    }
    if (!(await isServerOf(pid, clusterDir))) return forgetForeignPid(clusterDir, pid)
    if (waited > giveUpAfterMs)
      throw new StartError(
        `The database of an earlier start, process ${pid}, does not stop: end that process first`,
      )
    sendSignal(pid, waited < quitAfterMs ? 'SIGINT' : waited < killAfterMs ? 'SIGQUIT' : 'SIGKILL')
    await wait(50)
  }
}

/** Undefined where there is no file, NaN where it holds no number. */
async function readServerPid(clusterDir: string): Promise<number | undefined> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Math.abs(Number.parseInt(text, 10)) || Number.NaN
}

/** A number in a file may belong to any process by now, but a server works inside its folder. */
async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    return workingDir === (await realpath(clusterDir))
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => ({ stdout: '' }))
  return stdout.includes(clusterDir)
}

/**
 * PostgreSQL takes any living process with the number in postmaster.pid for its former server and refuses to start; in
 * a container, numbers come again soon. A file that was cut off before its number stops it for ever. A dead number it
 * handles itself, and better: it also looks for orphaned backends.
 */
async function forgetForeignPid(clusterDir: string, pid: number): Promise<void> {
  if (isAlive(pid) || Number.isNaN(pid)) await rm(join(clusterDir, 'postmaster.pid'), { force: true })
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended since we looked.
  }
}
