import type { FastifyInstance } from 'fastify'

type Refusal = { status: number; code: string; method?: string; route?: string | undefined }

type Refusals = {
  /** Logs a refused request, under the id that its response carries. */
  tell(refusal: Refusal, reqId: string): void
  /** The same for a request that could not be served right now, with the reason. */
  tellUnavailable(refusal: Refusal & { reason: string }, reqId: string): void
}

type Counted = Refusal & { times: number; firstId: string }

declare module 'fastify' {
  interface FastifyInstance {
    refusals: Refusals
  }
}

const everyMs = 60_000
const linesEach = 100

/**
 * Logs each refusal, up to `linesEach` a minute. The rest of a minute is only counted: at its end each kind gets one
 * line with its number, so that nobody can fill the disk. What is wrong on our side has a quota of its own, so that
 * a flood of refusals hides none of it.
 */
export function tellRefusals(app: FastifyInstance): void {
  const refused = limitLogLines(
    (line) => app.log.warn(line, 'refused'),
    (line) => app.log.warn(line, 'refused many'),
  )
  const unavailable = limitLogLines(
    (line) => app.log.error(line, 'not available'),
    (line) => app.log.error(line, 'not available to many'),
  )
  app.decorate('refusals', { tell: refused.tell, tellUnavailable: unavailable.tell } satisfies Refusals)
  const tellRest = () => {
    refused.tellRest()
    unavailable.tellRest()
  }
  const timer = setInterval(tellRest, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    tellRest()
  })
}

function limitLogLines(write: (line: object) => void, writeMany: (line: object) => void) {
  let lines = 0
  let rest = new Map<string, Counted>()
  return {
    tell(refusal: Refusal, reqId: string) {
      lines += 1
      if (lines <= linesEach) return write({ reqId, ...refusal })
      const { status, code, method, route } = refusal
      // The routes and codes bound the number of kinds, whatever clients send.
      const kind = `${status} ${code} ${method} ${route}`
      const counted = rest.get(kind) ?? { ...refusal, times: 0, firstId: reqId }
      counted.times += 1
      rest.set(kind, counted)
    },
    tellRest() {
      for (const counted of rest.values()) writeMany(counted)
      rest = new Map()
      lines = 0
    },
  }
}
