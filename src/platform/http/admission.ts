import { Readable } from 'node:stream'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'
import { hasBody, isBodyComing } from './has-body.ts'
import { safeMethods } from './same-origin.ts'
import { UploadSlots, type UploadLimits } from './upload-slots.ts'

/**
 * Each kind of request has slots of its own (`SlotLimits`), so that no kind makes the others wait: `payments` are
 * of those who pay, and mostly wait for the payment provider; `signals` are the provider's webhook events,
 * `uploads` are pictures being received, `lists` are sent while they are still being read from the database, and
 * `calls` are all the rest.
 */
type Lane = 'calls' | 'payments' | 'signals' | 'lists' | 'uploads'
type Counted = Exclude<Lane, 'uploads'>

/**
 * How many requests of a lane may be in progress at once: `usual` while the shop keeps up; otherwise as many as it
 * gets done within `waitMs`, between `least` and `most`.
 */
type LaneLimits = { least: number; usual: number; most: number; waitMs: number }
export type SlotLimits = {
  calls: LaneLimits
  payments: LaneLimits
  signals: number
  lists: number
  uploads: UploadLimits
}

/**
 * A picture takes some 30 MB while it is read; a payment waits up to eight seconds and takes next to nothing.
 * Payments may wait longer than other requests, so that in a crowd those who pay come first. The page uploads one
 * picture after the other.
 */
export const slotLimits: SlotLimits = {
  calls: { least: 64, usual: 500, most: 2000, waitMs: 300 },
  payments: { least: 48, usual: 200, most: 200, waitMs: 450 },
  signals: 100,
  lists: 50,
  uploads: { most: 8, mostPerAccount: 4, mostWaitingPerAccount: 16, patienceMs: 2000 },
}

export type MakeRoom = (request: FastifyRequest) => boolean

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Unset for files, which cost next to nothing, and for `/health`, which must always answer. */
    lane?: Lane
  }
  interface FastifyRequest {
    hasSlot: boolean
    /** What its handler is doing. */
    work: Promise<unknown> | null
  }
}

const lookEveryMs = 100
/** When the event loop is busy for more than this share of the time, new requests have to wait. */
const busyPart = 0.9
/** The weight of one measurement in the new limit: a single one may have met a pause of the machine. */
const measurementWeight = 0.2

/** What happened since the last measurement: the time passed, and how many requests of one lane were finished. */
export type Measurement = { elapsedMs: number; done: number; isBusy: boolean }

/**
 * How many requests may be in progress, given how many were finished while the shop was busy. When it was not
 * busy, nobody knows how many it could have finished: then the usual number holds again.
 */
export function computeLimit(
  { elapsedMs, done, isBusy }: Measurement,
  before: number,
  limits: LaneLimits,
): number {
  if (!isBusy) return limits.usual
  const couldBeDone = (done / elapsedMs) * limits.waitMs
  return Math.min(limits.most, Math.max(limits.least, before + (couldBeDone - before) * measurementWeight))
}

/** A measurement so late, after so many requests, means that they waited before they were even read. */
const lateMs = 400
const lateAfterRequests = 100

export function isLate({ elapsedMs, done, refused }: { elapsedMs: number; done: number; refused: number }) {
  return elapsedMs > lookEveryMs + lateMs && done + refused >= lateAfterRequests
}

/**
 * Refuses a request at once, before any work is done for it, when it could not be answered in time.
 *
 * @param makeRoom refuses one that has a slot and only waits, if its client has sent more requests than this one's;
 * returns whether there was one
 */
