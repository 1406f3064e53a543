import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'
import { networkOf } from './limits.ts'

/**
 * How many pictures may be received at once, in all and of one account; how many of one account may wait for a
 * slot; and for how long each may be as slow as it likes.
 */
export type UploadLimits = {
  most: number
  mostPerAccount: number
  mostWaitingPerAccount: number
  patienceMs: number
}

type Sender = { account: string; network: string }
type Slot = Sender & { sinceMs: number; bytesBefore: number }
type Waiting = Sender & { wake: () => void; leave: () => void }

/** Even a phone with a poor signal sends more than this. */
const slowBytesPerSecond = 32 * 1024
/** Of all accounts together. */
const mostWaiting = 64
/** How often a waiting upload checks whether an active one has become slow. */
const lookAgainMs = 500

/**
 * A picture being received takes megabytes of memory. An upload therefore waits unread until it gets a slot, and
 * keeps the slot until it is answered. So that a client that only drips bytes does not keep the others waiting, an
 * upload that is too slow loses its slot when another one needs it. The slot goes to the waiting upload whose
 * account and network have the fewest uploads here; such uploads also find room in a full queue.
 */
export class UploadSlots {
  readonly #limits: UploadLimits
  /** The oldest first. */
  readonly #taken = new Map<FastifyRequest, Slot>()
  readonly #waiting = new Set<Waiting>()

  constructor(limits: UploadLimits) {
    this.#limits = limits
  }

  /**
   * @param isGone whether the client has hung up: then it takes no slot
   * @throws ShopError 503 when too many uploads wait, in all or of this account
   */
  async take(request: FastifyRequest, isGone: () => boolean): Promise<void> {
    const sender = { account: request.viewer?.id ?? request.ip, network: networkOf(request.ip) }
    const waiting: Waiting = { ...sender, wake: () => undefined, leave: () => undefined }
    try {
      while (!this.#findOrFreeSlot(waiting)) {
        this.#queue(waiting)
        await this.#waitForChange(waiting)
        if (isGone()) return
      }
      const bytesBefore = request.raw.socket.bytesRead
      this.#taken.set(request, { ...sender, sinceMs: performance.now(), bytesBefore })
    } finally {
      if (this.#waiting.delete(waiting) && this.#taken.size < this.#limits.most) this.#wakeAll()
    }
  }

  giveBack(request: FastifyRequest): void {
    if (this.#taken.delete(request)) this.#wakeAll()
  }

  #wakeAll(): void {
    for (const { wake } of this.#waiting) wake()
  }

  #findOrFreeSlot(waiting: Waiting): boolean {
    const { account } = waiting
    return this.#isTheirTurn(waiting) && (this.#hasRoom(account) || this.#endSlowUpload(account))
  }

  /** Whether no other waiting upload that could have a slot has a smaller share here. */
  #isTheirTurn(waiting: Waiting): boolean {
    const share = this.#shareOf(waiting)
    for (const other of this.#waiting) {
      if (other === waiting || countOf(this.#taken.values(), other.account) >= this.#limits.mostPerAccount)
        continue
      if (this.#shareOf(other) < share) return false
    }
    return true
  }

  /** How many other uploads here come from the same network, plus how many come from the same account. */
  #shareOf(waiting: Waiting): number {
    let share = 0
    for (const upload of [...this.#taken.values(), ...this.#waiting]) {
      if (upload === waiting) continue
      share += Number(upload.network === waiting.network) + Number(upload.account === waiting.account)
    }
    return share
  }

  /** The latest of the waiting uploads that have the largest share. */
  #findUploadToRefuse(): Waiting | undefined {
    let [found, most]: [Waiting | undefined, number] = [undefined, 0]
    for (const each of this.#waiting) {
      const share = this.#shareOf(each)
      if (share >= most) [found, most] = [each, share]
    }
    return found
  }

  #hasRoom(account: string): boolean {
    return (
      this.#taken.size < this.#limits.most &&
      countOf(this.#taken.values(), account) < this.#limits.mostPerAccount
    )
  }

  #queue(waiting: Waiting): void {
    if (this.#waiting.has(waiting)) return
    if (countOf(this.#waiting, waiting.account) >= this.#limits.mostWaitingPerAccount)
      throw unavailable(
        'too_many_at_once',
        'Please send fewer pictures at once, or try again in a moment.',
        1,
      )
    this.#waiting.add(waiting)
    if (this.#waiting.size <= mostWaiting) return
    const leaving = this.#findUploadToRefuse()
    if (!leaving || leaving === waiting) throw tooMany()
    this.#waiting.delete(leaving)
    leaving.leave()
  }

  /**
   * Resolves when a slot has been given back or a while has passed; rejects when this upload must leave the queue.
   */
  async #waitForChange(waiting: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.wake = resolve
    waiting.leave = () => reject(tooMany())
    const timer = setTimeout(resolve, lookAgainMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /**
   * Ends a slow upload: one of this account if it has all the slots that one account may have, otherwise
   * anybody's. True when a slot became free.
   */
  #endSlowUpload(account: string): boolean {
    const isFull = countOf(this.#taken.values(), account) >= this.#limits.mostPerAccount
    for (const [request, slot] of this.#taken) {
      if ((isFull && slot.account !== account) || !this.#isSlow(request, slot)) continue
      this.#taken.delete(request)
      // Fastify answers an error of the body's stream with the error's status. Destroying the stream would close
      // the connection without telling the client anything.
      request.raw.emit('error', unavailable('too_slow', 'The upload was too slow. Please try again.', 1))
      return true
    }
    return false
  }

  #isSlow({ raw }: FastifyRequest, { sinceMs, bytesBefore }: Slot): boolean {
    const elapsedMs = performance.now() - sinceMs
    if (raw.complete || elapsedMs < this.#limits.patienceMs) return false
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
