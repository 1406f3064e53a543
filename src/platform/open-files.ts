import { readFileSync } from 'node:fs'
import { mostConnections } from './http/connections.ts'

/** For the database's connections, for files, and for what the libraries keep open. */
const reservedAtLeast = 100
const reservedPart = 1 / 5
/** Fewer could not even serve one browser beside its pictures. */
const fewest = 20

/** How many visitors' connections a process keeps that may open so many files: a connection is one, too. */
export function connectionsWithin(files: number): number {
  const left = Math.min(files - reservedAtLeast, files * (1 - reservedPart))
  return Math.max(fewest, Math.min(mostConnections, Math.floor(left)))
}

/**
 * Without a file left the database is out of reach, and who comes is not even refused: it must never get as far. Says so
 * where it is the machine that keeps the connections few.
 */
export function connectionsOfThisProcess(log: (line: string) => void): number {
  const files = mostOpenFiles()
  const connections = connectionsWithin(files)
  if (connections < mostConnections) {
    const enough = mostConnections / (1 - reservedPart)
    log(
      `This process may open ${files} files (ulimit -n): it keeps ${connections} connections at once, ${mostConnections} with ${enough}`,
    )
  }
  return connections
}

/** Node itself goes up to the hard limit when it starts. Where the system has no such file, nobody knows. */
function mostOpenFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? Infinity : Number(limit)
  } catch {
    return Infinity
  }
}
