import type { Transform } from 'node:stream'
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

/** Below this there is nothing to gain from compression. */
const smallestBytes = 600

const known = new Map<string, Encoding>()
const mostKnown = 200

/** The best encoding that the client accepts, by its `Accept-Encoding`. */
export function encodingFor(accepted: string | undefined, bytes: number): Encoding {
  if (!accepted || bytes < smallestBytes) return 'identity'
  const found = known.get(accepted)
  if (found) return found
  const encoding = (['br', 'gzip'] as const).find((name) => isAccepted(accepted, name)) ?? 'identity'
  // Browsers send a handful of values; once the map is full, values that it lacks are parsed each time.
  if (known.size < mostKnown) known.set(accepted, encoding)
  return encoding
}

function isAccepted(accepted: string, encoding: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.replace(/\s/g, '').split(';'))
    .some(([name, quality]) => name === encoding && !/^q=0(\.0*)?$/.test(quality ?? ''))
}

/** Below this, quality 3 takes a third of the time of quality 5, and its result is a twelfth larger. */
const shortBytes = 12_000

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants

/** At qualities that take about a millisecond for a page of the shop, and a twentieth of that for a list. */
export function compress(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'identity') return bytes
  if (encoding === 'gzip') return gzipSync(bytes)
  return brotliCompressSync(bytes, {
    params: {
      [BROTLI_PARAM_QUALITY]: bytes.length < shortBytes ? 3 : 5,
      [BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

/** For a response that is sent while it is still being written. */
export function createCompressor(encoding: Exclude<Encoding, 'identity'>): Transform {
  return encoding === 'gzip' ? createGzip() : createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 5 } })
}
