import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from './errors.ts'

/**
 * Each kind of work has places of its own, so that none keeps the others waiting: what waits for the payment provider,
 * the provider's signals, pictures on their way in, and all the rest.
 */
export type Lane = 'calls' | 'payments' | 'signals' | 'uploads'

/** How many may be in work at once: `usual` while the shop keeps up; while it does not, what it gets done in time. */
export type Room = { least: number; usual: number; most: number; waitMs: number }
export type Places = { calls: Room; payments: Room; signals: number; uploads: number }

/**
 * A picture takes some 30 MB while it is read; a payment waits up to eight seconds and takes next to nothing. Payments
 * may wait longer than the rest, so that of a crowd those who pay come first.
 */
export const places: Places = {
  calls: { least: 64, usual: 500, most: 2000, waitMs: 300 },
  payments: { least: 48, usual: 200, most: 200, waitMs: 450 },
  signals: 100,
  uploads: 16,
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
  const { calls, payments, ...others } = places
  const most = { ...others, calls: calls.usual, payments: payments.usual }
  const inWork: Record<Lane, number> = { calls: 0, payments: 0, signals: 0, uploads: 0 }
  const done = { ...inWork }
  let [refused, leastInWork] = [0, 0]
  let isBehind = false
  let lookedAt = performance.now()
  let usedAt = performance.eventLoopUtilization()

  const look = () => {
    const now = performance.now()
    const elapsedMs = now - lookedAt
    // It may also be the database that all wait for, while the loop has nothing to do.
    const isBusy =
      performance.eventLoopUtilization(usedAt).utilization > busyPart || leastInWork >= calls.least / 2
    most.calls = roomFor({ elapsedMs, done: done.calls, isBusy }, most.calls, calls)
    most.payments = roomFor({ elapsedMs, done: done.payments, isBusy }, most.payments, payments)
    isBehind = isLate({ elapsedMs, done: done.calls, refused })
    lookedAt = now
    usedAt = performance.eventLoopUtilization()
    done.calls = done.payments = refused = 0
    leastInWork = inWork.calls
  }
  const timer = setInterval(look, lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  const inside = new WeakSet<FastifyRequest>()
  const enter = (request: FastifyRequest, reply: FastifyReply, lane: Lane) => {
    // Whoever has hung up would never give the place back.
    if (reply.raw.destroyed) return
    if (inWork[lane] >= most[lane] || (isBehind && lane === 'calls')) {
      if (lane === 'calls') refused += 1
      throw unavailable('overloaded', 'Too many people are here right now. Please try again in a moment.', 1)
    }
    inWork[lane] += 1
    inside.add(request)
  }
  const leave = (request: FastifyRequest, lane: Lane) => {
    if (!inside.delete(request)) return false
    inWork[lane] -= 1
    leastInWork = Math.min(leastInWork, inWork.calls)
    return true
  }
  app.addHook('onRequest', async (request, reply) => {
    const { lane } = request.routeOptions.config
    if (!lane) return
    enter(request, reply, lane)
    reply.raw.once('close', () => {
      if (leave(request, lane)) done[lane] += 1
    })
  })
  // While the shop waits for a body it does nothing: whoever sends slowly takes no place. But a picture on its way in is
  // megabytes of memory, and those are limited by its place.
  app.addHook('preParsing', async (request) => {
    const { lane } = request.routeOptions.config
    if (lane && lane !== 'uploads' && hasBody(request)) leave(request, lane)
  })
  app.addHook('preValidation', async (request, reply) => {
    const { lane } = request.routeOptions.config
    if (lane && !inside.has(request) && hasBody(request)) enter(request, reply, lane)
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
