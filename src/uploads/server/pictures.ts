import { createHash } from 'node:crypto'
import { ShopError } from '#shop/platform/errors.ts'
import { maxPictureBytes, uploadFailed } from '#shop/uploads/picture-limits.ts'
import { sharp } from './decoder.ts'
import type { Storage } from './storage.ts'
import { inTurn } from './turns.ts'

const maxPixels = 25_000_000
const longestSide = 2400
const longestSeconds = 5

/**
 * Keeps a picture and answers its address. What is kept is never what was sent but a new WebP of what it shows: no
 * script, appended file, place or name that came with it survives.
 */
export async function keepPicture(storage: Storage, bytes: Buffer): Promise<string> {
  if (bytes.length > maxPictureBytes) throw tooLarge('A picture may have at most 8 MiB.')
  const master = await inTurn('upload', () => encodeAnew(bytes))
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
  const { width, height } = await readHeader(bytes)
  if (width * height > maxPixels) throw tooLarge('A picture may have at most 25 megapixels.')
  // Phones write odd JPEGs that every viewer shows, so warnings are let pass; truncated and broken data is not.
  const picture = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', autoOrient: true })
  try {
    return await picture
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .timeout({ seconds: longestSeconds })
      .toBuffer()
  } catch {
    throw wrongType('The picture can not be read to its end.')
  }
}

/** What the file is by its content, whatever its name or sender say; nothing of the picture is decoded yet. */
async function readHeader(bytes: Buffer): Promise<{ width: number; height: number }> {
  try {
    const known = await sharp(bytes, { limitInputPixels: false }).metadata()
    const isAvif = known.format === 'heif' && known.compression === 'av1'
    if (isAvif || ['jpeg', 'png', 'webp'].includes(known.format)) return known
  } catch {
    // Not a picture that this shop reads: the same as one that it does not keep.
  }
  throw wrongType('Only JPEG, PNG, WebP and AVIF pictures can be kept.')
}
