import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { isConnectionLost } from './database-errors.ts'

/** A restarted server is back in a second or two; a request that waits longer is told to come back. */
const patienceMs = 5000
const askEveryMs = 100

export type ReadAgain = <T>(read: () => Promise<T>) => Promise<T>

/**
 * Repeats a GET handler once when its connection to the database was lost, as soon as the database answers again:
 * a restart of the database makes readers wait, and no more. Must be registered before the time limit for
 * handlers.
 *
 * @returns a function that does the same for any other read
 */
export function readAgainWhenLost(app: FastifyInstance, pool: pg.Pool): ReadAgain {
  const closing = new AbortController()
  app.addHook('onClose', async () => closing.abort())
  let outage: { patienceEndsAt: number; over: Promise<boolean> } | undefined
  const pollUntilBack = async () => {
    while (!closing.signal.aborted) {
      const isBack = await pool.query('select 1').then(
        () => true,
        () => false,
      )
      if (isBack) break
      await wait(askEveryMs)
    }
    outage = undefined
    return !closing.signal.aborted
  }
  const waitUntilBack = () => {
    // One loop polls for all that wait; a request that comes long after the loss does not wait at all.
    outage ??= { patienceEndsAt: performance.now() + patienceMs, over: pollUntilBack() }
    const left = Math.max(0, outage.patienceEndsAt - performance.now())
    return Promise.race([outage.over, wait(left, false, { ref: false })])
  }
  const readAgain: ReadAgain = async (read) => {
    try {
      return await read()
    } catch (error) {
      if (!isConnectionLost(error) || !(await waitUntilBack())) throw error
      return read()
    }
  }
  app.addHook('onRoute', (options) => {
    const { handler, method, config } = options
    // `/health` has no lane: it reports the state right now.
    if (method !== 'GET' || !config?.lane) return
    options.handler = function (request, reply) {
      return readAgain<unknown>(async () => handler.call(this, request, reply))
    }
  })
  return readAgain
}
