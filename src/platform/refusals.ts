import type { FastifyInstance } from 'fastify'

/** Of whoever asks for what is not theirs, or without end, or what is no request at all. */
type Refusal = { status: number; code: string; method?: string; route?: string | undefined }

export type Refusals = {
  /** Counts one that somebody in charge should know of; other refusals (a typing error, an old link) are nobody's concern. */
  count(refusal: Refusal, reqId: string): void
}

type Counted = Refusal & { times: number; firstId: string }

declare module 'fastify' {
  interface FastifyInstance {
    refusals: Refusals
  }
}

const everyMs = 60_000
const telling = new Set([403, 408, 429, 431])
const tellingCodes = new Set(['bad_signature', 'invalid_request'])

/**
 * One line a minute for each kind of telling refusals, with the first one's id: nobody can fill the disk with them,
 * and an attack stands out. What is still counted at the end is told then.
 */
export function tellRefusals(app: FastifyInstance): void {
  let kinds = new Map<string, Counted>()
  const tell = () => {
    for (const counted of kinds.values()) app.log.warn(counted, 'refused')
    kinds = new Map()
  }
  app.decorate('refusals', {
    count(refusal, reqId) {
      const { status, code, method, route } = refusal
      if (!telling.has(status) && !tellingCodes.has(code)) return
      // As many kinds as there are routes and codes, whatever is asked for.
      const kind = `${status} ${code} ${method} ${route}`
      const counted = kinds.get(kind) ?? { ...refusal, times: 0, firstId: reqId }
      counted.times += 1
      kinds.set(kind, counted)
    },
  } satisfies Refusals)
  const timer = setInterval(tell, everyMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    tell()
  })
}
