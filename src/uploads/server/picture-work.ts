import { sharp } from './decoder.ts'
import { withoutUnneededChunks } from './png-chunks.ts'

const maxPixels = 25_000_000
/** The limit of JPEG. A line of 25 million pixels takes five seconds and ten times the memory of a square. */
const longestSideSent = 65_535
/** Above this, some formats take half a gigabyte to decode, however small the file: too much for two at once. */
const largePixels = 8_000_000
const longestSide = 2400
const longestSeconds = 5

export type Format = 'avif' | 'webp'

/** What is done with the bytes of a picture. */
export type PictureWork =
  | { make: 'master'; bytes: Uint8Array }
  | { make: 'variant'; bytes: Uint8Array; width: number; format: Format }

/** The new picture, or why there is none: an unsupported format, too many pixels, broken data, or a time-out. */
export type PictureMade = { bytes: Uint8Array } | { refusal: 'format' | 'pixels' | 'broken' | 'slow' }

/** Runs in a process of its own; see `makePicture`. */
export async function doPictureWork(work: PictureWork): Promise<PictureMade> {
  if (work.make === 'master') return encodeAnew(work.bytes)
  return { bytes: await encode(work.bytes, work) }
}

async function encodeAnew(sent: Uint8Array): Promise<PictureMade> {
  const bytes = withoutUnneededChunks(sent)
  const header = await readHeader(bytes)
  if (!header) return { refusal: 'format' }
  const { width, height } = header
  if (width * height > maxPixels || Math.max(width, height) > longestSideSent) return { refusal: 'pixels' }
  const make = () => makeMaster(bytes)
  return width * height > largePixels ? runOneAtATime(make) : make()
}

async function makeMaster(bytes: Uint8Array): Promise<PictureMade> {
  // Phones write odd JPEGs that every viewer shows, so warnings are accepted; truncated and broken data is not.
  const picture = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', autoOrient: true })
  try {
    const made = await picture
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .timeout({ seconds: longestSeconds })
      .toBuffer()
    return { bytes: made }
  } catch (error) {
    // libvips reports a time-out in one line of the message; others are about what failed because of it.
    const isSlow = error instanceof Error && /^timeout: /m.test(error.message)
    return { refusal: isSlow ? 'slow' : 'broken' }
  }
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Runs such work one at a time. */
function runOneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(work)
  lastTurn = turn.catch(() => undefined)
  return turn
}

/** Identifies the file by its content, whatever its name or sender say, without decoding any pixels. */
async function readHeader(bytes: Uint8Array): Promise<{ width: number; height: number } | undefined> {
  try {
    const known = await sharp(bytes, { limitInputPixels: false }).metadata()
    const isAvif = known.format === 'heif' && known.compression === 'av1'
    return isAvif || ['jpeg', 'png', 'webp'].includes(known.format) ? known : undefined
  } catch {
    // An unreadable file is treated like one of an unsupported format.
    return undefined
  }
}

/** The efforts were measured: one step more takes twice as long and saves 5 %, at large sizes nothing. */
function encode(master: Uint8Array, { width, format }: { width: number; format: Format }): Promise<Buffer> {
  const resized = sharp(master).resize({ width, withoutEnlargement: true })
  const isSmall = width <= 640
  return format === 'avif'
    ? resized.avif({ quality: 52, effort: isSmall ? 2 : 0 }).toBuffer()
    : resized.webp({ quality: 78, effort: isSmall ? 4 : 2 }).toBuffer()
}
