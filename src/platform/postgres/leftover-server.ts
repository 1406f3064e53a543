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

/**
 * Ends the server of a shop that is gone. Its guardian does the same a moment after the shop; this is for the moment,
 * and for a guardian that was killed too. To be called by the holder of the data directory's lock only.
 */
export async function endLeftoverServer(clusterDir: string): Promise<void> {
  const started = Date.now()
  for (;;) {
    const pid = await readServerPid(clusterDir)
    if (pid === undefined) return
    if (!(await isServerOf(pid, clusterDir))) return forgetForeignPid(clusterDir, pid)
    const waited = Date.now() - started
    if (waited > giveUpAfterMs)
      throw new StartError(`The database of an earlier start, process ${pid}, does not end`)
    sendSignal(pid, waited < quitAfterMs ? 'SIGINT' : waited < killAfterMs ? 'SIGQUIT' : 'SIGKILL')
    await wait(50)
  }
}

async function readServerPid(clusterDir: string): Promise<number | undefined> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '')
  return text === '' ? undefined : Math.abs(Number.parseInt(text, 10))
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
 * a container, numbers come again soon. A dead number it handles itself, and better: it also looks for orphaned backends.
 */
async function forgetForeignPid(clusterDir: string, pid: number): Promise<void> {
  if (isAlive(pid)) await rm(join(clusterDir, 'postmaster.pid'), { force: true })
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended since we looked.
  }
}
