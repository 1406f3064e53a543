import { readFileSync } from 'node:fs'
import { mostConnections } from './http/connections.ts'

/** Files kept for the database's connections, for files on disk, and for what the libraries keep open. */
const reservedAtLeast = 100
const reservedPart = 1 / 5
/** With fewer, not even one browser could load a page with its pictures. */
const fewest = 20

/** How many client connections a process may keep that may open this many files; each connection takes one. */
export function connectionsWithin(files: number): number {
  const left = Math.min(files - reservedAtLeast, files * (1 - reservedPart))
  return Math.max(fewest, Math.min(mostConnections, Math.floor(left)))
}

/**
 * Without a file descriptor left, the shop cannot reach the database, nor even refuse a client: it must never get
 * that far. Logs when it is the machine's limit that keeps the connections few.
 */
export function findConnectionLimit(log: (line: string) => void): number {
  const files = readOpenFileLimit()
  const connections = connectionsWithin(files)
  if (connections < mostConnections) {
    const enough = mostConnections / (1 - reservedPart)
    log(
      `This process may open ${files} files (ulimit -n): it keeps ${connections} connections at once, ${mostConnections} with ${enough}`,
    )
  }
  return connections
}

/** Node raises its limit to the hard one when it starts. Infinity where the system does not report a limit. */
function readOpenFileLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? Infinity : Number(limit)
  } catch {
    return Infinity
  }
}
