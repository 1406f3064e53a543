import { invalidRequest, noSuch } from './api-error.ts'
import type { Fields } from './fields.ts'
import { readNewSession } from './new-session.ts'
import { readCreated, readPage, takePage } from './paging.ts'
import { expireDueSessions, expireSession, findSession } from './provider.ts'
import type { Provider } from './provider.ts'
import type { SessionRecord } from './records.ts'
import { toLineItems, toList, toSession } from './wire.ts'

/**
 * One call of the API, in two steps. The first checks the parameters: a request that it refuses may be sent again
 * under the same idempotency key. The function it returns acts, and its response, even a refusal, is then the
 * key's for good.
 */
export type Call = (provider: Provider, fields: Fields, id: string) => () => object

export const createSession: Call = (provider, fields) => {
  const session = readNewSession(fields, provider.now())
  return () => {
    provider.store.put(['sessions', session])
    return toSession(session, provider.publicUrl)
  }
}

export const retrieveSession: Call = (provider, fields, id) => {
  fields.done()
  return () => toSession(getSession(provider, id), provider.publicUrl)
}

export const listSessions: Call = (provider, fields) => {
  const page = readPage(fields)
  const isCreated = readCreated(fields)
  const status = fields.choice('status', ['open', 'complete', 'expired'])
  const paymentId = fields.text('payment_intent')
  fields.done()
  const isWanted = (session: SessionRecord) =>
    isCreated(session.createdAt) &&
    (status === undefined || session.status === status) &&
    (paymentId === undefined || session.paymentId === paymentId)
  return () => {
    expireDueSessions(provider)
    const { data, hasMore } = takePage(provider.store.newestFirst('sessions').filter(isWanted), page)
    const shown = data.map((session) => toSession(session, provider.publicUrl))
    return toList('/v1/checkout/sessions', shown, hasMore)
  }
}

export const listLineItems: Call = (provider, fields, id) => {
  const page = readPage(fields)
  fields.done()
  return () => {
    const { data, hasMore } = takePage(toLineItems(getSession(provider, id)), page)
    return toList(`/v1/checkout/sessions/${id}/line_items`, data, hasMore)
  }
}

export const expireOpenSession: Call = (provider, fields, id) => {
  fields.done()
  return () => {
    const session = getSession(provider, id)
    if (session.status === 'open') return toSession(expireSession(provider, session), provider.publicUrl)
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`
    throw invalidRequest(message)
  }
}

function getSession(provider: Provider, id: string): SessionRecord {
  const session = findSession(provider, id)
  if (session === undefined) throw noSuch('checkout.session', id, 'session')
  return session
}
