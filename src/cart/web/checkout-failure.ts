import type { CurrentLines } from '#shop/orders/contract.ts'
import { problemOf, statusOf } from '#shop/web/api-problem.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'

const cartKeptSentence = 'Your cart is kept.'

/** The one sentence a customer reads when no checkout could be opened; `error` as RTK Query gives it. */
export function checkoutFailure(error: unknown): string {
  switch (statusOf(error)) {
    case 401:
      return `You have been logged out. ${cartKeptSentence} Log in, or press Checkout again to buy as a guest.`
    case 'SOMEBODY_ELSE':
      return `Somebody else is logged in here by now. ${cartKeptSentence} Press Checkout again to buy as them.`
    case 503:
      return `Paying is not possible right now. ${cartKeptSentence} Please try again in a few minutes.`
    case 429:
      return `That was a lot of attempts in a short time. ${cartKeptSentence} Please wait a little and try again.`
    case 400:
      return `This cart cannot be paid for as it is. ${cartKeptSentence} A payment must be between $0.50 and $999,999.99.`
    case 'FETCH_ERROR':
    case 'TIMEOUT_ERROR':
      return `The shop could not be reached. ${cartKeptSentence} Please check your connection and try again.`
    default:
      return `The checkout could not be opened. ${cartKeptSentence} Please try again.`
  }
}

/** The cart's products as the shop has them now, if it refused because prices changed or products are gone. */
export function currentLines(error: unknown): CurrentLines['products'] | undefined {
  const problem = problemOf(error)
  if (problem?.code !== 'cart_changed' || !isRecord(problem.data)) return
  const { products } = problem.data
  return Array.isArray(products) && products.every(isCurrentLine) ? products : undefined
}

/** The key belongs to another cart, say because the storage was tampered with: a new one helps. */
export function isKeyConflict(error: unknown): boolean {
  return statusOf(error) === 409 && problemOf(error)?.code !== 'cart_changed'
}

/** Checks what the panel reads; the contract promises the rest. */
function isCurrentLine(value: unknown): value is CurrentLines['products'][number] {
  return isRecord(value) && typeof value._id === 'string' && typeof value.price === 'number'
}
