import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sharedCompileCache } from './compile-cache.ts'
import type { Config } from './config.ts'
import { makeDataDir } from './data-dir.ts'
import { StartError } from './start-error.ts'
import { withTimeout } from './with-timeout.ts'

const program = resolve(import.meta.dirname, '../../practice/main.ts')

/** The webhook secret of the practice provider and this shop; made once, kept with the data. */
export async function practiceWebhookSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'practice-webhook-secret')
  const stored = await readFile(file, 'utf8').catch(() => '')
  if (stored) return stored
  const secret = `whsec_${randomBytes(24).toString('hex')}`
  await makeDataDir(dataDir)
  // Written to another file first: half a secret would never be noticed.
  await writeFile(`${file}.new`, secret, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return secret
}

type PracticeProvider = {
  url: string
  /** Resolves once it answers; rejects with a `StartError` when it cannot. */
  ready(): Promise<void>
  stop(): Promise<void>
}

/**
 * Runs the practice provider beside the shop, as a program of its own. It ends when the shop is gone, because its
 * standard input closes then. Once it was ready, it is started again whenever it ends before the shop.
 */
export function startPracticeProvider(
  config: Config,
  webhookSecret: string,
  log: (line: string) => void,
): PracticeProvider {
  const { practicePort: port, practiceWebhookUrl } = config.payments
  const url = `http://127.0.0.1:${port}`
  const environment = {
    ...sharedCompileCache(),
    PRACTICE_PORT: String(port),
    PRACTICE_STORE: join(config.dataDir, 'practice'),
    PRACTICE_WEBHOOK_URL:
      practiceWebhookUrl ?? `http://${reachableHost(config.host)}:${config.port}/api/payments/webhook`,
    PRACTICE_WEBHOOK_SECRET: webhookSecret,
  }
  let isStopping = false
  // What it writes when it cannot start is the reason why the shop cannot.
  let errorOutput = ''
  let isUp = false
  const onErrorOutput = (text: string) => {
    if (isUp) process.stderr.write(text)
    else errorOutput += text
  }
  let running = launch(environment, onErrorOutput)
  let untilStopped: Promise<unknown> = running.ended
  const answers = waitUntilReady(url, running)
  const keepRunning = async () => {
    let failure = ''
    await running.ended
    while (!isStopping) {
      if (!failure) log('The practice provider ended; starting it again.')
      await wait(500)
      if (isStopping) return
      isUp = false
      errorOutput = ''
      running = launch(environment, onErrorOutput)
      isUp = await waitUntilReady(url, running)
      // The start is tried again and again: the same message would fill the log.
      const reason = isUp ? '' : startFailureOf(errorOutput)
      if (reason !== failure && reason && !isStopping) log(reason)
      failure = reason
      await running.ended
    }
  }
  return {
    url,
    async ready() {
      isUp = await withTimeout(patienceMs, answers, () => new StartError(unreachableMessage(port)))
      if (!isUp) throw new StartError(startFailureOf(errorOutput))
      untilStopped = keepRunning()
    },
    async stop() {
      isStopping = true
      running.child.kill('SIGTERM')
      await untilStopped
    },
  }
}

/** A start takes a second on a slow machine. */
const patienceMs = 30_000
const unreachableMessage = (port: number) =>
  `the practice provider runs, and cannot be reached at 127.0.0.1:${port}: where all requests go through a proxy, set NO_PROXY=localhost,127.0.0.1`

/** Why it could not start, from what it has written. */
const startFailureOf = (errorOutput: string) => errorOutput.trim() || 'the practice provider has ended'

type Running = { child: ChildProcess; ended: Promise<unknown> }

function launch(environment: Record<string, string>, onErrorOutput: (text: string) => void): Running {
  // In a session of its own: Ctrl-C reaches the shop alone, which then ends this process.
  const child: ChildProcess = spawn(process.execPath, ['--max-semi-space-size=1', program], {
    stdio: ['pipe', 'inherit', 'pipe'],
    detached: true,
    env: environment,
  })
  // A child that could not even be started has ended, too. Without a file descriptor left it has no `stderr`.
  const ended = once(child, 'close').catch(() => undefined)
  child.stderr?.on('data', (chunk: Buffer) => onErrorOutput(chunk.toString()))
  return { child, ended }
}

/** Waits until this very process answers, not another one that has the port; false if it ends before. */
async function waitUntilReady(url: string, { child, ended }: Running): Promise<boolean> {
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  while (!hasEnded) {
    if (child.pid !== undefined && (await pidAt(url)) === child.pid) return true
    await wait(50)
  }
  return false
}

/** Whether one is running there already, the shop's own for instance. */
export async function isPracticeProviderAt(url: string): Promise<boolean> {
  return (await pidAt(url)) !== undefined
}

async function pidAt(url: string): Promise<unknown> {
  try {
    // Another program that has the port may never answer.
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1000) })
    const body: unknown = await answer.json()
    return typeof body === 'object' && body && 'pid' in body ? body.pid : undefined
  } catch {
    return undefined
  }
}

/** A shop that listens on all addresses is reached on loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
