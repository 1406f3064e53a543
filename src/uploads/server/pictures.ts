import { createHash } from 'node:crypto'
import { ShopError, unavailable } from '#shop/platform/errors.ts'
import { notOfTheseTypes, uploadFailed } from '#shop/uploads/picture-limits.ts'
import { makePicture } from './picture-maker.ts'
import { inPictureTurn } from './picture-turns.ts'
import type { Storage } from './storage.ts'

/**
 * Stores a picture and returns its address. What is stored is never the file that was sent but a new WebP of what
 * it shows: no script, appended file, location or name in the file survives.
 *
 * @param onEncoded is called with the size of the WebP before it is stored
 */
export async function storePicture(
  storage: Storage,
  bytes: Buffer,
  onEncoded: (size: number) => void = () => undefined,
): Promise<string> {
  const master = await inPictureTurn('upload', () => encodeAnew(bytes))
  onEncoded(master.length)
  const name = `${hashOfPicture(master)}.webp`
  await storage.save(name, master)
  return `/uploads/${name}`
}

export function hashOfPicture(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 40)
}

export function wrongType(detail: string): ShopError {
  return new ShopError(415, 'wrong_type', detail, { title: uploadFailed })
}

export function tooLarge(detail: string): ShopError {
  return new ShopError(413, 'too_large', detail, { title: uploadFailed })
}

async function encodeAnew(bytes: Buffer): Promise<Buffer> {
  const made = await makePicture({ make: 'master', bytes })
  if ('bytes' in made) return Buffer.from(made.bytes)
  if (made.refusal === 'pixels')
    throw tooLarge('A picture may have at most 25 megapixels, and 65,535 pixels on a side.')
  if (made.refusal === 'slow')
    throw unavailable('pictures_busy', 'The picture could not be processed in time. Please try again.')
  if (made.refusal === 'broken') throw wrongType('The picture is incomplete or damaged.')
  throw wrongType(notOfTheseTypes)
}
