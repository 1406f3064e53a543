import { createHash } from 'node:crypto'
import type { Changes } from '#shop/platform/changes.ts'
import { compress, type Encoding } from './encodings.ts'

/** An answer before it is compressed; the same for everybody. */
export type UncompressedAnswer = { body: string; type: string }

/**
 * A small body is a string with one character per byte (`latin1`): with its head, a string too, it leaves Node in
 * one piece, which saves an eighth of the time of the whole response. A large one would be copied for that.
 */
type Body = Buffer | string
const smallBytes = 12_000

/** One cached answer as bytes. `sentAs` has the response that was sent before, for each encoding. */
export type CachedAnswer = {
  readonly key: string
  readonly type: string
  /** Of the uncompressed body, in bytes. */
  readonly length: number
  bodyOf(encoding: Encoding): Body
  etagOf(encoding: Encoding): string
  readonly sentAs: Partial<Record<Encoding, SentResponse>>
}

/**
 * `fields` and `notModified` have names and values in turn, as Node takes them. `text` is `fields` as it is sent,
 * from the status line on, without the length.
 */
export type SentResponse = {
  body: Body
  etag: string
  text: string
  lengthField: string[]
  fields: string[]
  notModified: string[]
}

type Entry = CachedAnswer & { size: number; isUsed: boolean; addresses: string[] }

export type ByteCache = {
  /** The answer cached under this key, or a new one; requests for it at the same moment share the work. */
  get(key: string, render: () => Promise<UncompressedAnswer>): Promise<CachedAnswer>
  /** Whether `get` has this answer, or is making it already, so that asking for it costs no further work. */
  isCachedOrRendering(key: string): boolean
  /** The answer that was sent for exactly this URL, if nothing has changed since. */
  find(address: string): CachedAnswer | undefined
  /** From now on `find` finds the answer by this URL too. */
  remember(address: string, cached: CachedAnswer): void
}

const mostBytes = 32 * 1024 * 1024
/** Roughly what an entry or a URL costs besides its bytes. */
const overheadBytes = 1000
const longestAddress = 500
/** Only somebody who invents URLs asks for one answer by more of them, to push the other answers out. */
const mostAddresses = 100

/**
 * Caches answers that are the same for everybody. When anything changes in what the shop shows, all are dropped,
 * since most of them show lists. An answer is cached only if nothing has changed while it was being made.
 */
export function createByteCache(changes: Pick<Changes, 'current'>, maxBytes = mostBytes): ByteCache {
  let version: number | undefined
  let size = 0
  let entries = new Map<string, Entry>()
  let byAddress = new Map<string, Entry>()
  let running = new Map<string, Promise<CachedAnswer>>()

  /** Drops the entries of another version; false while no version is known. */
  const syncVersion = () => {
    const current = changes.current()
    if (current === version) return current !== undefined
    version = current
    size = 0
    entries = new Map()
    byAddress = new Map()
    running = new Map()
    return current !== undefined
  }
  const drop = (key: string, entry: Entry) => {
    entries.delete(key)
    for (const address of entry.addresses) byAddress.delete(address)
    size -= entry.size
  }
  /** Drops the oldest entries first, but lets each that was used since the last pass stay once more. */
  const makeRoom = () => {
    for (const [key, entry] of entries) {
      if (size <= maxBytes) return
      if (entry.isUsed) {
        entry.isUsed = false
        entries.delete(key)
        entries.set(key, entry)
      } else drop(key, entry)
    }
  }
  const grow = (entry: Entry, bytes: number) => {
    entry.size += bytes
    size += bytes
    makeRoom()
  }
  const addEntry = (key: string, rendered: UncompressedAnswer): CachedAnswer => {
    const entry: Entry = {
      ...createCachedAnswer(key, rendered, (bytes) => {
        if (entries.get(key) === entry) grow(entry, bytes)
      }),
      size: 0,
      isUsed: false,
      addresses: [],
    }
    entries.set(key, entry)
    grow(entry, entry.length + overheadBytes)
    return entry
  }

  return {
    async get(key, render) {
      if (!syncVersion()) return createCachedAnswer(key, await render())
      const found = entries.get(key)
      if (found) {
        found.isUsed = true
        return found
      }
      const atStart = version
      const inFlight = running
      const started = inFlight.get(key)
      if (started) return started
      const work = render()
        .then((rendered) =>
          syncVersion() && version === atStart ? addEntry(key, rendered) : createCachedAnswer(key, rendered),
        )
        .finally(() => inFlight.delete(key))
      inFlight.set(key, work)
      return work
    },
    isCachedOrRendering: (key) => syncVersion() && (entries.has(key) || running.has(key)),
    find(address) {
      if (!syncVersion()) return undefined
      const found = byAddress.get(address)
      if (found) found.isUsed = true
      return found
    },
    remember(address, cached) {
      if (address.length > longestAddress || !syncVersion() || byAddress.has(address)) return
      const entry = entries.get(cached.key)
      if (entry !== cached || entry.addresses.length >= mostAddresses) return
      byAddress.set(address, entry)
      entry.addresses.push(address)
      grow(entry, 2 * address.length + overheadBytes)
    },
  }
}

/** @param onGrowth called with the bytes that a compressed body adds to the entry */
function createCachedAnswer(
  key: string,
  { body, type }: UncompressedAnswer,
  onGrowth?: (bytes: number) => void,
): CachedAnswer {
  const bytes = Buffer.from(body)
  const plain = bodyFrom(bytes)
  const bodies = new Map<Encoding, Body>([['identity', plain]])
  const hash = createHash('sha256').update(type).update(bytes).digest('base64url').slice(0, 22)
  return {
    key,
    type,
    length: bytes.length,
    sentAs: {},
    etagOf: (encoding) => (encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`),
    bodyOf(encoding) {
      const found = bodies.get(encoding)
      if (found) return found
      const compressed = bodyFrom(compress(bytesOf(plain), encoding))
      bodies.set(encoding, compressed)
      onGrowth?.(compressed.length)
      return compressed
    },
  }
}

function bodyFrom(bytes: Buffer): Body {
  return bytes.length < smallBytes ? bytes.toString('latin1') : bytes
}

export function bytesOf(body: Body): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body
}
