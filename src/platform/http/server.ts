import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { requiredMessage } from '#shop/contract/shapes.ts'
import { refuseWhenOverloaded, type MakeRoom, type SlotLimits } from './admission.ts'
import { answerClientError } from './client-errors.ts'
import { limitConnections } from './connections.ts'
import { endAfterEarlyAnswers } from './early-answers.ts'
import { invalidInput } from '#shop/platform/errors.ts'
import { countHostHeaders } from './count-host-headers.ts'
import { readJsonBodies } from './json-bodies.ts'
import { answerError } from './problems.ts'
import { logRefusals } from './refusals.ts'
import { connectionLimits, keepTimeLimits, type TimeLimits } from './time-limits.ts'

const bodyLimitBytes = 64 * 1024

export type ServerParts = {
  timeLimits: TimeLimits
  slotLimits: SlotLimits
  makeRoom: MakeRoom
  mostConnections: number
  trustProxy: string[] | undefined
  /** Where the log lines about single requests are written, as JSON. */
  requestLog: { write(line: string): void }
}

/** Requests that succeed are not logged; `answerError` logs those that fail. */
class FailuresOnly extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
}

export function serverSettings({ timeLimits, trustProxy, requestLog }: ServerParts) {
  const { http, ...limits } = connectionLimits(timeLimits)
  return {
    logger: { level: 'warn', base: null, stream: requestLog },
    logController: new FailuresOnly(),
    // A request id sent by the client is ignored: it could be another request's.
    genReqId: () => randomUUID(),
    clientErrorHandler: answerClientError,
    rewriteUrl: ({ url = '/' }) => escapeUndecodable(url),
    bodyLimit: bodyLimitBytes,
    trustProxy: trustProxy ?? false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 20_000 },
    ...limits,
    http: { ...http, requireHostHeader: false },
    // Clients still connected when the shop shuts down get an answer, and then their connection is closed.
    return503OnClosing: false,
  } satisfies FastifyHttpOptions<Server>
}

/**
 * A path that cannot be decoded, like `/100%`, is taken literally. It matches no route, like any unknown path.
 */
function escapeUndecodable(url: string): string {
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

/**
 * Refuses API requests whose query string is not percent-encoded UTF-8. The parser would keep such text as it is
 * written: `%ff` as a percent sign and two f.
 */
function refuseUnreadable(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ is404, url }) => {
    if (is404 || !url.startsWith('/api/')) return
    const pairs = /\?(.*)/.exec(url)?.[1]?.split('&') ?? []
    const unreadable = pairs.find((pair) => !isReadable(pair))
    if (unreadable === undefined) return
    throw invalidInput([{ path: unreadable.split('=', 1)[0] ?? '', message: 'must be text in UTF-8' }])
  })
}

/** Adds the hooks and parsers that all routes rely on. To be called before any route is registered. */
export function prepareServer(
  app: FastifyInstance,
  { timeLimits, slotLimits, makeRoom, mostConnections }: ServerParts,
): void {
  logRefusals(app)
  app.setErrorHandler(answerError)
  answerEverything(app)
  answerHead(app)
  refuseUnreadable(app)
  readJsonBodies(app)
  keepTimeLimits(app, timeLimits)
  limitConnections(app, mostConnections)
  // Before `endAfterEarlyAnswers`, which turns complete responses into streams: those give back their slot.
  refuseWhenOverloaded(app, slotLimits, makeRoom)
  endAfterEarlyAnswers(app)
}

/** Changes Fastify's responses to HEAD, which it makes from GET, in two ways. */
function answerHead(app: FastifyInstance): void {
  app.addHook('onRoute', (options) => {
    if (options.method !== 'HEAD') return
    options.onSend = [writeNothing, ...[options.onSend ?? []].flat(), omitContentLengthOf304]
  })
}

/**
 * Sends no stream: Fastify would read to its end what a GET would have sent. For a list, that is megabytes from the
 * database, read after the request was answered and had given back its slot, so that nothing would limit how many
 * are read at once.
 */
async function writeNothing(_request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
  if (!(payload instanceof Readable)) return payload
  payload.destroy()
  return Readable.from([])
}

/**
 * Fastify gives the response to HEAD the length of its payload. A 304 has none and must not say so, since its
 * headers describe the copy that the client has.
 */
async function omitContentLengthOf304(_request: FastifyRequest, reply: FastifyReply) {
  if (reply.statusCode === 304) reply.removeHeader('content-length')
}

/** Answers requests that Node would refuse with an empty response: without `Host`, or with an unknown `Expect`. */
function answerEverything(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = countHostHeaders(raw)
    if (hosts === 0 && raw.httpVersion === '1.1')
      throw invalidInput([{ path: 'host', message: requiredMessage }])
    if (hosts > 1) throw invalidInput([{ path: 'host', message: 'must be one' }])
    // `GET http://elsewhere.example/` is what a client sends to a proxy.
    if (/^https?:/i.test(raw.url ?? ''))
      throw invalidInput([{ path: '', message: 'This server is not a proxy.' }])
  })
}
