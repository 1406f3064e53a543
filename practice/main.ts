import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { startPractice } from './server.ts'
import type { Practice } from './server.ts'

const Environment = z.object({
  PRACTICE_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  PRACTICE_STORE: z.string().min(1),
  PRACTICE_WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  PRACTICE_WEBHOOK_SECRET: z.string().min(1),
})

const closeWithinMs = 10_000
// An earlier provider whose shop was killed needs a moment to notice and to free the port.
const portFreeWithinMs = 3000

// The process that read stderr may be gone; writing to it must not crash this one.
process.stderr.on('error', () => undefined)

try {
  const starting = startWhenPortIsFree(readOptions())
  endWithParent(starting)
  await starting
} catch (error) {
  console.error(`practice provider: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

function readOptions() {
  const read = Environment.safeParse(process.env)
  if (!read.success) {
    const [issue] = read.error.issues
    throw new Error(`${issue?.path.join('.')} is missing or wrong: ${issue?.message}`)
  }
  return {
    port: read.data.PRACTICE_PORT,
    folder: read.data.PRACTICE_STORE,
    webhookUrl: read.data.PRACTICE_WEBHOOK_URL,
    webhookSecret: read.data.PRACTICE_WEBHOOK_SECRET,
  }
}

async function startWhenPortIsFree(options: ReturnType<typeof readOptions>): Promise<Practice> {
  const giveUpAt = performance.now() + portFreeWithinMs
  for (;;) {
    try {
      return await startPractice(options)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EACCES' && error instanceof Error && 'syscall' in error && error.syscall === 'listen')
        throw new Error(`PRACTICE_PORT ${options.port} can only be used by root: choose one above 1023`)
      if (code !== 'EADDRINUSE') throw error
      if (performance.now() > giveUpAt) throw new Error(`PRACTICE_PORT ${options.port} is already in use`)
      await wait(100)
    }
  }
}

/** The shop holds the other end of stdin: however the shop ends, stdin closes, and the port becomes free. */
function endWithParent(starting: Promise<Practice>): void {
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    setTimeout(() => process.exit(0), closeWithinMs).unref()
    // A start that fails ends the process in the `catch` above.
    starting
      .then((practice) => practice.close())
      .then(
        () => process.exit(0),
        () => undefined,
      )
  }
  process.stdin.on('end', end).on('close', end).on('error', end).resume()
  process.on('SIGTERM', end)
  // Ctrl-C reaches every process of the terminal. A provider that a shop started (stdin is a pipe) ignores it,
  // because the shop still needs it to finish its requests.
  process.on('SIGINT', () => {
    if (process.stdin.isTTY) end()
  })
}
