import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { codeOf } from '#shop/platform/error-code.ts'
import type { S3Settings } from '#shop/platform/s3-settings.ts'

const mostAttempts = 3

export type S3Call = {
  method: 'GET' | 'HEAD' | 'PUT'
  /** The name of the object; without one, the call is about the bucket itself. */
  name?: string
  query?: string
  body?: Buffer
  headers?: Record<string, string>
}
export type S3Caller = (call: S3Call) => Promise<Buffer | undefined>

/** The store cannot be reached, or its response is not what was asked for. */
export class S3Failure extends Error {
  /** 0 when there was no response. */
  readonly status: number
  /** The error code of S3, or of the network. */
  readonly code: string

  constructor(status: number, code: string) {
    super(status ? `${status} ${code}`.trim() : code)
    this.status = status
    this.code = code
  }
}

/**
 * Makes signed calls with a time-out and retries them when that may help: all of the shop's calls are idempotent.
 * A call resolves to the body, or to undefined when there is no such object.
 *
 * @throws S3Failure for everything else
 */
export function s3Caller(settings: S3Settings, patience: { attemptMs: number }): S3Caller {
  const { accessKeyId, secretAccessKey, region } = settings
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  return async (call) => {
    const { attemptMs } = patience
    const startedAt = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await askOnce(signer, addressOf(settings, call), call, attemptMs)
      } catch (error) {
        const failure = error instanceof S3Failure ? error : new S3Failure(0, networkCode(error))
        // Somebody is waiting: a store that hangs is tried twice, one that fails quickly three times.
        const isLate = performance.now() - startedAt > 1.5 * attemptMs
        if (attempt === mostAttempts || isLate || !isTransient(failure)) throw failure
        await wait(100 * 2 ** attempt * (0.5 + Math.random()))
      }
    }
  }
}

export function addressOf(
  { endpoint, bucket, isPathStyle }: S3Settings,
  { name = '', query = '' }: Pick<S3Call, 'name' | 'query'>,
): string {
  const home = isPathStyle ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`)
  return `${home}${name && `/${name}`}${query && `?${query}`}`
}

async function askOnce(
  signer: AwsClient,
  address: string,
  { method, body, headers }: S3Call,
  attemptMs: number,
): Promise<Buffer | undefined> {
  const request = await signer.sign(address, {
    method,
    ...(body && { body: new Uint8Array(body) }),
    // The store compares the body with this hash: one that was cut or changed on its way is never kept.
    headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? Buffer.alloc(0)) },
    // The signature is not valid for another address; a redirect means that the region is wrong.
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
  })
  const response = await fetch(request)
  const bytes = Buffer.from(await response.arrayBuffer())
  // Some stores report only in the body that nothing was kept.
  const isRefused = method === 'PUT' && bytes.includes('<Error')
  if (response.ok && !isRefused) return bytes
  // A response without a body, as to HEAD, has no code.
  const code = /<Code>(\w{1,80})<\/Code>/.exec(bytes.toString('latin1', 0, 4000))?.[1] ?? ''
  if (response.status === 404 && code !== 'NoSuchBucket') return undefined
  throw new S3Failure(response.status, code)
}

/** Whether the store itself is failing, and the call may succeed later. */
export function isTransient({ status, code }: S3Failure): boolean {
  return status === 0 || status === 429 || status >= 500 || code === 'RequestTimeout'
}

/** `fetch` itself says only that it failed; the reason is in the error's `cause`. */
function networkCode(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return codeOf(cause) || (cause instanceof Error ? cause.message : 'no answer')
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
