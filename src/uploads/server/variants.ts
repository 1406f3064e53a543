import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { ShopError } from '#shop/platform/errors.ts'
import { makePicture } from './picture-maker.ts'
import { inPictureTurn } from './picture-turns.ts'
import type { Format } from './picture-work.ts'
import type { Storage } from './storage.ts'

/** A picture in its full size, by the hash of its bytes. */
export type Master = { hash: string; exists(): Promise<boolean>; read(): Promise<Buffer | undefined> }
export type Variant = { width: number; format: Format }

/** What is being read or made right now: concurrent requests for the same picture share one promise. */
const inFlightByStorage = new WeakMap<Storage, Map<string, Promise<Buffer | undefined>>>()

export function uploadedMaster(storage: Storage, hash: string): Master {
  const name = nameOf({ hash })
  return { hash, exists: () => storage.has(name), read: () => storage.read(name) }
}

/** A picture in its full size, read once for concurrent requests. */
export async function findMaster(storage: Storage, master: Master): Promise<Buffer | undefined> {
  return shareInFlight(storage, nameOf(master), () => master.read())
}

/** A picture in one width, made on first use and then kept; undefined when there is no such picture. */
export async function findVariant(
  storage: Storage,
  master: Master,
  variant: Variant,
): Promise<Buffer | undefined> {
  const name = nameOf(master, variant)
  return shareInFlight(storage, name, async () => {
    const stored = await readStored(storage, name)
    if (stored) return stored
    // Requests for made-up names must not take the slots of requests for real pictures.
    if (!(await master.exists())) return undefined
    return inPictureTurn('visit', () => makeVariant(storage, master, variant))
  })
}

/**
 * Variants of the site's own pictures, which are elsewhere, are made even while the storage cannot be reached.
 */
async function readStored(storage: Storage, name: string): Promise<Buffer | undefined> {
  try {
    return await storage.read(name)
  } catch (error) {
    if (error instanceof ShopError && error.code === 'storage_unavailable') return undefined
    throw error
  }
}

/**
 * Makes the missing variants of these pictures (addresses such as `/uploads/….webp`), most wanted widths first, so
 * that the first visitor does not wait. Works one at a time, only while nobody waits for a picture and the shop
 * has little to do, and rests half of the time.
 */
export async function warmPictures(storage: Storage, images: string[], signal?: AbortSignal): Promise<void> {
  const hashes = images.flatMap((image) => /^\/uploads\/([0-9a-f]{40})\.webp$/.exec(image)?.[1] ?? [])
  const masters = [...new Set(hashes)].map((hash) => uploadedMaster(storage, hash))
  await warm(storage, masters, [480, 320, 640], signal)
}

/** As `warmPictures`, for any masters and widths. */
export async function warm(
  storage: Storage,
  masters: Master[],
  widths: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  for (const width of widths) {
    for (const master of masters) {
      if (signal?.aborted) return
      // Few browsers need WebP: those variants are made on request.
      await warmVariant(storage, master, { width, format: 'avif' }, signal)
    }
  }
}

async function warmVariant(
  storage: Storage,
  master: Master,
  variant: Variant,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(master, variant)
  try {
    if (await storage.has(name)) return
    const seconds = await inPictureTurn('warming', async () => {
      const startedAt = performance.now()
      // To wait here for a variant that a visitor has requested would hold a slot which that request may need.
      if (signal?.aborted || inFlightOf(storage).has(name)) return 0
      await shareInFlight(storage, name, () => makeVariant(storage, master, variant))
      return (performance.now() - startedAt) / 1000
    })
    if (seconds > 0) await restUntilCalm(seconds * 1000, signal)
  } catch {
    // Stopped, or this one cannot be made: a request for it will report why.
  }
}

/** Above this event loop utilization the shop has visitors, who need the machine more. */
const busyShare = 0.2

async function restUntilCalm(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let before
  do {
    before = performance.eventLoopUtilization()
    await wait(Math.max(ms, 200), undefined, { signal })
  } while (performance.eventLoopUtilization(before).utilization > busyShare)
}

function inFlightOf(storage: Storage): Map<string, Promise<Buffer | undefined>> {
  const known = inFlightByStorage.get(storage) ?? new Map<string, Promise<Buffer | undefined>>()
  inFlightByStorage.set(storage, known)
  return known
}

async function shareInFlight(
  storage: Storage,
  name: string,
  make: () => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  const inFlight = inFlightOf(storage)
  const made = inFlight.get(name) ?? make().finally(() => inFlight.delete(name))
  inFlight.set(name, made)
  return made
}

async function makeVariant(storage: Storage, master: Master, variant: Variant): Promise<Buffer | undefined> {
  const bytes = await master.read()
  if (!bytes) return undefined
  const answer = await makePicture({ make: 'variant', bytes, ...variant })
  if (!('bytes' in answer)) return undefined
  const made = Buffer.from(answer.bytes)
  try {
    await storage.save(nameOf(master, variant), made)
  } catch (error) {
    // A full disk is no reason to show nothing: the variant is made again next time.
    if (!(error instanceof ShopError)) throw error
  }
  return made
}

/** The name under which a picture is stored, in full size or as a variant. */
export function nameOf({ hash }: Pick<Master, 'hash'>, variant?: Variant): string {
  return variant ? `${hash}-${variant.width}.${variant.format}` : `${hash}.webp`
}
