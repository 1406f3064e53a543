import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type FastifyInstance, type FastifyHttpOptions, LogController } from 'fastify'
import { isRequired } from '#shop/contract/shapes.ts'
import { refuseWhenOverloaded, type Places } from './admission.ts'
import { answerClientError } from './client-errors.ts'
import { makeRoomForNewcomers } from './connections.ts'
import { endAfterEarlyAnswers } from './early-answers.ts'
import { invalidInput } from '#shop/platform/errors.ts'
import { hostsOf } from './hosts.ts'
import { readJsonBodies } from './json-bodies.ts'
import { answerError } from './problems.ts'
import { tellRefusals } from './refusals.ts'
import { connectionLimits, keepTimeLimits, type TimeLimits } from './time-limits.ts'

const smallBody = 64 * 1024

export type ServerParts = {
  timeLimits: TimeLimits
  places: Places
  mostConnections: number
  trustProxy: string[] | undefined
  /** Where the lines about single requests go, as JSON. */
  requestLog: { write(line: string): void }
}

/** What went well is not worth a line; what did not gets its own from `answerError`. */
class FailuresOnly extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
}

export function serverSettings({ timeLimits, trustProxy, requestLog }: ServerParts) {
  const { http, ...limits } = connectionLimits(timeLimits)
  return {
    logger: { level: 'warn', base: null, stream: requestLog },
    logController: new FailuresOnly(),
    // A caller's own id is not believed: it could be another request's.
    genReqId: () => randomUUID(),
    clientErrorHandler: answerClientError,
    rewriteUrl: ({ url = '/' }) => readable(url),
    bodyLimit: smallBody,
    trustProxy: trustProxy ?? false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 20_000 },
    ...limits,
    http: { ...http, requireHostHeader: false },
    // Whoever is still connected when the shop is asked to end gets an answer, and their connection closed.
    return503OnClosing: false,
  } satisfies FastifyHttpOptions<Server>
}

/** An address that can not be read, like `/100%`, means itself: it leads nowhere, and is answered like any that does. */
function readable(url: string): string {
  const [path = ''] = url.split('?', 1)
  return isReadable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length)
}

function isReadable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** What a call is asked in letters that are none. The parser would take them as they are written: `%ff` for a percent sign and two f. */
function refuseUnreadable(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ is404, url }) => {
    if (is404 || !url.startsWith('/api/')) return
    const pairs = /\?(.*)/.exec(url)?.[1]?.split('&') ?? []
    const unreadable = pairs.find((pair) => !isReadable(pair))
    if (unreadable === undefined) return
    throw invalidInput([{ path: unreadable.split('=', 1)[0] ?? '', message: 'must be text in UTF-8' }])
  })
}

/** Before any route is registered. */
export function prepareServer(
  app: FastifyInstance,
  { timeLimits, places, mostConnections }: ServerParts,
): void {
  tellRefusals(app)
  app.setErrorHandler(answerError)
  answerEverything(app)
  sayNoLengthOfNothing(app)
  endAfterEarlyAnswers(app)
  refuseUnreadable(app)
  readJsonBodies(app)
  keepTimeLimits(app, timeLimits)
  makeRoomForNewcomers(app, mostConnections)
  refuseWhenOverloaded(app, places)
}

/** Fastify gives the answer to HEAD the length of what it has. A 304 has nothing, and must not say so: it is about what the caller has. */
function sayNoLengthOfNothing(app: FastifyInstance): void {
  app.addHook('onRoute', (options) => {
    if (options.method !== 'HEAD') return
    options.onSend = [options.onSend ?? []].flat().concat(async (_request, reply) => {
      if (reply.statusCode === 304) reply.removeHeader('content-length')
    })
  })
}

/** What Node would refuse by itself, without a word: a request without `Host`, or one that expects what nobody knows. */
function answerEverything(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = hostsOf(raw)
    if (hosts === 0 && raw.httpVersion === '1.1') throw invalidInput([{ path: 'host', message: isRequired }])
    if (hosts > 1) throw invalidInput([{ path: 'host', message: 'must be one' }])
    // `GET http://elsewhere.example/` is how a proxy is asked.
    if (/^https?:/i.test(raw.url ?? ''))
      throw invalidInput([{ path: '', message: 'This server is not a proxy.' }])
  })
}
