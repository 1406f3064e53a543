import { unavailable } from '#shop/platform/errors.ts'
import type { S3Settings } from '#shop/platform/s3-settings.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { s3Caller, S3Failure, type S3Call, type S3Caller } from './s3-calls.ts'
import { requirePictureName, type Storage } from './storage.ts'

/** After a failure nobody waits for the store for so long; then one call finds out whether it is back. */
const restMs = 2000
/** An empty object that each start writes, to see that it may. */
const marker = 'haberdash'

/**
 * Pictures in a bucket of an S3-compatible store. While it can not be reached, every call answers 503.
 *
 * @throws StartError naming the variable to look at, when the bucket can not be read and written now
 */
export async function openS3Storage(
  settings: S3Settings,
  log: (line: string) => void,
  patienceMs?: number,
): Promise<Storage> {
  const call = s3Caller(settings, patienceMs)
  await requireBucket(call, settings)
  const ask = unlessGone(call, log)
  return {
    async save(name, bytes) {
      requirePictureName(name)
      const headers = {
        'content-type': name.endsWith('.avif') ? 'image/avif' : 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
      }
      const answer = await ask({ method: 'PUT', name, body: bytes, headers })
      if (!answer) throw storageUnavailable()
    },
    async read(name) {
      requirePictureName(name)
      return ask({ method: 'GET', name })
    },
    async has(name) {
      requirePictureName(name)
      return (await ask({ method: 'HEAD', name })) !== undefined
    },
  }
}

/** One that hangs must not make every visitor's browser wait for every picture, with all its connections. */
function unlessGone(call: S3Caller, log: (line: string) => void): S3Caller {
  let failedAt: number | undefined
  let isProbing = false

  const probe = async (wanted: S3Call) => {
    isProbing = failedAt !== undefined
    try {
      const answer = await call(wanted)
      if (failedAt !== undefined) log('The storage of pictures answers again.')
      failedAt = undefined
      return answer
    } catch (error) {
      if (!(error instanceof S3Failure)) throw error
      if (failedAt === undefined) log(`The storage of pictures does not answer: ${error.message}`)
      failedAt = performance.now()
      throw storageUnavailable()
    } finally {
      isProbing = false
    }
  }

  return async (wanted) => {
    const isResting = failedAt !== undefined && performance.now() - failedAt < restMs
    if (isProbing || isResting) throw storageUnavailable()
    return probe(wanted)
  }
}

function storageUnavailable(): Error {
  return unavailable('storage_unavailable', 'The storage of pictures can not be reached right now.')
}

/** Reads and writes, since keys may be allowed one without the other. */
async function requireBucket(call: S3Caller, settings: S3Settings): Promise<void> {
  try {
    const list = await call({ method: 'GET', query: `list-type=2&max-keys=1&prefix=${marker}` })
    if (!list) throw new S3Failure(404, 'NoSuchBucket')
    await call({ method: 'PUT', name: marker, body: Buffer.alloc(0) })
  } catch (error) {
    if (error instanceof S3Failure) throw new StartError(reasonOf(error, settings))
    throw error
  }
}

function reasonOf({ status, code, message }: S3Failure, { endpoint, region, bucket }: S3Settings): string {
  if (status === 0) return `S3_ENDPOINT ${endpoint} can not be reached (${message})`
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
