import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const guardian = fileURLToPath(new URL('./postgres-guardian.sh', import.meta.url))

/** Nothing of the shop's environment (PGDATA, PGOPTIONS, a language) may change what the database does. */
export const cleanEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

type Ending = { isSuccess: boolean; reason: string }

export type GuardedProcess = {
  /** Resolves when it has ended, with the reason in a few words. */
  ended: Promise<Ending>
  end(): void
}

/**
 * Runs a command in a session of its own, so that Ctrl-C in the terminal reaches the shop only, under a guardian
 * that ends it when this process is gone or when `signal` aborts.
 */
export function runGuarded(options: {
  command: string[]
  logFile: string
  signal?: AbortSignal
}): GuardedProcess {
  const child: ChildProcess = spawn('/bin/sh', [guardian, options.logFile, ...options.command], {
    detached: true,
    env: cleanEnvironment,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let reason = ''
  const ended = new Promise<Ending>((resolve) => {
    child.on('error', (error) => resolve({ isSuccess: false, reason: error.message }))
    child.on('close', (code, signal) => {
      resolve({ isSuccess: code === 0, reason: reason.trim() || `its guardian ended with ${signal ?? code}` })
    })
  })
  // Without a file descriptor left, the child has no pipes.
  const { stdin, stderr } = child
  stderr?.setEncoding('utf8').on('data', (text: string) => (reason += text))
  stdin?.on('error', () => undefined)
  const end = () => void stdin?.end()
  if (options.signal?.aborted) end()
  options.signal?.addEventListener('abort', end)
  void ended.then(() => options.signal?.removeEventListener('abort', end))
  return { ended, end }
}
