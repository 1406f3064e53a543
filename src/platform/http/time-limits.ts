import type { FastifyInstance } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'

declare module 'fastify' {
  interface FastifyReply {
    hasBegun: boolean
  }
}

/**
 * In milliseconds. The limits for the database and the provider are set where they are called, and are shorter.
 */
export type TimeLimits = {
  /** From the first byte to the end of the headers. */
  headers: number
  /** From the first byte to the end of the body. */
  request: number
  /** From the end of the body until the response begins. */
  handler: number
  /** Without a byte in either direction, from a client that does not send or does not read. */
  silence: number
  /** How often the first two limits are checked. */
  check: number
  /** How long requests in flight may go on once the shop is asked to end. */
  stop: number
}

export const timeLimits: TimeLimits = {
  headers: 10_000,
  request: 20_000,
  handler: 15_000,
  silence: 30_000,
  check: 2000,
  stop: 10_000,
}

/** The server options for the limits on what clients send and read. */
export function connectionLimits({ headers, request, silence, check }: TimeLimits) {
  return {
    requestTimeout: request,
    connectionTimeout: silence,
    http: { headersTimeout: headers, connectionsCheckingInterval: check },
  }
}

/** Keeps the limits on our own side: how long a handler may take, and requests in flight at shutdown. */
export function keepTimeLimits(app: FastifyInstance, limits: TimeLimits): void {
  app.decorateReply('hasBegun', false)
  app.addHook('onRoute', (options) => {
    const { handler } = options
    options.handler = function (request, reply) {
      const answer: unknown = handler.call(this, request, reply)
      return answer instanceof Promise ? rejectWhenLate(answer, () => reply.hasBegun, limits.handler) : answer
    }
  })
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), limits.stop)
  })
  // Otherwise the server would wait for the connections of the last responses as if another request could come.
  app.addHook('onSend', async (_request, reply) => {
    reply.hasBegun = true
    if (timer) reply.header('connection', 'close')
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}

/**
 * Tells the client to try again when the time is up. The work goes on, and the next try finds what it changed. A
 * response that has begun may take longer: a handler that sends a stream ends only when all of it has been sent.
 */
function rejectWhenLate<T>(answer: Promise<T>, hasBegun: () => boolean, limit: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!hasBegun()) reject(unavailable('too_long', 'This took too long. Please try again.'))
    }, limit)
    const settled = () => clearTimeout(timer)
    answer.finally(settled).then(resolve, reject)
  })
}
