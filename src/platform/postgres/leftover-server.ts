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
/** A starting server first makes its pid file, and writes its pid right after. */
const writesWithinMs = 1000

/**
 * Ends the server of a shop that is gone. Its guardian does the same a moment after the shop ends; this is for
 * that moment, and for a guardian that was killed too. Only the holder of the data directory's lock may call this.
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

/** Undefined when there is no file, NaN when it holds no pid. */
async function readServerPid(clusterDir: string): Promise<number | undefined> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Math.abs(Number.parseInt(text, 10)) || Number.NaN
}

/** The pid in a file may belong to any process by now, but a server works in its cluster's folder. */
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
 * PostgreSQL takes any living process with the pid in postmaster.pid for its former server and refuses to start;
 * in a container, pids are soon used again. A file that was cut off before its pid stops it for ever. A dead pid
 * it handles itself, and better: it also looks for orphaned backends.
 */
async function forgetForeignPid(clusterDir: string, pid: number): Promise<void> {
  if (isAlive(pid) || Number.isNaN(pid)) await rm(join(clusterDir, 'postmaster.pid'), { force: true })
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended since the last look.
  }
}
