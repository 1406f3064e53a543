import type { FastifyInstance, FastifyReply } from 'fastify'
import { unavailable } from '#shop/platform/errors.ts'

/** In milliseconds. The database's and the provider's own limits stand where they are called, and are shorter. */
export type TimeLimits = {
  /** From the first byte to the end of the headers. */
  headers: number
  /** To the end of the body. */
  request: number
  /** From then until the answer begins. */
  handler: number
  /** Without a byte in either direction, by somebody who does not send or does not read. */
  silence: number
  /** How often the first two are looked at. */
  check: number
  /** What is in flight when the shop is asked to end. */
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

/** How the server must be made for the limits on what callers send and read. */
export function connectionLimits({ headers, request, silence, check }: TimeLimits) {
  return {
    requestTimeout: request,
    connectionTimeout: silence,
    http: { headersTimeout: headers, connectionsCheckingInterval: check },
  }
}

/** The limits on our own side: how long an answer may take, and what is in flight at the end. */
export function keepTimeLimits(app: FastifyInstance, limits: TimeLimits): void {
  app.addHook('onRoute', (options) => {
    const { handler } = options
    options.handler = function (request, reply) {
      const answer: unknown = handler.call(this, request, reply)
      return answer instanceof Promise ? inTime(answer, reply, limits.handler) : answer
    }
  })
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), limits.stop)
  })
  // Otherwise the connections of those who are answered last would be waited for as if something could still come.
  app.addHook('onSend', async (_request, reply) => {
    if (timer) reply.header('connection', 'close')
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}

/** The caller is told to come back; what was begun goes on, and what it changed is found then. */
function inTime<T>(answer: Promise<T>, reply: FastifyReply, limit: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!reply.sent) reject(unavailable('too_long', 'This took too long. Please try again.'))
    }, limit)
    const settled = () => clearTimeout(timer)
    answer.finally(settled).then(resolve, reject)
  })
}
