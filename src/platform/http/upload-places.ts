import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'
import { networkOf } from './limits.ts'

/**
 * How many pictures may be on their way in, in all and of one account, and how many of one may wait for that; how long each
 * may be as slow as it likes.
 */
export type UploadRoom = { most: number; ofOne: number; waitingOfOne: number; patienceMs: number }

type Sender = { account: string; network: string }
type Place = Sender & { sinceMs: number; bytesBefore: number }
type Waiting = Sender & { wake: () => void; leave: () => void }

/** A telephone far from its mast sends more than that. */
const slowBytesPerSecond = 32 * 1024
/** Of all accounts together. */
const mostWaiting = 64
/** Whoever waits looks again whether one has become slow. */
const lookAgainMs = 500

/**
 * A picture on its way in is megabytes of memory: it has a place from its first byte until it is answered, and until then
 * waits unread. So that nobody keeps the others waiting who only drips, one that comes too slowly makes way when a place
 * is needed. Of those who wait it is the turn of whose account and network have the fewest there, and they have room to wait.
 */
export class UploadPlaces {
  readonly #room: UploadRoom
  /** The oldest first. */
  readonly #taken = new Map<FastifyRequest, Place>()
  readonly #waiting = new Set<Waiting>()

  constructor(room: UploadRoom) {
    this.#room = room
  }

  /**
   * @param isGone whoever has hung up takes no place
   * @throws ShopError 503 where too many wait, in all or of this account
   */
  async take(request: FastifyRequest, isGone: () => boolean): Promise<void> {
    const sender = { account: request.viewer?.id ?? request.ip, network: networkOf(request.ip) }
    const waiting: Waiting = { ...sender, wake: () => undefined, leave: () => undefined }
    try {
      while (!this.#mayTake(waiting)) {
        this.#queue(waiting)
        await this.#change(waiting)
        if (isGone()) return
      }
      const bytesBefore = request.raw.socket.bytesRead
      this.#taken.set(request, { ...sender, sinceMs: performance.now(), bytesBefore })
    } finally {
      if (this.#waiting.delete(waiting) && this.#taken.size < this.#room.most) this.#wakeAll()
    }
  }

  giveBack(request: FastifyRequest): void {
    if (this.#taken.delete(request)) this.#wakeAll()
  }

  #wakeAll(): void {
    for (const { wake } of this.#waiting) wake()
  }

  #mayTake(waiting: Waiting): boolean {
    const { account } = waiting
    return this.#isTheirTurn(waiting) && (this.#hasRoom(account) || this.#makeWay(account))
  }

  /** Whether nobody waits who has fewer here and could have a place. */
  #isTheirTurn(waiting: Waiting): boolean {
    const share = this.#shareOf(waiting)
    for (const other of this.#waiting) {
      if (other === waiting || countOf(this.#taken.values(), other.account) >= this.#room.ofOne) continue
      if (this.#shareOf(other) < share) return false
    }
    return true
  }

  /** How many others are here of the same network, and once more those of the same account. */
  #shareOf(waiting: Waiting): number {
    let share = 0
    for (const each of [...this.#taken.values(), ...this.#waiting]) {
      if (each === waiting) continue
      share += Number(each.network === waiting.network) + Number(each.account === waiting.account)
    }
    return share
  }

  /** The last of those who have the most here. */
  #findToLeave(): Waiting | undefined {
    let [found, most]: [Waiting | undefined, number] = [undefined, 0]
    for (const each of this.#waiting) {
      const share = this.#shareOf(each)
      if (share >= most) [found, most] = [each, share]
    }
    return found
  }

  #hasRoom(account: string): boolean {
    return this.#taken.size < this.#room.most && countOf(this.#taken.values(), account) < this.#room.ofOne
  }

  #queue(waiting: Waiting): void {
    if (this.#waiting.has(waiting)) return
    if (countOf(this.#waiting, waiting.account) >= this.#room.waitingOfOne)
      throw unavailable(
        'too_many_at_once',
        'Please send fewer pictures at once, or try again in a moment.',
        1,
      )
    this.#waiting.add(waiting)
    if (this.#waiting.size <= mostWaiting) return
    const leaving = this.#findToLeave()
    if (!leaving || leaving === waiting) throw tooMany()
    this.#waiting.delete(leaving)
    leaving.leave()
  }

  /** Until a place has been given back, or a while has passed. */
  async #change(waiting: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.wake = resolve
    waiting.leave = () => reject(tooMany())
    const timer = setTimeout(resolve, lookAgainMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Of this account, if it has all that one may have, or of anybody: true when a place has been given back. */
  #makeWay(account: string): boolean {
    const isFull = countOf(this.#taken.values(), account) >= this.#room.ofOne
    for (const [request, place] of this.#taken) {
      if ((isFull && place.account !== account) || !this.#isSlow(request, place)) continue
      this.#taken.delete(request)
      // Fastify answers an error of the body's stream with its status; to destroy the stream would end the connection, and
      // nobody would be told.
      request.raw.emit('error', unavailable('too_slow', 'The upload was too slow. Please try again.', 1))
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

function tooMany(): Error {
  return unavailable('overloaded', 'Too many pictures are being uploaded. Please try again in a moment.', 1)
}

function countOf(all: Iterable<{ account: string }>, account: string): number {
  let count = 0
  for (const each of all) if (each.account === account) count += 1
  return count
}
