import { invalidRequest } from './api-error.ts'
import type { PaymentRecord } from './records.ts'
import type { Store } from './store.ts'
import { paymentIdOf, toCharge, toPaymentIntent, toRefund } from './wire-payment.ts'
import { lineOfProduct, toLineItems, toList, toProduct } from './wire.ts'

/** Per kind of object: which of its fields can be expanded, and the kind of object each leads to. */
const expandable = {
  'checkout.session': { line_items: 'item', payment_intent: 'payment_intent' },
  item: { price: 'price' },
  price: { product: 'product' },
  product: {},
  payment_intent: { latest_charge: 'charge' },
  charge: { payment_intent: 'payment_intent', refunds: 'refund' },
  refund: { charge: 'charge', payment_intent: 'payment_intent' },
  event: {},
} as const

export type Kind = keyof typeof expandable

const maxSteps = 6

/** Runs before the call takes effect, so that a bad `expand` path cannot fail a refund that is already made. */
export function checkExpansions(kind: Kind, paths: string[]): void {
  for (const path of paths) {
    const steps = path.split('.')
    if (steps.length > maxSteps) throw cannotExpand(path)
    let at: Kind = kind
    for (const step of steps) {
      if (step === 'data') continue
      const next: Kind | undefined = new Map<string, Kind>(Object.entries(expandable[at])).get(step)
      if (next === undefined) throw cannotExpand(path)
      at = next
    }
  }
}

/** Replaces ids by the objects they name: `payment_intent.latest_charge`, or `data.payment_intent` in a list. */
export function expand(store: Store, object: object, paths: string[]): object {
  return paths.reduce((expanded, path) => expandSteps(store, expanded, path.split('.')), object)
}

function expandSteps(store: Store, object: object, steps: string[]): object {
  const [step, ...rest] = steps
  if (step === undefined) return object
  if (isList(object) && step === 'data') {
    return { ...object, data: object.data.map((item) => expandSteps(store, item, rest)) }
  }
  const found = lookUp(store, object, step)
  return found === undefined ? object : { ...object, [step]: expandSteps(store, found, rest) }
}

/** `undefined` while there is no such object yet, such as the payment of an open session. */
function lookUp(store: Store, object: object, step: string): object | undefined {
  const fields = new Map<string, unknown>(Object.entries(object))
  const value = fields.get(step)
  if (typeof value === 'object' && value !== null) return value
  const id = String(fields.get('id'))
  switch (step) {
    case 'line_items':
      return findLineItems(store, id)
    case 'payment_intent':
      return findPayment(store, String(value), toPaymentIntent)
    case 'latest_charge':
    case 'charge':
      return findPayment(store, paymentIdOf(String(value)), toCharge)
    case 'refunds':
      return listRefunds(store, id)
    case 'product':
      return findProduct(store, String(value))
    default:
      return undefined
  }
}

function findPayment(store: Store, id: string, show: (payment: PaymentRecord) => object): object | undefined {
  const payment = store.find('payments', id)
  return payment && show(payment)
}

function findLineItems(store: Store, sessionId: string): object | undefined {
  const session = store.find('sessions', sessionId)
  return session && toList(`/v1/checkout/sessions/${sessionId}/line_items`, toLineItems(session))
}

function findProduct(store: Store, productId: string): object | undefined {
  const { sessionId, index } = lineOfProduct(productId)
  const session = store.find('sessions', sessionId)
  const line = session?.lines[index]
  return session && line && toProduct(line, index, session)
}

function listRefunds(store: Store, chargeId: string): object {
  const refunds = store.newestFirst('refunds').filter(({ paymentId }) => paymentId === paymentIdOf(chargeId))
  return toList(`/v1/charges/${chargeId}/refunds`, refunds.map(toRefund))
}

function isList(object: object): object is { data: object[] } {
  return 'data' in object && Array.isArray(object.data)
}

function cannotExpand(path: string): Error {
  return invalidRequest(`This property cannot be expanded (${path.slice(0, 100)}).`, 'expand')
}
