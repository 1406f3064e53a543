import { invalidRequest, noSuch } from './api-error.ts'
import { randomId } from './ids.ts'
import { readCreated, readPage, takePage } from './paging.ts'
import { expireDueSessions, refundPayment } from './provider.ts'
import type { Provider } from './provider.ts'
import type { EventRecord, PaymentRecord, RefundRecord } from './records.ts'
import type { Call } from './session-calls.ts'
import { paymentIdOf, toCharge, toPaymentIntent, toRefund } from './wire-payment.ts'
import { toEvent, toList } from './wire.ts'

export const retrievePaymentIntent: Call = (provider, fields, id) => {
  fields.done()
  return () => toPaymentIntent(getPayment(provider, id, 'payment_intent', 'intent'))
}

export const retrieveCharge: Call = (provider, fields, id) => {
  fields.done()
  return () => toCharge(getPayment(provider, id, 'charge', 'charge'))
}

export const createRefund: Call = (provider, fields) => {
  const charge = fields.text('charge')
  const intent = fields.text('payment_intent')
  const amount = fields.integer('amount', { min: 1, max: 99_999_999 })
  const reason = fields.choice('reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null
  const metadata = fields.metadata()
  fields.done()
  const id = charge ?? intent
  if (id === undefined) {
    throw invalidRequest('One of the following params should be provided: payment_intent or charge.')
  }
  return () => {
    const kind = charge === undefined ? 'payment_intent' : 'charge'
    const payment = getPayment(provider, id, kind, kind)
    const refund: RefundRecord = {
      id: randomId('re_3', 24),
      createdAt: provider.now(),
      paymentId: payment.id,
      amountCents: refundableCents(payment, amount),
      currency: payment.currency,
      reason,
      metadata,
    }
    refundPayment(provider, payment, refund)
    // The refund as it was made: the stored one may have failed by now.
    return toRefund(refund)
  }
}

export const retrieveRefund: Call = (provider, fields, id) => {
  fields.done()
  return () => {
    const refund = provider.store.find('refunds', id)
    if (refund === undefined) throw noSuch('refund', id, 'id')
    return toRefund(refund)
  }
}

export const retrieveEvent: Call = (provider, fields, id) => {
  fields.done()
  return () => {
    const event = provider.store.find('events', id)
    if (event === undefined) throw noSuch('event', id, 'id')
    return toEvent(event, provider.store.find('deliveries', id))
  }
}

export const listEvents: Call = (provider, fields) => {
  const page = readPage(fields)
  const isCreated = readCreated(fields)
  const types = fields.texts('types')
  const type = fields.text('type')
  fields.done()
  const isWanted = (event: EventRecord) =>
    isCreated(event.createdAt) &&
    (type === undefined || event.type === type) &&
    (types.length === 0 || types.includes(event.type))
  return () => {
    expireDueSessions(provider)
    const { data, hasMore } = takePage(provider.store.newestFirst('events').filter(isWanted), page)
    const shown = data.map((event) => toEvent(event, provider.store.find('deliveries', event.id)))
    return toList('/v1/events', shown, hasMore)
  }
}

function getPayment(
  provider: Provider,
  id: string,
  kind: 'charge' | 'payment_intent',
  param: string,
): PaymentRecord {
  const payment = provider.store.find('payments', kind === 'charge' ? paymentIdOf(id) : id)
  if (payment === undefined) throw noSuch(kind, id, param)
  return payment
}

function refundableCents(payment: PaymentRecord, wanted: number | undefined): number {
  const left = payment.amountCents - payment.refundedCents
  if (left === 0) {
    const message = `Charge ${toCharge(payment).id} has already been refunded.`
    throw invalidRequest(message, undefined, 'charge_already_refunded')
  }
  if (wanted === undefined || wanted <= left) return wanted ?? left
  const message = `Refund amount (${wanted}) is greater than unrefunded amount on charge (${left})`
  throw invalidRequest(message, 'amount', 'amount_too_large')
}
