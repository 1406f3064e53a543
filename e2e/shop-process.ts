import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '#shop/testing/free-port.ts'
import { isHealthy } from '#shop/testing/is-healthy.ts'
import { borrowPictures, lendPictures } from '#shop/testing/made-pictures.ts'
import packageJson from '../package.json' with { type: 'json' }

const project = resolve(import.meta.dirname, '..')

export type ShopProcess = {
  url: string
  practiceUrl: string
  dataDir: string
  /** Everything it has printed since it was last started. */
  output(): string
  /** Closes the pipes that its output is read from. */
  closeOutputPipes(): void
  start(environment?: Record<string, string>): Promise<void>
  /** As in a power cut: the shop is killed; the practice provider and the embedded database end with it. */
  kill(): Promise<void>
  /** Stops or continues the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Asks it to end; resolves to its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  close(): Promise<void>
}

/** False if the process has ended already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The command that `npm start` runs. */
export const program = [process.execPath, ...packageJson.scripts.start.split(' ').slice(2)]

/** The shop as people run it: the real program, with its options, on ports and in a folder of its own. */
export async function startShop(
  environment: Record<string, string> = {},
  options: string[] = [],
  [command = '', ...parameters]: string[] = program,
): Promise<ShopProcess> {
  const [port, practicePort] = [await freePort(), await freePort()]
  const dataDir = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  const url = `http://localhost:${port}`
  let child: ChildProcess | undefined
  let printed = ''
  /** Whether it has started and nobody has asked it to end. */
  let isExpectedToRun = false

  const start = async (more: Record<string, string> = {}) => {
    printed = ''
    const started = spawn(command, [...parameters, ...options], {
      cwd: project,
      env: {
        ...process.env,
        PORT: `${port}`,
        PRACTICE_PORT: `${practicePort}`,
        DATA_DIR: dataDir,
        ...environment,
        ...more,
      },
    })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    }
    let hasEnded = false
    started.once('exit', (code, signal) => {
      hasEnded = true
      // The test that fails because of this does not know the reason.
      if (isExpectedToRun) console.error(`The shop ended by itself (${code ?? signal}): ${printed}`)
    })
    while (!(await isHealthy(url))) {
      if (hasEnded) throw new Error(`The shop did not start: ${printed}`)
      await wait(50)
    }
    isExpectedToRun = true
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return null
    isExpectedToRun = false
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code] = (await exit) as [number | null]
    return code
  }
  const uploads = join(dataDir, 'uploads')
  await borrowPictures(uploads)
  const removeFolder = () => rm(dataDir, { recursive: true, force: true })
  try {
    await start()
  } catch (error) {
    await removeFolder()
    throw error
  }
  return {
    url,
    practiceUrl: `http://localhost:${practicePort}`,
    dataDir,
    output: () => printed,
    closeOutputPipes() {
      child?.stdout?.destroy()
      child?.stderr?.destroy()
    },
    start,
    signal: (signal) => void child?.kill(signal),
    kill: async () => void (await end('SIGKILL')),
    stop: (signal = 'SIGTERM') => end(signal),
    async close() {
      await end('SIGTERM')
      await lendPictures(uploads)
      await removeFolder()
    },
  }
}
