import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { interceptRequests } from './intercept-requests.ts'
import { bytesOf, type ByteCache, type CachedAnswer, type SentResponse } from './byte-cache.ts'
import { encodingFor, type Encoding } from './encodings.ts'
import { hasBody } from './has-body.ts'
import { countHostHeaders } from './count-host-headers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    byteCache: ByteCache
  }
  interface FastifyRequest {
    /** The cached answer to this request, when it is the same for everybody. */
    cachedAnswer: { answer: CachedAnswer; encoding: Encoding } | null
  }
}

/**
 * Answers a request from the cache, before the server begins its work, when the same URL was answered before and
 * nothing has changed since. Only for anonymous clients, since they all get the same answer.
 */
export function serveFromCache(app: FastifyInstance, cache: ByteCache): void {
  app.decorate('byteCache', cache)
  app.decorateRequest('cachedAnswer', null)
  app.addHook('onSend', async ({ cachedAnswer, raw, headers }, reply) => {
    if (!cachedAnswer || reply.statusCode !== 200 || !mayAnswerFromCache(raw.method, headers)) return
    const { answer, encoding } = cachedAnswer
    answer.sentAs[encoding] = buildSentResponse(reply.getHeaders(), answer, encoding)
    cache.remember(raw.url ?? '', answer)
  })

  let isClosing = false
  app.addHook('preClose', async () => void (isClosing = true))
  interceptRequests(
    app.server,
    (request, response) => !isClosing && answerFromCache(cache, request, response),
  )
}

/**
 * What a handler returns to send a cached answer, or 304 to a client that has it already. If it returned `reply` for
 * a whole answer too, Fastify would listen for the end of each response.
 */
export function replyWithCached(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: CachedAnswer,
): Buffer | FastifyReply {
  const { headers } = request
  const encoding = encodingFor(headers['accept-encoding'], answer.length)
  const etag = answer.etagOf(encoding)
  request.cachedAnswer = { answer, encoding }
  // The log has no line with the id of a success, and to make one for each took a twentieth of its time.
  reply.removeHeader('x-request-id').headers({
    etag,
    vary: 'accept-encoding',
    // A client that is signed in may be on a shared computer. The others revalidate their copy each time.
    'cache-control': isAnonymous(headers) ? 'no-cache' : 'no-store',
  })
  if (isMatch(headers['if-none-match'], etag)) return reply.status(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  reply.type(answer.type)
  return bytesOf(answer.bodyOf(encoding))
}

function answerFromCache(cache: ByteCache, request: IncomingMessage, response: ServerResponse): boolean {
  const cached = cache.find(request.url ?? '')
  if (!cached) return false
  const { headers } = request
  if (!mayAnswerFromCache(request.method, headers) || countHostHeaders(request) !== 1) return false
  const sent = cached.sentAs[encodingFor(headers['accept-encoding'], cached.length)]
  if (!sent) return false
  if (isMatch(headers['if-none-match'], sent.etag)) {
    response.writeHead(304, sent.notModified).end()
  } else {
    writeHead(response, sent)
    response.end(sent.body, 'latin1')
  }
  return true
}

/** Node's own way from a status line and fields to a head; not documented, but the same in all versions. */
type HeadMaker = { _storeHeader?(firstLine: string, fields: string[]): void }

/**
 * `writeHead` checks every name and every character of every value, which takes a tenth of the time of the whole
 * response; these were checked when they were first sent. Node adds the `Date` and `Connection` headers.
 */
function writeHead(response: ServerResponse & HeadMaker, { text, lengthField, fields }: SentResponse): void {
  if (response._storeHeader) response._storeHeader(text, lengthField)
  else response.writeHead(200, fields)
}

/** Whether the cache may answer: an anonymous GET without a body or an `Expect` header. */
function mayAnswerFromCache(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === 'GET' && isAnonymous(headers) && headers.expect === undefined && !hasBody(headers)
}

/** The shop's session cookie. Cookies of others, such as `__stripe_sid`, do not matter here. */
const sessionCookie = /(^|;)\s*(__Host-)?sid\s*=/

function isAnonymous({ cookie, authorization }: IncomingHttpHeaders): boolean {
  return authorization === undefined && (cookie === undefined || !sessionCookie.test(cookie))
}

export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch === '*' || ifNoneMatch.includes(etag)
}

/** A response as it was sent. */
function buildSentResponse(
  headers: Record<string, unknown>,
  cached: CachedAnswer,
  encoding: Encoding,
): SentResponse {
  const body = cached.bodyOf(encoding)
  const fields = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]): [string, string] => [name, String(value)],
  )
  const bodyHeaders = /^content-(length|type|encoding)$/
  const lines = fields.filter(([name]) => name !== 'content-length').map((field) => `${field.join(': ')}\r\n`)
  return {
    body,
    etag: cached.etagOf(encoding),
    text: `HTTP/1.1 200 OK\r\n${lines.join('')}`,
    lengthField: ['content-length', `${body.length}`],
    fields: fields.flat(),
    notModified: fields.filter(([name]) => !bodyHeaders.test(name)).flat(),
  }
}
