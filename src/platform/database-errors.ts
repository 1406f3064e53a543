import pg from 'pg'
import { causesOf, codeOf } from './error-code.ts'

/**
 * What to do about files that the database cannot read any more; undefined for any other error. Nothing repairs
 * them automatically: people have to decide what is lost.
 */
export function damageOf(error: unknown): string | undefined {
  const damage = causesOf(error).find(
    (cause) => cause instanceof pg.DatabaseError && cause.code?.startsWith('XX'),
  )
  return (
    damage && `The database is damaged (${damage.message}): put back a copy, as README.md says under “Copies”`
  )
}

// 40P01: two waited for each other and this one gave way. 25006: the server takes no writes, as a replica does.
// 57014 and 55P03: it took longer than it may. 58: its files cannot be read or written.
const unavailableCodes = /^(08|53|58|57P0[1235]|57014|40001|40P01|55P03|25006|XX)/
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])
const networkWords =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|Query read timeout/i

/** Whether a statement waited too long for a lock that others hold, or was in a deadlock with them. */
export function isLockConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => /^(55P03|40P01)$/.test(codeOf(cause)))
}

/** A missing socket is the database's; any other missing file is not. */
function isNetworkError(error: Error, code: string): boolean {
  const isFile = code === 'ENOENT' && !('syscall' in error && error.syscall === 'connect')
  return networkCodes.has(code) && !isFile
}

/** No file descriptor was left for the connection, so it was never made. */
function isOutOfFileDescriptors(error: Error, code: string): boolean {
  return /^E[MN]FILE$/.test(code) && 'syscall' in error && error.syscall === 'connect'
}

/** Whether the error, or one of its causes, is of the network or passes `isLike`; a code of '' means none. */
function isNetworkErrorOr(error: unknown, isLike: (code: string, error: Error) => boolean): boolean {
  return causesOf(error).some((cause) => {
    const code = codeOf(cause)
    return isNetworkError(cause, code) || networkWords.test(cause.message) || isLike(code, cause)
  })
}

/** Whether the connection was lost: then the statement may or may not have been executed. */
export function isConnectionLost(error: unknown): boolean {
  return isNetworkErrorOr(error, (code) => /^(08|57P0[123])/.test(code))
}

/**
 * True when the database could not answer (gone, starting, full, timed out), as against a mistake in the query:
 * the request is answered with 503 and may be tried again.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isNetworkErrorOr(
    error,
    (code, cause) => unavailableCodes.test(code) || isOutOfFileDescriptors(cause, code),
  )
}
