import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, invalidRequest } from './api-error.ts'
import { checkExpansions, expand } from './expand.ts'
import type { Kind } from './expand.ts'
import { Fields } from './fields.ts'
import { Idempotency } from './idempotency.ts'
import type { Answer } from './idempotency.ts'
import { randomId } from './ids.ts'
import { toCanonicalText, parseParams } from './params.ts'
import type { Params } from './params.ts'
import * as payments from './payment-calls.ts'
import type { Provider } from './provider.ts'
import * as sessions from './session-calls.ts'
import type { Call } from './session-calls.ts'
import { apiVersion } from './wire.ts'

const calls: ['GET' | 'POST', string, Kind, Call][] = [
  ['POST', '/checkout/sessions', 'checkout.session', sessions.createSession],
  ['GET', '/checkout/sessions', 'checkout.session', sessions.listSessions],
  ['GET', '/checkout/sessions/:id', 'checkout.session', sessions.retrieveSession],
  ['GET', '/checkout/sessions/:id/line_items', 'item', sessions.listLineItems],
  ['POST', '/checkout/sessions/:id/expire', 'checkout.session', sessions.expireOpenSession],
  ['GET', '/payment_intents/:id', 'payment_intent', payments.retrievePaymentIntent],
  ['GET', '/charges/:id', 'charge', payments.retrieveCharge],
  ['POST', '/refunds', 'refund', payments.createRefund],
  ['GET', '/refunds/:id', 'refund', payments.retrieveRefund],
  ['GET', '/events', 'event', payments.listEvents],
  ['GET', '/events/:id', 'event', payments.retrieveEvent],
]

/** The part of Stripe's API that a shop needs to sell through the hosted page. */
export function addApi(app: FastifyInstance, provider: Provider): void {
  const idempotency = new Idempotency(provider)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'request-id': randomId('req_', 14),
      'stripe-version': apiVersion,
      'cache-control': 'no-store',
    })
    requireKey(request.headers.authorization)
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200)
    throw new ApiError(404, 'invalid_request_error', `Unrecognized request URL (${request.method}: ${path}).`)
  })
  for (const [method, url, kind, call] of calls) {
    app.route<{ Params: { id?: string } }>({
      method,
      url,
      handler: async (request, reply) => {
        const prepare = () => prepareCall(provider, kind, call, paramsOf(request), request.params.id ?? '')
        if (method === 'GET') return send(reply, await answerOnce(provider, prepare()))
        return send(reply, await answerUnderKey(provider, idempotency, request, reply, prepare))
      },
    })
  }
}

/** Checks everything that can be checked before the call takes effect; the function it returns performs it. */
function prepareCall(provider: Provider, kind: Kind, call: Call, params: Params, id: string): () => object {
  const fields = new Fields(params)
  const paths = fields.texts('expand')
  checkExpansions(kind, paths)
  const act = call(provider, fields, id)
  return () => expand(provider.store, act(), paths)
}

async function answerOnce(provider: Provider, act: () => object): Promise<Answer> {
  const answer = run(act)
  await provider.store.durable()
  return { ...answer, isReplayed: false }
}

async function answerUnderKey(
  provider: Provider,
  idempotency: Idempotency,
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => () => object,
): Promise<Answer> {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || key === '') return answerOnce(provider, prepare())
  reply.header('idempotency-key', key)
  const fingerprint = Idempotency.fingerprint(request.url, toCanonicalText(paramsOf(request)))
  const known = idempotency.find(key, fingerprint)
  if (known !== undefined) {
    await provider.store.durable()
    return known
  }
  const act = prepare()
  return idempotency.run(key, fingerprint, () => run(act))
}

/** Whatever happens in `act` becomes a response, refusals and internal errors included. */
function run(act: () => object): { status: number; body: string } {
  try {
    return { status: 200, body: JSON.stringify(act(), null, 2) }
  } catch (error) {
    const refusal = error instanceof ApiError ? error : logAsInternalError(error)
    return { status: refusal.status, body: JSON.stringify(refusal.toBody(), null, 2) }
  }
}

function paramsOf(request: FastifyRequest): Params {
  const query = request.url.indexOf('?')
  const text = query === -1 ? '' : request.url.slice(query + 1)
  return parseParams(
    typeof request.body === 'string' && request.body !== '' ? `${request.body}&${text}` : text,
  )
}

/** Accepts any secret key. A shop with no key, or with a publishable one, must fail here as it does at Stripe. */
function requireKey(authorization = ''): void {
  const [scheme = '', value = ''] = authorization.split(' ')
  const isBasic = scheme.toLowerCase() === 'basic'
  const key = isBasic ? Buffer.from(value, 'base64').toString().split(':', 1)[0] : value
  if (key === undefined || key === '') {
    const message =
      'You did not provide an API key. Provide it in the Authorization header, as Bearer or with basic auth.'
    throw new ApiError(401, 'invalid_request_error', message)
  }
  if (/^(sk|rk)_\S+$/.test(key)) return
  throw new ApiError(401, 'invalid_request_error', `Invalid API Key provided: ${key.slice(0, 7)}***`)
}

function send(reply: FastifyReply, { status, body, isReplayed }: Answer): FastifyReply {
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  // A retry under the same idempotency key would only get the saved failure again.
  if (status >= 500) reply.header('stripe-should-retry', 'false')
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(error, request)
  if (refusal.status === 401) reply.header('www-authenticate', 'Basic realm="Stripe"')
  return reply.code(refusal.status).type('application/json; charset=utf-8').send(refusal.toBody())
}

function toRefusal(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 415) {
    return invalidRequest(
      'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
    )
  }
  if (status === 413) return new ApiError(413, 'invalid_request_error', 'The request is too large.')
  if (status >= 400 && status < 500) return invalidRequest(`Invalid request (${request.method}).`)
  return logAsInternalError(error)
}

function logAsInternalError(error: unknown): ApiError {
  console.error('practice provider:', error)
  return new ApiError(500, 'api_error', 'An unknown error occurred.')
}
