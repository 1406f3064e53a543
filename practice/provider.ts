import { randomId } from './ids.ts'
import type { Store } from './store.ts'
import { toCharge, toRefund } from './wire-payment.ts'
import { toSession } from './wire.ts'
import type { EventRecord, Payer, PaymentRecord, RefundRecord, SessionRecord } from './records.ts'

/** What every operation of the provider needs. Tests bring their own clock. */
export type Provider = {
  store: Store
  now: () => number
  publicUrl: string
  /** Sends the event to the shop, without waiting for it; undefined when there is no webhook URL. */
  deliver: ((eventId: string) => void) | undefined
}

/** A session has expired as soon as `expiresAt` has passed, whether or not a timer has noticed. */
export function findSession(provider: Provider, id: string): SessionRecord | undefined {
  const session = provider.store.find('sessions', id)
  if (session?.status !== 'open' || session.expiresAt > provider.now()) return session
  return expireSession(provider, session)
}

export function expireDueSessions(provider: Provider): void {
  for (const session of provider.store.openSessions()) findSession(provider, session.id)
}

export function expireSession(provider: Provider, session: SessionRecord): SessionRecord {
  const expired: SessionRecord = { ...session, status: 'expired', awaiting: null }
  provider.store.put(['sessions', expired])
  announce(provider, 'checkout.session.expired', toSession(expired, provider.publicUrl))
  return expired
}

/** Sets the payer whose bank wants the cardholder's authorization before it pays; `null` ends the wait. */
export function awaitAuthorization(provider: Provider, session: SessionRecord, payer: Payer | null): void {
  provider.store.put(['sessions', { ...session, awaiting: payer }])
}

/**
 * Charges a session, at most once. There is no `await` between reading `status` and setting it, so of two tabs
 * the second finds the session complete, and charge, session and event reach the disk in one journal line.
 */
export function paySession(provider: Provider, session: SessionRecord, payer: Payer): void {
  if (findSession(provider, session.id)?.status !== 'open') return
  const payment: PaymentRecord = {
    id: randomId('pi_3', 26),
    createdAt: provider.now(),
    amountCents: session.amountCents,
    refundedCents: 0,
    currency: session.currency,
    metadata: session.paymentMetadata,
    payer,
  }
  const paid: SessionRecord = { ...session, status: 'complete', awaiting: null, payer, paymentId: payment.id }
  provider.store.put(['sessions', paid], ['payments', payment])
  announce(provider, 'checkout.session.completed', toSession(paid, provider.publicUrl))
}

const failingRefundLast4 = '5126'

export function refundPayment(provider: Provider, payment: PaymentRecord, refund: RefundRecord): void {
  const refunded = { ...payment, refundedCents: payment.refundedCents + refund.amountCents }
  provider.store.put(['payments', refunded], ['refunds', refund])
  announce(provider, 'charge.refunded', toCharge(refunded))
  if (payment.payer.last4 === failingRefundLast4) failRefund(provider, refunded, refund)
}

/** The bank rejects the refund, and the money is the shop's again. A real bank reports this days later. */
function failRefund(provider: Provider, payment: PaymentRecord, refund: RefundRecord): void {
  const failed = { ...refund, hasFailed: true }
  const restoredPayment = { ...payment, refundedCents: payment.refundedCents - refund.amountCents }
  provider.store.put(['payments', restoredPayment], ['refunds', failed])
  announce(provider, 'refund.failed', toRefund(failed))
}

function announce(provider: Provider, type: string, object: object): void {
  const event: EventRecord = { id: randomId('evt_1', 26), createdAt: provider.now(), type, object }
  provider.store.put(['events', event])
  if (provider.deliver === undefined) return
  provider.store.put(['deliveries', { id: event.id, attempts: 0, state: 'pending' }])
  provider.deliver(event.id)
}
