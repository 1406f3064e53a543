import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { causesOf, codeOf } from './error-code.ts'
import { unavailable } from './errors.ts'
import { safeMethods } from './http/same-origin.ts'

/**
 * Kept free to record what has been paid, and for the database itself, which ends when it finds no room at all.
 */
const reservedBytes = 200_000_000
/** On a small disk, at most this part of it is kept free. */
const reservedShare = 1 / 20
/** How many files must still be possible: the database has one for each table, index and piece of its log. */
const reservedFiles = 1000
/** How long the result of a look at the disk is used. */
const checkValidForMs = 1000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See `Endpoint`. */
    evenWithoutRoom?: true | undefined
  }
}

/**
 * Refuses changes while the disk is nearly full: everything can be looked at, and what has been paid is recorded.
 *
 * @param folder on the disk that the database writes to
 */
export function refuseChangesWithoutRoom(
  app: FastifyInstance,
  folder: string,
  log: (line: string) => void,
): void {
  let recentCheck: Promise<boolean> | undefined
  let hadRoom = true
  const look = async () => {
    const hasRoom = await isRoomOn(folder)
    if (hasRoom !== hadRoom) {
      log(
        hasRoom
          ? `${folder} has room again: the shop accepts changes`
          : `${folder} is nearly full: the shop can be browsed, but refuses changes until there is room`,
      )
    }
    hadRoom = hasRoom
    return hasRoom
  }
  const hasRoom = () => {
    if (recentCheck) return recentCheck
    setTimeout(() => (recentCheck = undefined), checkValidForMs).unref()
    return (recentCheck = look())
  }
  app.addHook('onRequest', async ({ method, is404, routeOptions: { config } }) => {
    if (safeMethods.has(method) || is404 || config.evenWithoutRoom) return
    if (await hasRoom()) return
    throw unavailable('no_room', 'The shop takes no changes right now. You can still look at everything.', 60)
  })
}

/** How many bytes must stay free; infinitely many where hardly any more files can be made. */
export function reservedBytesOf({ blocks, bsize, files, ffree }: StatsFs): number {
  // Some file systems have no limit for files, and report 0.
  if (files > 0 && ffree < reservedFiles) return Infinity
  return Math.min(reservedBytes, blocks * bsize * reservedShare)
}

/**
 * What pictures must leave free: much more than the shop needs to take changes. Otherwise somebody who uploads
 * until there is no room for another picture would keep everybody from buying.
 */
export const bytesClosedToPicturesOf = (disk: StatsFs): number => 5 * reservedBytesOf(disk)

async function isRoomOn(folder: string): Promise<boolean> {
  try {
    const disk = await statfs(folder)
    return disk.bavail * disk.bsize >= reservedBytesOf(disk)
  } catch {
    // If the disk cannot be checked, writing will show it.
    return true
  }
}

/** What to do when the database, a file or a picture found no room; undefined for any other error. */
export function fullDiskOf(error: unknown): string | undefined {
  const fullDisk = causesOf(error).find(
    (cause) =>
      ['53100', 'ENOSPC', 'storage_full'].includes(codeOf(cause)) || /No space left/.test(cause.message),
  )
  return fullDisk && `a disk is full (${fullDisk.message}): make room on it`
}
