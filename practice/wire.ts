import type Stripe from 'stripe'
import type { DeliveryRecord, EventRecord, Line, SessionRecord, Shipping } from './records.ts'
import { unusedOfSession } from './wire-unused.ts'

/** The version of Stripe's API whose shapes these are: the one the installed SDK was made for. */
export const apiVersion = '2026-10-28.endive'

type List = { object: 'list'; data: object[]; has_more: boolean; url: string }

// The SDK turns decimals into objects of its own, but on the wire they are strings.
type WirePrice = Omit<Stripe.Price, 'unit_amount_decimal'> & { unit_amount_decimal: string }
type WireItem = Omit<Stripe.LineItem, 'price'> & { price: WirePrice }

export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000)
}

export function toList(url: string, data: object[], hasMore = false): List {
  return { object: 'list', data, has_more: hasMore, url }
}

export function toSession(session: SessionRecord, publicUrl: string): Stripe.Checkout.Session {
  return {
    ...unusedOfSession,
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amountCents,
    amount_total: session.amountCents,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    collected_information: collectedFrom(session),
    created: toSeconds(session.createdAt),
    currency: session.currency,
    customer_details: customerOf(session),
    customer_email: session.customerEmail,
    expires_at: toSeconds(session.expiresAt),
    livemode: false,
    metadata: session.metadata,
    mode: 'payment',
    payment_intent: session.paymentId,
    payment_status: session.paymentId === null ? 'unpaid' : 'paid',
    shipping_address_collection: session.shipTo ? { allowed_countries: session.shipTo } : null,
    status: session.status,
    success_url: session.successUrl,
    url: session.status === 'open' ? `${publicUrl}/pay/${session.id}` : null,
  }
}

function customerOf({ payer, customerEmail }: SessionRecord): Stripe.Checkout.Session.CustomerDetails | null {
  const email = payer?.email ?? customerEmail
  if (email === null) return null
  return {
    address: null,
    business_name: null,
    email,
    individual_name: payer?.name ?? null,
    name: payer?.name ?? null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: payer ? [] : null,
  }
}

function collectedFrom({ payer }: SessionRecord): Stripe.Checkout.Session.CollectedInformation | null {
  if (!payer?.shipping) return null
  return { business_name: null, individual_name: null, shipping_details: toShipping(payer.shipping) }
}

function toShipping({ name, postalCode, ...address }: Shipping) {
  const { line1, line2, city, state, country } = address
  const orNull = (text: string) => (text === '' ? null : text)
  return {
    name,
    address: {
      line1: orNull(line1),
      line2: orNull(line2),
      city: orNull(city),
      state: orNull(state),
      postal_code: orNull(postalCode),
      country: orNull(country),
    },
  }
}

export function toLineItems(session: SessionRecord): WireItem[] {
  return session.lines.map((line, index) => toLineItem(line, index, session))
}

function toLineItem(line: Line, index: number, session: SessionRecord): WireItem {
  const amount = line.unitAmountCents * line.quantity
  return {
    id: line.id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: session.currency,
    description: line.name,
    metadata: line.metadata,
    price: toPrice(line, index, session),
    quantity: line.quantity,
  }
}

function toPrice(line: Line, index: number, session: SessionRecord): WirePrice {
  return {
    id: line.id.replace('li_', 'price_'),
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created: toSeconds(session.createdAt),
    currency: session.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: productIdOf(session, index),
    recurring: null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount: line.unitAmountCents,
    unit_amount_decimal: String(line.unitAmountCents),
  }
}

/** The id holds the session and the line of the product, so that products need no table of their own. */
function productIdOf(session: SessionRecord, index: number): string {
  return `prod_${session.id.slice('cs_test_'.length)}${String(index).padStart(3, '0')}`
}

export function lineOfProduct(productId: string): { sessionId: string; index: number } {
  const [, session = '', index = ''] = /^prod_(.*)(\d{3})$/.exec(productId) ?? []
  return { sessionId: `cs_test_${session}`, index: Number(index) }
}

/** What a product made on the fly looks like when `line_items.data.price.product` is expanded. */
export function toProduct(line: Line, index: number, session: SessionRecord): Stripe.Product {
  return {
    id: productIdOf(session, index),
    object: 'product',
    active: false,
    created: toSeconds(session.createdAt),
    default_price: null,
    description: line.description,
    images: line.images,
    livemode: false,
    marketing_features: [],
    metadata: line.productMetadata,
    name: line.name,
    package_dimensions: null,
    shippable: null,
    tax_details: null,
    type: 'service',
    updated: toSeconds(session.createdAt),
    url: null,
  }
}

export function toEvent(event: EventRecord, delivery: DeliveryRecord | undefined): object {
  return {
    id: event.id,
    object: 'event',
    api_version: apiVersion,
    created: toSeconds(event.createdAt),
    data: { object: event.object },
    livemode: false,
    pending_webhooks: delivery?.state === 'pending' ? 1 : 0,
    request: { id: null, idempotency_key: null },
    type: event.type,
  }
}
