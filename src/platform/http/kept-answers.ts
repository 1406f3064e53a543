import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { beforeRequests } from './before-requests.ts'
import { bytesOf, type ByteCache, type Kept, type Sent } from './byte-cache.ts'
import { encodingFor, type Encoding } from './encodings.ts'
import { hasBody } from './has-body.ts'
import { hostsOf } from './hosts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    byteCache: ByteCache
  }
  interface FastifyRequest {
    /** What this request is answered with, when that is the same for everybody. */
    kept: { answer: Kept; encoding: Encoding } | null
  }
}

/**
 * Hands out again, before the server begins its work, what it has once answered at the same address, while nothing
 * has changed: to callers who do not say who they are, since to them everybody's answer is the same.
 */
export function handOutKept(app: FastifyInstance, cache: ByteCache): void {
  app.decorate('byteCache', cache)
  app.decorateRequest('kept', null)
  app.addHook('onSend', async ({ kept, raw, headers }, reply) => {
    if (!kept || reply.statusCode !== 200 || !isPlain(raw.method, headers)) return
    const { answer, encoding } = kept
    answer.sentAs[encoding] = asSent(reply.getHeaders(), answer, encoding)
    cache.remember(raw.url ?? '', answer)
  })

  let isClosing = false
  app.addHook('preClose', async () => void (isClosing = true))
  beforeRequests(app.server, (request, response) => !isClosing && answerFromCache(cache, request, response))
}

/** Answers with bytes that are the same for everybody, or with 304 to those who have them. */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Kept,
): Promise<FastifyReply> {
  const { headers } = request
  const encoding = encodingFor(headers['accept-encoding'], answer.length)
  const etag = answer.etagOf(encoding)
  request.kept = { answer, encoding }
  reply.headers({
    etag,
    vary: 'accept-encoding',
    // Whoever says who they are may be on a shared computer; the others ask each time whether theirs is still right.
    'cache-control': isAnonymous(headers) ? 'no-cache' : 'no-store',
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  })
  if (isMatch(headers['if-none-match'], etag)) return reply.status(304).send()
  return reply.type(answer.type).send(bytesOf(answer.bodyOf(encoding)))
}

function answerFromCache(cache: ByteCache, request: IncomingMessage, response: ServerResponse): boolean {
  const kept = cache.find(request.url ?? '')
  if (!kept) return false
  const { headers } = request
  if (!isPlain(request.method, headers) || hostsOf(request) !== 1) return false
  const sent = kept.sentAs[encodingFor(headers['accept-encoding'], kept.length)]
  if (!sent) return false
  if (isMatch(headers['if-none-match'], sent.etag)) {
    response.writeHead(304, withId(sent.notModified)).end()
  } else {
    writeHead(response, sent)
    response.end(sent.body, 'latin1')
  }
  return true
}

/** The fields are written out at once, so that the place is free for the next. */
function withId(fields: string[]): string[] {
  fields[fields.length - 1] = randomUUID()
  return fields
}

/** How Node itself makes a head of its first line and fields; not documented, and the same in all its versions. */
type HeadMaker = { _storeHeader?(firstLine: string, fields: string[]): void }

/**
 * `writeHead` looks at every name and every letter of every value, which takes a tenth of the time of the whole answer;
 * these have been looked at when they were sent first. Node adds the date and what becomes of the connection.
 */
function writeHead(response: ServerResponse & HeadMaker, { text, length, full }: Sent): void {
  if (response._storeHeader) response._storeHeader(`${text}${randomUUID()}\r\n`, length)
  else response.writeHead(200, withId(full))
}

/** A question that needs no thought: who asks does not matter, and nothing comes with it. */
function isPlain(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === 'GET' && isAnonymous(headers) && headers.expect === undefined && !hasBody(headers)
}

/** By their session's cookie. Others' cookies, as `__stripe_sid`, say nothing here. */
const sessionCookie = /(^|;)\s*(__Host-)?sid\s*=/

function isAnonymous({ cookie, authorization }: IncomingHttpHeaders): boolean {
  return authorization === undefined && (cookie === undefined || !sessionCookie.test(cookie))
}

export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch === '*' || ifNoneMatch.includes(etag)
}

/** An answer as it was sent, but for the request's id, which is another each time. */
function asSent(headers: Record<string, unknown>, kept: Kept, encoding: Encoding): Sent {
  const body = kept.bodyOf(encoding)
  const fields = Object.entries({ ...headers, 'content-length': body.length })
    .filter(([name]) => name !== 'x-request-id')
    .map(([name, value]): [string, string] => [name, String(value)])
  const isOfBody = /^content-(length|type|encoding)$/
  const id = ['x-request-id', '']
  const lines = fields.filter(([name]) => name !== 'content-length').map((field) => `${field.join(': ')}\r\n`)
  return {
    body,
    etag: kept.etagOf(encoding),
    text: `HTTP/1.1 200 OK\r\n${lines.join('')}x-request-id: `,
    length: ['content-length', `${body.length}`],
    full: [...fields.flat(), ...id],
    notModified: [...fields.filter(([name]) => !isOfBody.test(name)).flat(), ...id],
  }
}
