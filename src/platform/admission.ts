import type { FastifyInstance } from 'fastify'
import { unavailable } from './errors.ts'

/**
 * Each kind of work has places of its own, so that none keeps the others waiting: what waits for the payment provider,
 * the provider's signals, pictures on their way in, and all the rest.
 */
export type Lane = 'calls' | 'payments' | 'signals' | 'uploads'

/** How many of each may be in work at once; of calls as many as are answered in time. */
export type Places = Record<Exclude<Lane, 'calls'>, number> & {
  calls: { least: number; usual: number; most: number }
}

/** A picture takes some 30 MB while it is read; a payment waits up to eight seconds and takes next to nothing. */
export const places: Places = {
  calls: { least: 100, usual: 500, most: 2000 },
  payments: 200,
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
/** How long somebody who is let in may have to wait, if all goes on as it went. */
const longestWaitMs = 600

/** What happened since the last look: how long ago that is, and how busy it was. */
export type Look = { elapsedMs: number; done: number; leastInWork: number; refused: number }

/**
 * How many calls may be in work, given how many were answered while the shop was busy throughout. When it was not,
 * nobody knows how much it could do: then the usual number holds again.
 */
export function callsFor(look: Look, before: number, { least, usual, most }: Places['calls']): number {
  if (look.leastInWork < least / 2 && look.refused === 0) return usual
  const couldBeDone = (look.done / look.elapsedMs) * longestWaitMs
  // Half of what was: one look may have met a pause of the machine.
  return Math.round(Math.min(most, Math.max(least, (before + couldBeDone) / 2)))
}

/** A look that comes late by this much, after this many calls, means that they waited before they were even read. */
const lateMs = 400
const crowd = 100

export function isLate({ elapsedMs, done, refused }: Look): boolean {
  return elapsedMs > lookEveryMs + lateMs && done + refused >= crowd
}

/** Refuses at once, before any work is done for it, what could not be answered in time. */
export function refuseWhenOverloaded(app: FastifyInstance, { calls, ...others }: Places): void {
  const most = { ...others, calls: calls.usual }
  const inWork: Record<Lane, number> = { calls: 0, payments: 0, signals: 0, uploads: 0 }
  let [done, refused, leastInWork] = [0, 0, 0]
  let isBehind = false
  let lookedAt = performance.now()

  const look = () => {
    const now = performance.now()
    const seen = { elapsedMs: now - lookedAt, done, leastInWork, refused }
    most.calls = callsFor(seen, most.calls, calls)
    isBehind = isLate(seen)
    lookedAt = now
    done = refused = 0
    leastInWork = inWork.calls
  }
  const timer = setInterval(look, lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.addHook('onRequest', async (request, reply) => {
    const { lane } = request.routeOptions.config
    if (!lane) return
    if (inWork[lane] >= most[lane] || (isBehind && lane === 'calls')) {
      if (lane === 'calls') refused += 1
      throw unavailable('overloaded', 'Too many people are here right now. Please try again in a moment.', 1)
    }
    inWork[lane] += 1
    reply.raw.once('close', () => {
      inWork[lane] -= 1
      if (lane !== 'calls') return
      done += 1
      leastInWork = Math.min(leastInWork, inWork.calls)
    })
  })
}
