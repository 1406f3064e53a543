import { invalidRequest } from './api-error.ts'
import type { Fields } from './fields.ts'
import { randomId } from './ids.ts'
import type { Line, SessionRecord } from './records.ts'

const minuteMs = 60 * 1000
const dayMs = 24 * 60 * minuteMs
// The shop computes its half hour a moment before the request arrives, and in whole seconds.
const clockSlackMs = 5000
const minTotalCents = 50
const maxTotalCents = 99_999_999

/** Checks the parameters of a new session as Stripe does, and builds the session from them. */
export function readNewSession(fields: Fields, nowMs: number): SessionRecord {
  requirePaymentMode(fields)
  const { lines, currency } = readLines(fields)
  const session: SessionRecord = {
    id: randomId('cs_test_', 58),
    createdAt: nowMs,
    expiresAt: readExpiry(fields, nowMs),
    status: 'open',
    lines,
    amountCents: totalOf(lines),
    currency,
    successUrl: fields.url('success_url', { required: true }),
    cancelUrl: fields.url('cancel_url') ?? null,
    clientReferenceId: fields.text('client_reference_id', { max: 200 }) ?? null,
    customerEmail: readEmail(fields),
    ...readShipping(fields),
    metadata: fields.metadata(),
    paymentMetadata: readPaymentMetadata(fields),
    awaiting: null,
    payer: null,
    paymentId: null,
  }
  fields.ignore(
    'allow_promotion_codes',
    'allowed_payment_method_types',
    'billing_address_collection',
    'branding_settings',
  )
  fields.ignore(
    'customer_creation',
    'integration_identifier',
    'locale',
    'payment_method_types',
    'submit_type',
  )
  fields.done()
  return session
}

function requirePaymentMode(fields: Fields): void {
  const mode = fields.choice('mode', ['payment', 'setup', 'subscription'])
  if (mode === undefined) throw fields.missing('mode')
  if (mode !== 'payment') throw invalidRequest('The practice provider takes single payments only.', 'mode')
  const ui = fields.choice('ui_mode', ['hosted_page', 'embedded_page', 'elements', 'form'])
  if (ui !== undefined && ui !== 'hosted_page') {
    throw invalidRequest('The practice provider has a hosted page only.', 'ui_mode')
  }
}

function readLines(fields: Fields): { lines: Line[]; currency: string } {
  const items = fields.list('line_items')
  if (items.length === 0) throw fields.missing('line_items')
  if (items.length > 100) throw invalidRequest('You can have at most 100 line items.', 'line_items')
  const read = items.map(readLine)
  const currency = read[0]?.currency ?? 'usd'
  if (read.some((line) => line.currency !== currency)) {
    throw invalidRequest('All line items must have the same currency.', 'line_items')
  }
  return { lines: read.map(({ line }) => line), currency }
}

function readLine(item: Fields): { line: Line; currency: string } {
  const quantity = item.integer('quantity', { required: true, min: 1, max: 999_999 })
  const price = item.fields('price_data')
  if (price === undefined) throw item.missing('price_data')
  const currency = readCurrency(price)
  const unitAmountCents = price.integer('unit_amount', { required: true, min: 0, max: maxTotalCents })
  const product = price.fields('product_data')
  if (product === undefined) throw price.missing('product_data')
  price.ignore('tax_behavior')
  const metadata = item.metadata()
  item.done()
  price.done()
  const line = { id: randomId('li_1', 22), metadata, unitAmountCents, quantity, ...readProduct(product) }
  return { line, currency }
}

function readProduct(product: Fields): Pick<Line, 'name' | 'description' | 'images' | 'productMetadata'> {
  const read = {
    name: product.text('name', { required: true, max: 250 }),
    description: product.text('description') ?? null,
    images: product.texts('images'),
    productMetadata: product.metadata(),
  }
  const path = product.pathOf('images')
  if (read.images.length > 8) throw invalidRequest('You can have at most 8 images.', path)
  if (!read.images.every((url) => URL.canParse(url)))
    throw invalidRequest('Not a valid URL', path, 'url_invalid')
  product.ignore('tax_code', 'unit_label')
  product.done()
  return read
}

function readCurrency(price: Fields): string {
  const currency = price.text('currency', { required: true }).toLowerCase()
  if (/^[a-z]{3}$/.test(currency)) return currency
  throw invalidRequest(`Invalid currency: ${currency.slice(0, 40)}`, price.pathOf('currency'))
}

function totalOf(lines: Line[]): number {
  const total = lines.reduce((sum, { unitAmountCents, quantity }) => sum + unitAmountCents * quantity, 0)
  if (total < minTotalCents) {
    const message = "The Checkout Session's total amount due must add up to at least $0.50 usd"
    throw invalidRequest(message, undefined, 'amount_too_small')
  }
  if (total > maxTotalCents) {
    const message = "The Checkout Session's total amount due must add up to at most $999,999.99 usd"
    throw invalidRequest(message, undefined, 'amount_too_large')
  }
  return total
}

function readExpiry(fields: Fields, nowMs: number): number {
  const expiresAt = fields.integer('expires_at', { min: 0, max: 99_999_999_999 })
  if (expiresAt === undefined) return nowMs + dayMs
  const leftMs = expiresAt * 1000 - nowMs
  if (leftMs < 30 * minuteMs - clockSlackMs) {
    const message = 'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.'
    throw invalidRequest(message, 'expires_at')
  }
  if (leftMs > dayMs + clockSlackMs) {
    const message = 'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.'
    throw invalidRequest(message, 'expires_at')
  }
  return expiresAt * 1000
}

function readEmail(fields: Fields): string | null {
  const email = fields.text('customer_email', { max: 800 })
  if (email === undefined) return null
  if (/^[^\s@]+@[^\s@]+$/.test(email)) return email
  throw invalidRequest(`Invalid email address: ${email.slice(0, 100)}`, 'customer_email', 'email_invalid')
}

function readPaymentMetadata(fields: Fields): Record<string, string> {
  const data = fields.fields('payment_intent_data')
  if (data === undefined) return {}
  const metadata = data.metadata()
  data.ignore('capture_method', 'description', 'receipt_email', 'statement_descriptor_suffix')
  data.done()
  return metadata
}

function readShipping(fields: Fields): Pick<SessionRecord, 'shipTo'> {
  const collection = fields.fields('shipping_address_collection')
  if (collection === undefined) return {}
  const shipTo = collection.texts('allowed_countries')
  if (shipTo.length === 0) throw collection.missing('allowed_countries')
  const wrong = shipTo.find((country) => !/^[A-Z]{2}$/.test(country))
  if (wrong !== undefined) {
    throw invalidRequest(`Invalid country: ${wrong.slice(0, 40)}`, collection.pathOf('allowed_countries'))
  }
  collection.done()
  return { shipTo }
}
