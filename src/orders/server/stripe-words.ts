import type Stripe from 'stripe'
import { deceiving, plain } from '#shop/contract/odd-signs.ts'
import { Id } from '#shop/contract/shapes.ts'
import type { ShippingAddress } from '#shop/orders/contract.ts'
import type { SoldLine } from './tables.ts'

/** What the provider says of a session, in our words. */
export type ProviderSession = {
  id: string
  /** Our own reference, which we gave it in two places; null when they are missing or differ. */
  checkoutId: string | null
  /** `expired` is also one whose delayed payment has failed: neither can be paid any more. */
  state: 'open' | 'complete' | 'expired'
  payment: 'paid' | 'unpaid' | 'nothing-to-pay'
  amountCents: number
  currency: string
  isOurMode: boolean
  paymentId: string | null
  email: string | null
  shippingAddress: ShippingAddress | null
  refundedCents: number
  /** All of it, whatever that was. */
  isGivenBack: boolean
}

/** A session with what it sells, for comparing. */
export type ListedSession = ProviderSession & { lines: ListedLine[] }
type ListedLine = { name: string; priceCents: number; quantity: number }

export type SessionRequest = {
  checkoutId: string
  lines: SoldLine[]
  currency: string
  expiresAt: Date
  /** An address of ours; what was recorded by an older version of the shop has its path only. */
  returnTo: string
  /** Countries; none when nobody is to be asked for an address. */
  shipTo: string[]
}

export type Signal = { kind: 'session'; sessionId: string } | { kind: 'payment'; paymentId: string } | null

/**
 * Asked twice with one idempotency key, the provider wants every parameter to be the same. So all of them come from what
 * was recorded: a second process, or this one after a change of its settings, may have another address.
 */
export function sessionParameters(
  request: SessionRequest,
  publicUrl: string,
): Stripe.Checkout.SessionCreateParams {
  const { checkoutId, lines, currency, expiresAt, shipTo } = request
  const returnTo = new URL(request.returnTo, publicUrl)
  return {
    mode: 'payment',
    line_items: lines.map((line) => ({
      quantity: line.quantity,
      price_data: {
        currency,
        unit_amount: line.priceCents,
        product_data: {
          name: line.name,
          ...imagesOf(line, returnTo.origin),
        },
      },
    })),
    client_reference_id: checkoutId,
    metadata: { checkout_id: checkoutId },
    payment_intent_data: { metadata: { checkout_id: checkoutId } },
    expires_at: Math.floor(expiresAt.getTime() / 1000),
    success_url: `${returnTo.origin}/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: returnTo.href,
    ...(shipTo.length > 0 && { shipping_address_collection: { allowed_countries: shipTo } }),
  }
}

/** As it is written in an address, each letter may have become nine. */
export const longestAddress = 2000

/** A picture is not worth a sale. */
function imagesOf({ image }: SoldLine, origin: string): { images?: string[] } {
  const address = image && new URL(image, origin).href
  return address && address.length <= longestAddress ? { images: [address] } : {}
}

/** @throws where an amount is none or a payment has no name: then nothing is known */
export function sessionOf(session: Stripe.Checkout.Session, isLive: boolean): ProviderSession {
  const intent = session.payment_intent
  const expanded = typeof intent === 'object' ? intent?.latest_charge : null
  const charge = typeof expanded === 'object' ? expanded : null
  const reference = session.metadata?.checkout_id
  const amountCents = centsOf(session.amount_total)
  return {
    id: session.id,
    checkoutId: reference && reference === session.client_reference_id ? reference : null,
    state: hasFailed(session) ? 'expired' : stateOf(session.status),
    payment: paymentOf(session.payment_status),
    amountCents,
    currency: session.currency ?? '',
    isOurMode: session.livemode === isLive,
    paymentId: intent ? Id.parse(idOf(intent)) : null,
    email: emailOf(session.customer_details?.email),
    shippingAddress: addressOf(session.collected_information?.shipping_details),
    refundedCents: Math.max(0, Math.min(centsOf(charge?.amount_refunded), amountCents)),
    isGivenBack: charge?.refunded === true,
  }
}

function centsOf(amount: unknown): number {
  if (amount === null || amount === undefined) return 0
  if (!Number.isSafeInteger(amount)) throw new Error('An amount is not a whole number of cents')
  return Number(amount)
}

/** Whatever the provider takes for one: a payment without an e-mail is better than no order. */
function emailOf(given: string | null | undefined): string | null {
  const isOne = given && given.length <= 254 && !given.includes('\0') && !deceiving.test(given)
  return isOne ? given : null
}

function addressOf(
  details: Stripe.Checkout.Session.CollectedInformation.ShippingDetails | null | undefined,
): ShippingAddress | null {
  if (!details) return null
  const { line1, line2, city, state, postal_code: postalCode, country } = details.address ?? {}
  return {
    name: storable(details.name),
    line1: storable(line1),
    line2: storable(line2),
    city: storable(city),
    state: storable(state),
    postalCode: storable(postalCode),
    country: storable(country),
  }
}

/** What the database can not keep must not stand in the way of an order, and what shows as something else is left out. */
function storable(given: unknown): string | null {
  return typeof given === 'string' ? plain(given, 500) || null : null
}

/** See https://docs.stripe.com/payments/paymentintents/lifecycle */
function hasFailed({
  status,
  payment_status: payment,
  payment_intent: intent,
}: Stripe.Checkout.Session): boolean {
  const isOver =
    typeof intent === 'object' && ['requires_payment_method', 'canceled'].includes(intent?.status ?? '')
  return status === 'complete' && payment === 'unpaid' && isOver
}

/** A word that the provider adds one day means neither that it is over nor that it is paid. */
function stateOf(status: Stripe.Checkout.Session['status']): ProviderSession['state'] {
  if (status === 'complete') return 'complete'
  return status === 'expired' ? 'expired' : 'open'
}

function paymentOf(status: Stripe.Checkout.Session['payment_status']): ProviderSession['payment'] {
  if (status === 'paid') return 'paid'
  return status === 'no_payment_required' ? 'nothing-to-pay' : 'unpaid'
}

export function signalOf(event: Stripe.Event): Signal {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return { kind: 'session', sessionId: event.data.object.id }
    case 'charge.refunded':
    case 'refund.failed':
    case 'refund.updated': {
      const paymentId = idOf(event.data.object.payment_intent)
      return paymentId ? { kind: 'payment', paymentId } : null
    }
    default:
      return null
  }
}

export function linesOf(items: Stripe.LineItem[]): ListedLine[] {
  return items.map(({ description, price, quantity }) => ({
    name: description ?? '',
    priceCents: price?.unit_amount ?? 0,
    quantity: quantity ?? 0,
  }))
}

/** Of these it keeps a list for thirty days. */
export const refundEvents = ['charge.refunded', 'refund.failed'] as const

/** How much was given back in all then, or null where that is not said: what failed may not have been all of it. */
export type Refund = { paymentId: string; refundedCents: number | null }

export function refundOf(event: Stripe.Event): Refund | null {
  if (event.type !== 'charge.refunded' && event.type !== 'refund.failed') return null
  const paymentId = idOf(event.data.object.payment_intent)
  if (paymentId === null) return null
  const refundedCents = event.type === 'charge.refunded' ? event.data.object.amount_refunded : null
  return { paymentId, refundedCents: Number.isSafeInteger(refundedCents) ? refundedCents : null }
}

/** The provider names a payment, or shows it. */
function idOf(intent: string | { id: string } | null | undefined): string | null {
  return typeof intent === 'string' ? intent : (intent?.id ?? null)
}
