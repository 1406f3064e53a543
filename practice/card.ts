import type { Payer, Shipping } from './records.ts'

const fields = [
  ...(['email', 'number', 'expiry', 'cvc', 'name'] as const),
  ...(['shippingName', 'country', 'line1', 'line2', 'postalCode', 'city', 'state'] as const),
] as const
export type CardField = (typeof fields)[number]
/** The values of the form as they were typed, kept to show them again. */
export type CardForm = Record<CardField, string>
export type CardErrors = { [Field in CardField]?: string | undefined }
type Outcome = 'pays' | 'declined' | 'insufficient' | 'authorize' | 'not-a-test-card'

const outcomes: Record<string, Outcome> = {
  '4242424242424242': 'pays',
  '4000000000000002': 'declined',
  '4000000000009995': 'insufficient',
  '4000002500003155': 'authorize',
  // Its refunds fail: https://docs.stripe.com/testing#refunds
  '4000000000005126': 'pays',
}

export const refusals: Record<Exclude<Outcome, 'pays' | 'authorize'>, string> = {
  declined: 'Your card was declined.',
  insufficient: 'Your card has insufficient funds.',
  'not-a-test-card':
    'Your card was declined. This is a practice page that takes no real cards: pay with 4242 4242 4242 4242.',
}

export const notAuthorized =
  'Your bank did not authorize the payment. You have not been charged; try again or use another card.'

export function readCardForm(body: string): CardForm {
  const form = new URLSearchParams(body)
  return formFrom((name) => (form.get(name) ?? '').trim().slice(0, 300))
}

/** The form before anybody has typed, filled with what is already known. */
export function formOf(email: string, payer?: Payer | null): CardForm {
  const { name: shippingName, ...address } = payer?.shipping ?? {}
  const known: Partial<CardForm> = { email, name: payer?.name ?? '', shippingName, ...address }
  return formFrom((name) => known[name] ?? '')
}

function formFrom(read: (name: CardField) => string): CardForm {
  const entries = fields.map((name): [CardField, string] => [name, read(name)])
  return Object.fromEntries(entries) as CardForm
}

/** @param shipTo country codes; empty when no delivery address is asked for */
export function checkCardForm(form: CardForm, now: Date, shipTo: readonly string[] = []): CardErrors {
  const errors: CardErrors = {
    email: checkEmail(form.email),
    ...(shipTo.length > 0 && checkShipping(form, shipTo)),
    number: checkNumber(digitsOf(form.number)),
    expiry: checkExpiry(form.expiry, now),
    cvc: form.cvc === '' ? 'Enter the security code.' : checkCvc(form.cvc),
    name: checkName(form.name),
  }
  return Object.fromEntries(Object.entries(errors).filter(([, message]) => message !== undefined))
}

export function outcomeOf(form: CardForm): Outcome {
  return outcomes[digitsOf(form.number)] ?? 'not-a-test-card'
}

/** Call it only for a form without errors. */
export function payerOf(form: CardForm, shipTo: readonly string[] = []): Payer {
  const { month, year } = readExpiry(form.expiry) ?? { month: 1, year: 2000 }
  const last4 = digitsOf(form.number).slice(-4)
  const payer = { email: form.email, name: form.name, last4, expMonth: month, expYear: year }
  return shipTo.length > 0 ? { ...payer, shipping: shippingOf(form) } : payer
}

function shippingOf(form: CardForm): Shipping {
  const { shippingName: name, line1, line2, city, state, postalCode, country } = form
  return { name, line1, line2, city, state, postalCode, country }
}

/** State and postal code may be left out: not every country has them. */
function checkShipping(form: CardForm, shipTo: readonly string[]): CardErrors {
  return {
    shippingName: checkText(form.shippingName, 'Enter the full name for the delivery.'),
    country: shipTo.includes(form.country) ? undefined : 'Choose a country.',
    line1: checkText(form.line1, 'Enter the street and number.'),
    line2: checkText(form.line2),
    postalCode: checkText(form.postalCode),
    city: checkText(form.city, 'Enter the town or city.'),
    state: checkText(form.state),
  }
}

function checkText(text: string, whenEmpty?: string): string | undefined {
  if (text === '') return whenEmpty
  return /\p{Cc}/u.test(text) ? 'This has characters that cannot be read.' : undefined
}

function digitsOf(number: string): string {
  return number.replace(/[\s-]/g, '')
}

function checkEmail(email: string): string | undefined {
  if (email === '') return 'Enter your email address.'
  const isWhole = email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(email)
  return isWhole ? undefined : 'Enter a complete email address, such as name@example.com.'
}

function checkNumber(digits: string): string | undefined {
  if (digits === '') return 'Enter a card number.'
  if (/^\d{12,19}$/.test(digits) && isLuhn(digits)) return undefined
  return 'This card number is not valid. Check the digits.'
}

/** Checks the last digit, which reveals a mistyped digit or two swapped ones. */
function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function checkExpiry(expiry: string, now: Date): string | undefined {
  if (expiry === '') return 'Enter the expiry date as MM/YY.'
  const read = readExpiry(expiry)
  if (read === undefined) return 'Enter the expiry date as MM/YY, such as 08/31.'
  // A card is valid until the end of the month.
  const isPast = Date.UTC(read.year, read.month) <= now.getTime()
  if (isPast) return 'This card has expired. Check the date.'
  return read.year > now.getUTCFullYear() + 50 ? 'This date is too far ahead. Check the year.' : undefined
}

/** `08/31`, `8/31`, `08 / 31`, `0831` (number pads have no slash), `08/2031`. */
function readExpiry(expiry: string): { month: number; year: number } | undefined {
  const [, month, year] =
    /^(\d{1,2})\s*[/-]\s*(\d{2}|\d{4})$/.exec(expiry) ?? /^(\d{2})\s*(\d{2})$/.exec(expiry) ?? []
  if (month === undefined || year === undefined) return undefined
  if (Number(month) < 1 || Number(month) > 12) return undefined
  return { month: Number(month), year: year.length === 2 ? 2000 + Number(year) : Number(year) }
}

function checkCvc(cvc: string): string | undefined {
  return /^\d{3,4}$/.test(cvc) ? undefined : 'The security code has 3 or 4 digits.'
}

function checkName(name: string): string | undefined {
  if (name === '') return 'Enter the name on the card.'
  if (name.length > 150) return 'This name is too long.'
  return /\p{Cc}/u.test(name) ? 'This name has characters that cannot be read.' : undefined
}
