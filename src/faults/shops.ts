import { spawn, type ChildProcess } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '#shop/testing/free-port.ts'
import { isHealthy } from '#shop/testing/is-healthy.ts'
import type { Chronicle } from './chronicle.ts'

/** Killed when the harness itself ends early, so that none is left over; their databases end with them. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** In a row, while nothing was killed. */
const mostFailedStarts = 20
const mostReasons = 2000

/** The real program as a process of its own, started again whenever it has ended. */
export type Shop = {
  name: string
  url: string
  starts: number
  isHealthy(): Promise<boolean>
  /** `kill -9`; returns false when nothing was running. */
  kill(): boolean
  /** The reason that the shop logged for failing this request, if that was recent. */
  reasonOf(requestId: string): string | undefined
  end(): Promise<void>
}

export async function startShop(parts: {
  name: string
  chronicle: Chronicle
  /** The folder of the program. */
  program: string
  environment: Record<string, string>
  /** Whether there is any use in starting now. */
  canStart(): Promise<boolean>
}): Promise<Shop> {
  const { name, chronicle } = parts
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let isEnding = false
  let isKilled = false
  let failedStarts = 0
  let killsBefore = 0
  const reasons = new Map<string, string>()

  const shop: Shop = {
    name,
    url,
    starts: 0,
    reasonOf: (requestId) => reasons.get(requestId),
    isHealthy: () => isHealthy(url),
    kill() {
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return false
      isKilled = true
      return child.kill('SIGKILL')
    },
    async end() {
      isEnding = true
      child?.kill('SIGTERM')
      await keeping
    },
  }
  const runOnce = async () => {
    isKilled = false
    let printed = ''
    let wasHealthy = false
    const started = spawn(process.execPath, ['src/main.ts'], {
      cwd: parts.program,
      env: { ...process.env, HOST: '127.0.0.1', PORT: `${port}`, ...parts.environment },
    })
    child = started
    running.add(started)
    shop.starts += 1
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-3000)))
      stream.on('data', (chunk: Buffer) => (wasHealthy ||= chunk.includes('Haberdash  ')))
    }
    createInterface(started.stdout).on('line', (line) => {
      const match = /"reqId":"([^"]+)".*"reason":"([^"]*)/.exec(line)
      if (!match) return
      reasons.set(match[1] ?? '', match[2] ?? '')
      for (const oldest of reasons.keys()) if (reasons.size > mostReasons) reasons.delete(oldest)
    })
    const [code] = (await once(started, 'exit')) as [number | null]
    running.delete(started)
    if (isEnding) return
    if (isKilled) return chronicle.note(`${name} is gone`)
    chronicle.note(
      `${name} ended by itself with ${code}: ${printed.trim().split('\n').slice(-6).join(' | ')}`,
    )
    if (wasHealthy) chronicle.addViolation(`${name} ended by itself with ${code}: ${printed.slice(-600)}`)
    failedStarts = wasHealthy || chronicle.kills > killsBefore ? 0 : failedStarts + 1
    killsBefore = chronicle.kills
    if (failedStarts === mostFailedStarts)
      chronicle.addViolation(`${name} does not start any more: ${printed.slice(-600)}`)
    await wait(200)
  }
  const keepRunning = async () => {
    while (!isEnding) {
      if (await parts.canStart()) await runOnce()
      else await wait(50)
    }
  }
  const keeping = keepRunning()
  return shop
}

/** The processes of the database in this folder. */
export async function findDatabaseProcesses(dataDir: string): Promise<{
  server: number | undefined
  backends: number[]
  guardian: number | undefined
}> {
  const pidFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const written = Number.parseInt(pidFile, 10) || 0
  // The file outlives the process, and its number may belong to another process by now.
  const workingDir = await readlink(`/proc/${written}/cwd`).catch(() => '')
  const server =
    workingDir === (await realpath(join(dataDir, 'postgres')).catch(() => '-')) ? written : undefined
  const children = server
    ? await readFile(`/proc/${server}/task/${server}/children`, 'utf8').catch(() => '')
    : ''
  const backends = children.split(' ').map(Number).filter(Boolean)
  return { server, backends, guardian: await findByCommand(join(dataDir, 'postgres.log')) }
}

/** Every process whose working directory is this folder, as that of all of a database's processes is. */
export async function findProcessesIn(folder: string): Promise<number[]> {
  const path = await realpath(folder)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const isInside = await Promise.all(
    pids.map(async (pid) => (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === path),
  )
  return pids.filter((_pid, index) => isInside[index]).map(Number)
}

async function findByCommand(text: string): Promise<number | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('postgres-guardian') && command.includes(text)) return Number(pid)
  }
  return undefined
}

export function killProcess(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    // 0 and negative numbers would signal whole process groups.
    return pid !== undefined && pid > 1 && process.kill(pid, signal)
  } catch {
    return false
  }
}
