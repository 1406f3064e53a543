import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'

/** How many pictures may be on their way in, in all and of one account; how long each may be as slow as it likes. */
export type UploadRoom = { most: number; ofOne: number; patienceMs: number }

type Place = { account: string; sinceMs: number; bytesBefore: number }

/** A telephone far from its mast sends more than that. */
const slowBytesPerSecond = 32 * 1024

/**
 * A picture on its way in is megabytes of memory: it has a place from its first byte until it is answered. So that
 * nobody keeps the others waiting who only drips, one that comes too slowly makes way when a place is needed.
 */
export class UploadPlaces {
  readonly #room: UploadRoom
  /** The oldest first. */
  readonly #taken = new Map<FastifyRequest, Place>()

  constructor(room: UploadRoom) {
    this.#room = room
  }

  /** @throws ShopError 503 where there is no place, in all or for this account */
  take(request: FastifyRequest): void {
    const account = request.viewer?.id ?? request.ip
    const own = this.#taken.values().filter((place) => place.account === account)
    if ([...own].length >= this.#room.ofOne) {
      if (!this.#makeWay(account))
        throw unavailable(
          'too_many_at_once',
          'Please send fewer pictures at once, or try again in a moment.',
          1,
        )
    } else if (this.#taken.size >= this.#room.most && !this.#makeWay()) {
      throw unavailable('overloaded', 'Too many pictures are on their way. Please try again in a moment.', 1)
    }
    this.#taken.set(request, {
      account,
      sinceMs: performance.now(),
      bytesBefore: request.raw.socket.bytesRead,
    })
  }

  giveBack(request: FastifyRequest): void {
    this.#taken.delete(request)
  }

  /** Of this account, or of anybody: true when a place has been given back. */
  #makeWay(account?: string): boolean {
    for (const [request, place] of this.#taken) {
      if ((account !== undefined && place.account !== account) || !this.#isSlow(request, place)) continue
      this.#taken.delete(request)
      // Whoever reads the body hears it as any other end of it, and answers so.
      request.raw.emit('error', unavailable('too_slow', 'The picture came too slowly. Please try again.', 1))
      return true
    }
    return false
  }

  #isSlow({ raw }: FastifyRequest, { sinceMs, bytesBefore }: Place): boolean {
    const elapsedMs = performance.now() - sinceMs
    if (raw.complete || elapsedMs < this.#room.patienceMs) return false
    return raw.socket.bytesRead - bytesBefore < (elapsedMs / 1000) * slowBytesPerSecond
  }
}
