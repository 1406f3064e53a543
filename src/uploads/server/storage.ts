import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { access, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDataDir, syncFolder } from '#shop/platform/data-dir.ts'
import { codeOf } from '#shop/platform/error-code.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { bytesClosedToPicturesOf } from '#shop/platform/room-on-disk.ts'
import { createTurnQueue, TurnRefused } from '#shop/platform/turns.ts'

/**
 * Where pictures are kept. A name determines the content (it carries the picture's hash), so saving it twice
 * changes nothing, and a file never changes.
 */
export type Storage = {
  /** Once this resolves, the picture survives a power cut. */
  save(name: string, bytes: Buffer): Promise<void>
  read(name: string): Promise<Buffer | undefined>
  has(name: string): Promise<boolean>
}

/**
 * Each read holds a file or a connection open and a picture in memory. Without a limit, a flood of requests for
 * made-up names would use them all up. A request that waits too long, or behind too many others, gets a 503.
 */
const turns = { most: 16, mostWaiting: 500, patienceMs: 10_000 }

export function limitConcurrentReads(storage: Storage): Storage {
  const inTurn = createTurnQueue(turns)
  const unlessTooLate = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await inTurn(work)
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      throw unavailable('pictures_busy', 'Too many pictures are being asked for. Please try again.', 1)
    }
  }
  return {
    ...storage,
    read: (name) => unlessTooLate(() => storage.read(name)),
    has: (name) => unlessTooLate(() => storage.has(name)),
  }
}

/**
 * Resized variants of uploads must leave free only this share of the space that uploads must leave. If variants could
 * not be stored, each would be made again for every visitor.
 */
const freeSpaceShareForVariants = 1 / 2

const fullDisk = new Set(['ENOSPC', 'EDQUOT'])

/**
 * @param minFreeBytesOf how many bytes of the disk pictures must leave free for the database and the log
 * @throws StartError when the folder cannot be used
 */
export async function openLocalStorage(
  folder: string,
  minFreeBytesOf = bytesClosedToPicturesOf,
): Promise<Storage> {
  await makeDataDir(folder)
  removeOldDrafts(folder)
  return limitConcurrentReads({
    async save(name, bytes) {
      const target = pathOf(folder, name)
      const disk = await statfs(folder)
      const minFreeBytes = minFreeBytesOf(disk) * (isVariantName(name) ? freeSpaceShareForVariants : 1)
      if (disk.bavail * disk.bsize < bytes.length + minFreeBytes) throw storageFull()
      try {
        await writeWhole(folder, target, bytes)
      } catch (error) {
        throw fullDisk.has(codeOf(error)) ? storageFull() : error
      }
    },
    read: (name) => toUndefinedIfMissing(readFile(pathOf(folder, name))),
    has: async (name) => (await toUndefinedIfMissing(access(pathOf(folder, name)).then(() => true))) ?? false,
  })
}

/**
 * Only the shop itself makes names, and all of this form. Another one would become a path out of the folder: it is a
 * fault of ours, so it throws an internal error.
 */
export function requirePictureName(name: string): void {
  if (!/^[a-z0-9-]+\.(webp|avif)$/.test(name)) throw new Error(`not the name of a picture: ${name}`)
}

const isVariantName = (name: string) => /-\d+\.\w+$/.test(name)

function pathOf(folder: string, name: string): string {
  requirePictureName(name)
  return join(folder, name)
}

/** Writes atomically: the file is whole or absent, whenever the process or the machine stops. */
async function writeWhole(folder: string, target: string, bytes: Buffer): Promise<void> {
  const draft = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true })
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  // The new name is an entry of the folder, which must be synced to the disk as well.
  await syncFolder(folder)
}

/** Removes what killed processes left half written; only after an hour, as another process may still be writing. */
function removeOldDrafts(folder: string): void {
  const anHourAgo = Date.now() - 3_600_000
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.tmp')) continue
    const path = join(folder, file)
    const draft = statSync(path, { throwIfNoEntry: false })
    if (draft && draft.mtimeMs < anHourAgo) rmSync(path, { force: true })
  }
}

function storageFull(): Error {
  return unavailable('storage_full', 'There is no room for more pictures right now.', 600)
}

async function toUndefinedIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