export function refuseWhenOverloaded(app: FastifyInstance, limits: SlotLimits, makeRoom: MakeRoom): void {
  const load = new Load(limits)
  const uploads = new UploadSlots(limits.uploads)
  const timer = setInterval(() => load.adjustLimits(), lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.decorateRequest('hasSlot', false)
  app.decorateRequest('work', null)
  const enter = (request: FastifyRequest, reply: FastifyReply, lane: Counted) => {
    // If the client has hung up, `close` has been emitted already, and the slot would never be given back.
    if (reply.raw.destroyed) return
    if (!load.enter(lane, () => lane === 'calls' && makeRoom(request)))
      throw unavailable('overloaded', 'Too many people are here right now. Please try again in a moment.', 1)
    request.hasSlot = true
  }
  const leave = (request: FastifyRequest, lane: Counted, isDone: boolean) => {
    if (request.hasSlot) load.leave(lane, isDone)
    request.hasSlot = false
  }
  app.addHook('onRequest', async (request, reply) => {
    const lane = countedLaneOf(request)
    if (!lane) return
    enter(request, reply, lane)
    reply.raw.once('close', () => {
      const leaveNow = () => leave(request, lane, true)
      // When a client hangs up, the work for its request goes on, and keeps the slot until it is done: otherwise the
      // number of requests in progress would have no limit. A payment, whose work is to wait for the provider, gives
      // its slot back at once.
      if (lane === 'payments' && !safeMethods.has(request.method)) leaveNow()
      else void Promise.resolve(request.work).then(leaveNow, leaveNow)
    })
  })
  app.addHook('onRoute', (options) => {
    const { handler, config } = options
    if (!config?.lane) return
    options.handler = function (request, reply) {
      // The client has hung up, so the request has no slot any more.
      if (safeMethods.has(request.method) && reply.raw.destroyed) return reply.hijack()
      const answer: unknown = handler.call(this, request, reply)
      if (answer instanceof Promise) request.work = answer
      return answer
    }
  })
  // While the shop waits for a body it does no work, so slow senders take no slot. A picture being received is
  // megabytes of memory, however, which its upload slot limits.
  app.addHook('preParsing', async (request, reply) => {
    const lane = countedLaneOf(request)
    if (!lane || !hasBody(request.headers)) return
    leave(request, lane, false)
    const isGone = () => reply.raw.destroyed
    if (!isUpload(request) || isGone()) return
    await uploads.take(request, isGone)
    reply.raw.once('close', () => uploads.giveBack(request))
  })
  app.addHook('preValidation', async (request, reply) => {
    const lane = countedLaneOf(request)
    if (!lane || isUpload(request) || !hasBody(request.headers)) return
    enter(request, reply, lane)
  })
  // From here on the request costs no work: complete bytes are sent as slowly as the client reads them, and the
  // rest of the request body is discarded. Only a response that is still being written keeps its slot.
  app.addHook('onSend', async (request, _reply, payload) => {
    const lane = countedLaneOf(request)
    if (!lane) return
    if (!(payload instanceof Readable)) leave(request, lane, true)
    if (isBodyComing(request)) uploads.giveBack(request)
  })
}

const isUpload = ({ routeOptions }: FastifyRequest) => routeOptions.config.lane === 'uploads'

/** Until its sender is known and its body begins to be read, an upload counts as one of the `calls`. */
function countedLaneOf({ routeOptions }: FastifyRequest): Counted | undefined {
  const { lane } = routeOptions.config
  return lane === 'uploads' ? 'calls' : lane
}

/** Counts the requests in progress, and adjusts ten times a second how many there may be. */
class Load {
  readonly #calls: LaneLimits
  readonly #payments: LaneLimits
  readonly #most: Record<Counted, number>
  readonly #inWork: Record<Counted, number> = { calls: 0, payments: 0, signals: 0, lists: 0 }
  readonly #done = { ...this.#inWork }
  #refused = 0
  #leastInWork = 0
  #isBehind = false
  #lookedAt = performance.now()
  #lastUtilization = performance.eventLoopUtilization()

  constructor({ calls, payments, signals, lists }: SlotLimits) {
    this.#calls = calls
    this.#payments = payments
    this.#most = { signals, lists, calls: calls.usual, payments: payments.usual }
  }

  /** False when the request gets no slot. When all are taken, `makeRoom` says whether one is about to become free. */
  enter(lane: Counted, makeRoom: () => boolean): boolean {
    const isRefused = lane === 'calls' && this.#isBehind
    if (!isRefused && (this.#inWork[lane] < this.#most[lane] || makeRoom())) {
      this.#inWork[lane] += 1
      return true
    }
    if (lane === 'calls') this.#refused += 1
    return false
  }

  leave(lane: Counted, isDone: boolean): void {
    this.#inWork[lane] -= 1
    this.#leastInWork = Math.min(this.#leastInWork, this.#inWork.calls)
    if (isDone) this.#done[lane] += 1
  }

  adjustLimits(): void {
    const [most, done] = [this.#most, this.#done]
    const now = performance.now()
    const elapsedMs = now - this.#lookedAt
    const { utilization } = performance.eventLoopUtilization(this.#lastUtilization)
    // All requests may also be waiting for the database, while the event loop is idle.
    const isBusy = utilization > busyPart || this.#leastInWork >= this.#calls.least / 2
    most.calls = computeLimit({ elapsedMs, done: done.calls, isBusy }, most.calls, this.#calls)
    most.payments = computeLimit({ elapsedMs, done: done.payments, isBusy }, most.payments, this.#payments)
    this.#isBehind = isLate({ elapsedMs, done: done.calls, refused: this.#refused })
    this.#lookedAt = now
    this.#lastUtilization = performance.eventLoopUtilization()
    done.calls = done.payments = this.#refused = 0
    this.#leastInWork = this.#inWork.calls
  }
}
