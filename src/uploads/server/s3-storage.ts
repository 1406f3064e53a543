import { unavailable } from '#shop/platform/errors.ts'
import type { S3Settings } from '#shop/platform/s3-settings.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { hashOfPicture } from './pictures.ts'
import { isTransient, s3Caller, S3Failure, type S3Call, type S3Caller } from './s3-calls.ts'
import { limitConcurrentReads, requirePictureName, type Storage } from './storage.ts'

type S3Patience = {
  /** The time limit of one attempt: the largest pictures have a few megabytes. */
  attemptMs: number
  /** After a failure, calls fail at once for this long; then a single call finds out whether the store is back. */
  restMs: number
  /** The same refusal is logged at most once in this time. */
  logAgainMs: number
}
const standardPatience: S3Patience = { attemptMs: 5000, restMs: 2000, logAgainMs: 60_000 }
/** An empty object that each start writes, to check that it may. */
const marker = 'haberdash'

/**
 * Pictures in a bucket of an S3-compatible store. While that cannot be reached, every call throws a 503.
 *
 * @throws StartError naming the variable to look at, when the bucket cannot be read and written now
 */
export async function openS3Storage(
  settings: S3Settings,
  log: (line: string) => void,
  patience = standardPatience,
): Promise<Storage> {
  const call = s3Caller(settings, patience)
  await requireBucket(call, settings)
  const openCircuits = new Set<object>()
  // Reads and writes each have a circuit breaker: reads go on while the bucket is full or the key may only read.
  const gate = () => withCircuitBreaker(call, { openCircuits, patience, log })
  const [read, write] = [gate(), gate()]
  return limitConcurrentReads({
    async save(name, bytes) {
      requirePictureName(name)
      const headers = {
        'content-type': name.endsWith('.avif') ? 'image/avif' : 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
      }
      const answer = await write({ method: 'PUT', name, body: bytes, headers })
      if (!answer) throw storageUnavailable()
    },
    async read(name) {
      requirePictureName(name)
      const bytes = await read({ method: 'GET', name })
      if (!bytes || isWhole(name, bytes)) return bytes
      log(`The picture storage answers with something other than ${name}.`)
      throw storageUnavailable()
    },
    async has(name) {
      requirePictureName(name)
      return (await read({ method: 'HEAD', name })) !== undefined
    },
  })
}

type CircuitBreakerParts = { openCircuits: Set<object>; patience: S3Patience; log: (line: string) => void }

/**
 * A circuit breaker: a store that hangs must not make every visitor's browser wait for every picture, on all its
 * connections. A refusal, or a failure while the store answers other calls, does not open the circuit.
 *
 * @param openCircuits a line is logged when the first one opens, and when the last one closes
 */
function withCircuitBreaker(call: S3Caller, { openCircuits, patience, log }: CircuitBreakerParts): S3Caller {
  const circuit = {}
  let failedAt = -Infinity
  let answeredAt = -Infinity
  let isProbing = false
  let refusal = { message: '', loggedAt: -Infinity }

  const logRefusal = ({ message }: S3Failure) => {
    const now = performance.now()
    if (message === refusal.message && now - refusal.loggedAt < patience.logAgainMs) return
    log(`The picture storage refuses: ${message}`)
    refusal = { message, loggedAt: now }
  }
  const probe = async (wanted: S3Call) => {
    const isProbe = openCircuits.has(circuit)
    isProbing ||= isProbe
    const startedAt = performance.now()
    try {
      const answer = await call(wanted)
      answeredAt = performance.now()
      if (openCircuits.delete(circuit) && openCircuits.size === 0) log('The picture storage answers again.')
      return answer
    } catch (error) {
      if (!(error instanceof S3Failure)) throw error
      if (!isTransient(error)) {
        logRefusal(error)
      } else if (answeredAt < startedAt) {
        if (openCircuits.size === 0) log(`The picture storage does not answer: ${error.message}`)
        openCircuits.add(circuit)
        failedAt = performance.now()
      }
      throw storageUnavailable()
    } finally {
      if (isProbe) isProbing = false
    }
  }

  return async (wanted) => {
    const isResting = openCircuits.has(circuit) && performance.now() - failedAt < patience.restMs
    if (isProbing || isResting) throw storageUnavailable()
    return probe(wanted)
  }
}

/** Checked because browsers keep what the shop sends for a year. */
function isWhole(name: string, bytes: Buffer): boolean {
  const hash = /^([0-9a-f]{40})\.webp$/.exec(name)?.[1]
  if (hash) return hashOfPicture(bytes) === hash
  return name.endsWith('.webp') ? isWholeWebp(bytes) : isWholeAvif(bytes)
}

/** RIFF: after the first four bytes comes the length of all that follows. */
function isWholeWebp(bytes: Buffer): boolean {
  const isOne = bytes.length > 12 && bytes.toString('latin1', 0, 4) === 'RIFF'
  return isOne && bytes.readUInt32LE(4) + 8 === bytes.length
}

/** A sequence of boxes, each of which begins with its length. */
function isWholeAvif(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return false
  let at = 0
  while (at + 8 <= bytes.length) at += Math.max(bytes.readUInt32BE(at), 8)
  return at === bytes.length
}

function storageUnavailable(): Error {
  return unavailable('storage_unavailable', 'The picture storage cannot be reached right now.')
}

/** Lists, writes and reads, since a key may be allowed only some of these. */
async function requireBucket(call: S3Caller, settings: S3Settings): Promise<void> {
  try {
    const list = await call({ method: 'GET', query: `list-type=2&max-keys=1&prefix=${marker}` })
    if (!list) throw new S3Failure(404, 'NoSuchBucket')
    await call({ method: 'PUT', name: marker, body: Buffer.alloc(0) })
    const stored = await call({ method: 'GET', name: marker })
    if (stored?.length !== 0) throw new S3Failure(200, 'what was written is not what is read')
  } catch (error) {
    if (error instanceof S3Failure) throw new StartError(reasonOf(error, settings))
    throw error
  }
}

function reasonOf({ status, code, message }: S3Failure, { endpoint, region, bucket }: S3Settings): string {
  if (status === 0) return `S3_ENDPOINT ${endpoint} cannot be reached (${message})`
  if (status === 404) return `S3_BUCKET ${bucket} does not exist at ${endpoint} (${message})`
  if (code === 'InvalidAccessKeyId') return `S3_ACCESS_KEY_ID is not known at ${endpoint} (${message})`
  if (code === 'SignatureDoesNotMatch') {
    return `S3_SECRET_ACCESS_KEY does not fit S3_ACCESS_KEY_ID at ${endpoint} (${message})`
  }
  if (code === 'AuthorizationHeaderMalformed' || (status >= 300 && status < 400)) {
    return `S3_REGION ${region} is not where S3_BUCKET ${bucket} is (${message})`
  }
  if (status === 401 || status === 403) {
    return `S3_ACCESS_KEY_ID may not read and write S3_BUCKET ${bucket} at ${endpoint} (${message})`
  }
  return `S3_ENDPOINT ${endpoint} does not answer as a store (${message})`
}
