import type Stripe from 'stripe'
import { deceivingCharacters, toDisplayableText } from '#shop/contract/displayable-text.ts'
import { Id } from '#shop/contract/shapes.ts'
import type { ShippingAddress } from '#shop/orders/contract.ts'
import type { SoldLine } from './tables.ts'

/** What the provider says about a session, in our terms. */
export type ProviderSession = {
  id: string
  /** Our own reference, which we set in two places; null when one is missing or they differ. */
  checkoutId: string | null
  /** `expired` includes a failed delayed payment: that session cannot be paid any more either. */
  state: 'open' | 'complete' | 'expired'
  payment: 'paid' | 'unpaid' | 'nothing-to-pay'
  amountCents: number
  currency: string
  isOurMode: boolean
  paymentId: string | null
  email: string | null
  shippingAddress: ShippingAddress | null
  refundedCents: number
  /** Fully refunded, whatever the amount was. */
  isGivenBack: boolean
}

/** A session with its lines, for reconciling. */
export type ListedSession = ProviderSession & { lines: ListedLine[] }
type ListedLine = { name: string; priceCents: number; quantity: number }

export type SessionRequest = {
  checkoutId: string
  lines: SoldLine[]
  currency: string
  expiresAt: Date
  /** A URL of this shop; checkouts recorded by an older version have only its path. */
  returnTo: string
  /** Countries; empty when no address is asked for. */
  shipTo: string[]
}

export type Signal = { kind: 'session'; sessionId: string } | { kind: 'payment'; paymentId: string } | null

/**
 * A retry under the same idempotency key must send the same parameters. So all of them come from the recorded
 * checkout: another process, or this one after a change of its settings, may have another public URL.
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

/** In characters of an encoded URL, where one letter may take nine. */
export const longestAddress = 2000

/** A picture whose URL is too long is left out: it is not worth a sale. */
function imagesOf({ image }: SoldLine, origin: string): { images?: string[] } {
  const address = image && new URL(image, origin).href
  return address && address.length <= longestAddress ? { images: [address] } : {}
}

/** @throws Error when an amount is no whole number or a payment has no valid id: then nothing is known */
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

/** What the provider took for an e-mail; null if it cannot be kept or shown, since the order matters more. */
function emailOf(email: string | null | undefined): string | null {
  const isOne = email && email.length <= 254 && !email.includes('\0') && !deceivingCharacters.test(email)
  return isOne ? email : null
}

function addressOf(
  details: Stripe.Checkout.Session.CollectedInformation.ShippingDetails | null | undefined,
): ShippingAddress | null {
  if (!details) return null
  const { line1, line2, city, state, postal_code: postalCode, country } = details.address ?? {}
  return {
    name: toStorableText(details.name),
    line1: toStorableText(line1),
    line2: toStorableText(line2),
    city: toStorableText(city),
    state: toStorableText(state),
    postalCode: toStorableText(postalCode),
    country: toStorableText(country),
  }
}

/** Without what the database cannot store, which must not prevent an order, and without deceptive characters. */
function toStorableText(text: unknown): string | null {
  return typeof text === 'string' ? toDisplayableText(text, 500) || null : null
}

/** A delayed payment that failed; see https://docs.stripe.com/payments/paymentintents/lifecycle */
function hasFailed({
  status,
  payment_status: payment,
  payment_intent: intent,
}: Stripe.Checkout.Session): boolean {
  const isOver =
    typeof intent === 'object' && ['requires_payment_method', 'canceled'].includes(intent?.status ?? '')
  return status === 'complete' && payment === 'unpaid' && isOver
}

/** A status that the provider may add one day means neither complete nor expired. */
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

/** The provider lists these events for thirty days. */
export const refundEvents = ['charge.refunded', 'refund.failed'] as const

/** The total refunded by then; null for a failed refund, which may have been only a part of it. */
export type Refund = { paymentId: string; refundedCents: number | null }

export function refundOf(event: Stripe.Event): Refund | null {
  if (event.type !== 'charge.refunded' && event.type !== 'refund.failed') return null
  const paymentId = idOf(event.data.object.payment_intent)
  if (paymentId === null) return null
  const refundedCents = event.type === 'charge.refunded' ? event.data.object.amount_refunded : null
  return { paymentId, refundedCents: Number.isSafeInteger(refundedCents) ? refundedCents : null }
}

/** The provider sends either a payment's id or the whole payment. */
function idOf(intent: string | { id: string } | null | undefined): string | null {
  return typeof intent === 'string' ? intent : (intent?.id ?? null)
}
