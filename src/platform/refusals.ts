import type { FastifyInstance } from 'fastify'

type Refusal = { status: number; code: string; method?: string; route?: string | undefined }

export type Refusals = {
  /** Writes what was refused into the log, under the id that the answer carries. */
  tell(refusal: Refusal, reqId: string): void
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
 * A line for each refusal, so many a minute; of more there is, at its end, one line for each kind with how many they
 * were: nobody can fill the disk with them.
 */
export function tellRefusals(app: FastifyInstance): void {
  let lines = 0
  let rest = new Map<string, Counted>()
  const tellRest = () => {
    for (const counted of rest.values()) app.log.warn(counted, 'refused many')
    rest = new Map()
    lines = 0
  }
  app.decorate('refusals', {
    tell(refusal, reqId) {
      lines += 1
      if (lines <= linesEach) return app.log.warn({ reqId, ...refusal }, 'refused')
      const { status, code, method, route } = refusal
      // As many kinds as there are routes and codes, whatever is asked for.
      const kind = `${status} ${code} ${method} ${route}`
      const counted = rest.get(kind) ?? { ...refusal, times: 0, firstId: reqId }
      counted.times += 1
      rest.set(kind, counted)
    },
  } satisfies Refusals)
  const timer = setInterval(tellRest, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    tellRest()
  })
}
