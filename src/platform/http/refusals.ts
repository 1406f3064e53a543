import type { FastifyInstance } from 'fastify'

type Refusal = { status: number; code: string; method?: string; route?: string | undefined; user?: string }

type Refusals = {
  /** Logs a refused request, under the id that its response carries. */
  log(refusal: Refusal, reqId: string): void
  /** The same for a request that could not be served right now, with the reason. */
  logUnavailable(refusal: Refusal & { reason: string }, reqId: string): void
}

type Counted = Omit<Refusal, 'user'> & { times: number; firstId: string }

declare module 'fastify' {
  interface FastifyInstance {
    refusals: Refusals
  }
}

const everyMs = 60_000
const linesPerMinute = 100

/**
 * Logs each refusal, up to `linesPerMinute`. The rest of a minute is only counted: at its end each kind gets one
 * line with its number, so that nobody can fill the disk. What is wrong on our side has a quota of its own, so that
 * a flood of refusals hides none of it.
 */
export function logRefusals(app: FastifyInstance): void {
  const refused = limitLogLines(
    (line) => app.log.warn(line, 'refused'),
    (line) => app.log.warn(line, 'refused many'),
  )
  const unavailable = limitLogLines(
    (line) => app.log.error(line, 'not available'),
    (line) => app.log.error(line, 'not available to many'),
  )
  app.decorate('refusals', { log: refused.log, logUnavailable: unavailable.log } satisfies Refusals)
  const logRest = () => {
    refused.logRest()
    unavailable.logRest()
  }
  const timer = setInterval(logRest, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    logRest()
  })
}

function limitLogLines(write: (line: object) => void, writeMany: (line: object) => void) {
  let lines = 0
  let rest = new Map<string, Counted>()
  return {
    log(refusal: Refusal, reqId: string) {
      lines += 1
      if (lines <= linesPerMinute) return write({ reqId, ...refusal })
      const { status, code, method, route } = refusal
      // The routes and codes bound the number of kinds, whatever clients send.
      const kind = `${status} ${code} ${method} ${route}`
      const counted = rest.get(kind) ?? { ...refusal, user: undefined, times: 0, firstId: reqId }
      counted.times += 1
      rest.set(kind, counted)
    },
    logRest() {
      for (const counted of rest.values()) writeMany(counted)
      rest = new Map()
      lines = 0
    },
  }
}
