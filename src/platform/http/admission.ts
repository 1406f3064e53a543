import { Readable } from 'node:stream'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'
import { hasBody, isBodyComing } from './has-body.ts'
import { UploadPlaces, type UploadRoom } from './upload-places.ts'

/**
 * Each kind of work has places of its own, so that none keeps the others waiting: what waits for the payment provider,
 * the provider's signals, pictures on their way in, lists that are written while they are read, and all the rest.
 */
export type Lane = 'calls' | 'payments' | 'signals' | 'lists' | 'uploads'
type Counted = Exclude<Lane, 'uploads'>

/** How many may be in work at once: `usual` while the shop keeps up; while it does not, what it gets done in time. */
export type Room = { least: number; usual: number; most: number; waitMs: number }
export type Places = { calls: Room; payments: Room; signals: number; lists: number; uploads: UploadRoom }

/**
 * A picture takes some 30 MB while it is read; a payment waits up to eight seconds and takes next to nothing. Payments
 * may wait longer than the rest, so that of a crowd those who pay come first. The page sends one picture after the other.
 */
export const places: Places = {
  calls: { least: 64, usual: 500, most: 2000, waitMs: 300 },
  payments: { least: 48, usual: 200, most: 200, waitMs: 450 },
  signals: 100,
  lists: 50,
  uploads: { most: 8, ofOne: 4, waitingOfOne: 16, patienceMs: 2000 },
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** None for files, which cost next to nothing, and for `/health`, which must answer. */
    lane?: Lane
  }
}

const lookEveryMs = 100
/** With a loop that is at work for more than this part of the time, whatever comes must wait. */
const busyPart = 0.9
/** Of what a look says, so much is believed: one look may have met a pause of the machine. */
const believed = 0.2

/** What happened since the last look: how long ago that is, and what was done of one kind of work. */
export type Look = { elapsedMs: number; done: number; isBusy: boolean }

/**
 * How many may be in work, given how many were answered while the shop was busy. When it was not, nobody knows how
 * much it could do: then the usual number holds again.
 */
export function roomFor({ elapsedMs, done, isBusy }: Look, before: number, room: Room): number {
  if (!isBusy) return room.usual
  const couldBeDone = (done / elapsedMs) * room.waitMs
  return Math.min(room.most, Math.max(room.least, before + (couldBeDone - before) * believed))
}

/** A look that comes late by this much, after this many calls, means that they waited before they were even read. */
const lateMs = 400
const crowd = 100

export function isLate({ elapsedMs, done, refused }: { elapsedMs: number; done: number; refused: number }) {
  return elapsedMs > lookEveryMs + lateMs && done + refused >= crowd
}

/** Refuses at once, before any work is done for it, what could not be answered in time. */
export function refuseWhenOverloaded(app: FastifyInstance, places: Places): void {
  const load = new Load(places)
  const uploads = new UploadPlaces(places.uploads)
  const timer = setInterval(() => load.look(), lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  const inside = new WeakSet<FastifyRequest>()
  const enter = (request: FastifyRequest, reply: FastifyReply, lane: Counted) => {
    // Whoever has hung up would never give the place back.
    if (reply.raw.destroyed) return
    if (!load.enter(lane))
      throw unavailable('overloaded', 'Too many people are here right now. Please try again in a moment.', 1)
    inside.add(request)
  }
  const leave = (request: FastifyRequest, lane: Counted, isDone: boolean) => {
    if (inside.delete(request)) load.leave(lane, isDone)
  }
  app.addHook('onRequest', async (request, reply) => {
    const lane = countedLaneOf(request)
    if (!lane) return
    enter(request, reply, lane)
    reply.raw.once('close', () => leave(request, lane, true))
  })
  // While the shop waits for a body it does nothing: whoever sends slowly takes no place. But a picture on its way in is
  // megabytes of memory, and those are limited by its place.
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
  // What is left then costs no work: to send what is whole, as slowly as it is read, and to throw away the rest of what they
  // send. Only what is still being written keeps its place.
  app.addHook('onSend', async (request, _reply, payload) => {
    const lane = countedLaneOf(request)
    if (!lane) return
    const isComing = isBodyComing(request)
    if (isComing || !(payload instanceof Readable)) leave(request, lane, true)
    if (isComing) uploads.giveBack(request)
  })
}

const isUpload = ({ routeOptions }: FastifyRequest) => routeOptions.config.lane === 'uploads'

/** Until it is known whose it is, and its body is read, a picture is a call like any other. */
function countedLaneOf({ routeOptions }: FastifyRequest): Counted | undefined {
  const { lane } = routeOptions.config
  return lane === 'uploads' ? 'calls' : lane
}

/** What is in work, and how much more may be: looked at anew ten times a second. */
class Load {
  readonly #calls: Room
  readonly #payments: Room
  readonly #most: Record<Counted, number>
  readonly #inWork: Record<Counted, number> = { calls: 0, payments: 0, signals: 0, lists: 0 }
  readonly #done = { ...this.#inWork }
  #refused = 0
  #leastInWork = 0
  #isBehind = false
  #lookedAt = performance.now()
  #usedAt = performance.eventLoopUtilization()

  constructor({ calls, payments, signals, lists }: Places) {
    this.#calls = calls
    this.#payments = payments
    this.#most = { signals, lists, calls: calls.usual, payments: payments.usual }
  }

  /** False where there is no place. */
  enter(lane: Counted): boolean {
    if (this.#inWork[lane] >= this.#most[lane] || (this.#isBehind && lane === 'calls')) {
      if (lane === 'calls') this.#refused += 1
      return false
    }
    this.#inWork[lane] += 1
    return true
  }

  leave(lane: Counted, isDone: boolean): void {
    this.#inWork[lane] -= 1
    this.#leastInWork = Math.min(this.#leastInWork, this.#inWork.calls)
    if (isDone) this.#done[lane] += 1
  }

  look(): void {
    const [most, done] = [this.#most, this.#done]
    const now = performance.now()
    const elapsedMs = now - this.#lookedAt
    const { utilization } = performance.eventLoopUtilization(this.#usedAt)
    // It may also be the database that all wait for, while the loop has nothing to do.
    const isBusy = utilization > busyPart || this.#leastInWork >= this.#calls.least / 2
    most.calls = roomFor({ elapsedMs, done: done.calls, isBusy }, most.calls, this.#calls)
    most.payments = roomFor({ elapsedMs, done: done.payments, isBusy }, most.payments, this.#payments)
    this.#isBehind = isLate({ elapsedMs, done: done.calls, refused: this.#refused })
    this.#lookedAt = now
    this.#usedAt = performance.eventLoopUtilization()
    done.calls = done.payments = this.#refused = 0
    this.#leastInWork = this.#inWork.calls
  }
}
