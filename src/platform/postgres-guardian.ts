// A program of its own: `node postgres-guardian.ts <log file> <command> [arguments]`, with a pipe from the shop as its input.
//
// It runs the command and ends it when the pipe ends, which the kernel sees to however the shop went. It ends with the
// command, so it cannot be left over. Signals do not reach it on purpose: when a service manager sends SIGTERM to
// every process at once, the shop still needs its database to finish what is in flight. Against `kill -9` of the
// guardian itself see `diesWithParent` in postgres-binaries.ts.
import { spawn } from 'node:child_process'
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'

const MAX_LOG_BYTES = 1_000_000
const QUIT_AFTER_MS = 5_000
const KILL_AFTER_MS = 10_000

const [logFile = '', command = '', ...args] = process.argv.slice(2)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
let lastLine = ''
let problem = ''

createInterface({ input: server.stderr }).on('line', (line) => {
  lastLine = line
  problem = /(?:FATAL|PANIC|error): +(.*)/.exec(line)?.[1] ?? problem
  appendToLog(line)
})

// The shop reads why it ended from the error output; when the shop is gone, nobody listens.
process.stderr.on('error', () => undefined)
server.on('error', (error) => finish(error.message, 1))
server.on('exit', (code, signal) => {
  // Processes of a killed server may keep its error output open for a while: do not wait for them.
  setTimeout(() => server.stderr.destroy(), 500)
  server.on('close', () =>
    finish(signal ? `ended by ${signal}` : problem || lastLine || `exit code ${code}`, code ?? 1),
  )
})

process.stdin.on('error', endServer)
process.stdin.on('end', endServer)
process.stdin.resume()

function endServer(): void {
  server.kill('SIGINT')
  setTimeout(() => server.kill('SIGQUIT'), QUIT_AFTER_MS)
  setTimeout(() => server.kill('SIGKILL'), KILL_AFTER_MS)
}

function finish(reason: string, exitCode: number): void {
  process.stderr.write(reason, () => process.exit(exitCode))
}

function appendToLog(line: string): void {
  try {
    appendFileSync(logFile, `${line}\n`, { mode: 0o600 })
    if (statSync(logFile).size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`)
  } catch {
    // A full disk must not take the guard away.
  }
}
