import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from './api-error.ts'
import { checkCardForm, outcomeOf, payerOf, readCardForm, refusals } from './card.ts'
import type { Html } from './html.ts'
import {
  authorizePage,
  expiredPage,
  notAuthorizedPage,
  payPage,
  styleHash,
  troublePage,
  unknownPage,
} from './pages.ts'
import { awaitAuthorization, findSession, paySession } from './provider.ts'
import type { Provider } from './provider.ts'
import type { SessionRecord } from './records.ts'

/** The response to a request for a session: a redirect to `to`, or a page. */
type Step = { to: string } | { page: Html }
type Handle = (session: SessionRecord, body: string) => Step

/** The hosted payment page. It uses plain forms, so that customers without JavaScript can pay too. */
export function addCardPages(app: FastifyInstance, provider: Provider): void {
  const answer = async (reply: FastifyReply, id: string, handle: Handle, body = '') => {
    const session = findSession(provider, id)
    const step = session ? stepFor(session, handle, body) : undefined
    await provider.store.durable()
    if (step === undefined) return sendPage(reply.code(404), unknownPage())
    if ('to' in step) return sendSecurely(reply, session).redirect(step.to, 303)
    // A declined card gets status 200 too: browsers log a 4xx page as a failed load.
    return sendPage(reply, step.page, session)
  }
  const pages: [method: 'GET' | 'POST', url: string, handle: Handle][] = [
    ['GET', '/pay/:id', (session) => ({ page: payPage(session) })],
    ['POST', '/pay/:id', (session, body) => submitCard(provider, session, body)],
    ['GET', '/pay/:id/authorize', showAuthorization],
    ['POST', '/pay/:id/authorize', (session, body) => decide(provider, session, body)],
  ]
  for (const [method, url, handle] of pages) {
    app.route<{ Params: { id: string } }>({
      method,
      url,
      handler: (request, reply) =>
        answer(reply, request.params.id, handle, typeof request.body === 'string' ? request.body : ''),
    })
  }
  app.setNotFoundHandler((_request, reply) => sendPage(reply.code(404), unknownPage()))
  app.setErrorHandler((error, _request, reply) => {
    return sendPage(reply.code(statusOf(error)), troublePage())
  })
}

function statusOf(error: unknown): number {
  // Not logged here: the usual case, a full disk, has been logged by the journal.
  if (error instanceof ApiError) return error.status
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 500) console.error('practice provider:', error)
  return status
}

function stepFor(session: SessionRecord, handle: Handle, body: string): Step {
  if (session.status === 'complete') return { to: successUrlOf(session) }
  if (session.status === 'expired') return { page: expiredPage(session) }
  return handle(session, body)
}

function submitCard(provider: Provider, session: SessionRecord, body: string): Step {
  const form = readCardForm(body)
  const errors = checkCardForm(form, new Date(provider.now()), session.shipTo)
  if (Object.keys(errors).length > 0) return { page: payPage(session, { form, errors }) }
  const outcome = outcomeOf(form)
  if (outcome === 'authorize') {
    awaitAuthorization(provider, session, payerOf(form, session.shipTo))
    return { to: `/pay/${session.id}/authorize` }
  }
  if (outcome !== 'pays') return { page: payPage(session, { form, refusal: refusals[outcome] }) }
  paySession(provider, session, payerOf(form, session.shipTo))
  return { to: successUrlOf(session) }
}

function showAuthorization(session: SessionRecord): Step {
  return session.awaiting ? { page: authorizePage(session) } : { to: `/pay/${session.id}` }
}

function decide(provider: Provider, session: SessionRecord, body: string): Step {
  if (session.awaiting === null) return { to: `/pay/${session.id}` }
  if (new URLSearchParams(body).get('decision') === 'authorize') {
    paySession(provider, session, session.awaiting)
    return { to: successUrlOf(session) }
  }
  awaitAuthorization(provider, session, null)
  return { page: notAuthorizedPage(session) }
}

/** `URL` encodes what the shop wrote, so that it is safe in the `Location` header. */
function successUrlOf(session: SessionRecord): string {
  return new URL(session.successUrl.replaceAll('{CHECKOUT_SESSION_ID}', session.id)).href
}

export function sendPage(reply: FastifyReply, page: Html, session?: SessionRecord): FastifyReply {
  return sendSecurely(reply, session).type('text/html; charset=utf-8').send(page.text)
}

function sendSecurely(reply: FastifyReply, session: SessionRecord | undefined): FastifyReply {
  // Chromium applies `form-action` to the redirect after a form too, so it must allow the way back to the shop.
  const shop = [session?.successUrl, session?.cancelUrl].map((url) => (url ? sourceOf(url) : ''))
  const formAction = [...new Set(["'self'", ...shop])].join(' ').trim()
  return reply.headers({
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src ${styleHash}; img-src http: https: data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
}

/** The policy's source for a URL. A policy cannot name an IPv6 address, so there the scheme has to do. */
function sourceOf(url: string): string {
  const { protocol, origin, hostname } = new URL(url)
  return hostname.startsWith('[') ? protocol : origin
}
