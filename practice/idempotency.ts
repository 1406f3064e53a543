import { createHash } from 'node:crypto'
import { ApiError, invalidRequest } from './api-error.ts'
import type { Provider } from './provider.ts'
import type { AnswerRecord } from './records.ts'
import { answerLifetimeMs } from './store.ts'

export type Answer = { status: number; body: string; isReplayed: boolean }

/**
 * One key, one effect: the first response, a failure included, stands for every later request with that key.
 * A shop that lost the response repeats its request, and must not get a second session or refund.
 */
export class Idempotency {
  readonly #provider: Provider
  /** Fingerprints of requests whose response is not on disk yet. */
  readonly #inFlight = new Map<string, string>()

  constructor(provider: Provider) {
    this.#provider = provider
  }

  static fingerprint(url: string, params: string): string {
    return createHash('sha256').update(`${url}\n${params}`).digest('base64')
  }

  /** Runs before the parameters are checked: a repeated request is answered even if it would be refused now. */
  find(key: string, fingerprint: string): Answer | undefined {
    if (key.length > 255) throw invalidRequest('Idempotency keys can have at most 255 characters.')
    const inFlight = this.#inFlight.get(key)
    const known = this.#findKnown(key)
    if ((inFlight ?? known?.fingerprint ?? fingerprint) !== fingerprint) throw differentRequest(key)
    if (inFlight !== undefined) throw stillInFlight(key)
    return known && { status: known.status, body: known.body, isReplayed: true }
  }

  /** Runs `act` and writes its response to the same journal line as its changes. */
  async run(key: string, fingerprint: string, act: () => { status: number; body: string }): Promise<Answer> {
    const { store, now } = this.#provider
    this.#inFlight.set(key, fingerprint)
    try {
      const { status, body } = act()
      store.put(['answers', { id: key, createdAt: now(), fingerprint, status, body }])
      await store.durable()
      return { status, body, isReplayed: false }
    } finally {
      this.#inFlight.delete(key)
    }
  }

  #findKnown(key: string): AnswerRecord | undefined {
    const known = this.#provider.store.find('answers', key)
    return known && known.createdAt > this.#provider.now() - answerLifetimeMs ? known : undefined
  }
}

function differentRequest(key: string): ApiError {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
  return new ApiError(400, 'idempotency_error', message)
}

function stillInFlight(key: string): ApiError {
  const message = `There is currently another in-progress request using this Idempotent Key: ${key}. Please try again later.`
  return new ApiError(409, 'idempotency_error', message, 'idempotency_key_in_use')
}
