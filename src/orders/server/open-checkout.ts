import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { findProducts, productReply, type ProductRow } from '#shop/catalogue/server/store.ts'
import { dollarsFromCents, totalCents } from '#shop/contract/money.ts'
import { maxLines, maxQuantity, type CartLine } from '#shop/orders/contract.ts'
import { invalidInput, ShopError, unavailable } from '#shop/platform/errors.ts'
import { hashOf, newId } from '#shop/platform/ids.ts'
import { createLostSessionFinder } from './lost-sessions.ts'
import { settle, type SettlementParts } from './settle.ts'
import {
  expireCheckout,
  findCheckout,
  findCheckoutByKey,
  freeKeyIfUndone,
  insertCheckout,
  recordSession,
} from './checkouts.ts'
import { isProviderFailure, isSavedFailure } from './stripe.ts'
import type { CheckoutRow, SoldLine } from './tables.ts'

type CheckoutRequest = {
  lines: CartLine[]
  userId: string | null
  /** The client's `Idempotency-Key`, if any. */
  key: string | undefined
  /** A URL of this shop. */
  returnTo: string
  shipTo: string[]
}

/** All lines of one product, with every price that the customer was shown for it. */
type MergedLine = { _id: string; quantity: number; prices: number[] }

/** The provider's limits; see https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const smallestTotalCents = 50
const largestTotalCents = 99_999_999

/** The provider requires at least 30. */
const leastMinutesLeft = 31

/**
 * Records the cart at the shop's prices, then opens a session for it at the provider. Requests with the same key
 * and cart get the same session, even at once. Until that session ends, this holds even if a price has changed or
 * a product is gone since: the customer can pay what they saw, and a second session could be paid as well.
 *
 * @throws ShopError 400 for an invalid cart, 409 `cart_changed` for one that is out of date, 409 `key_reused`, 503
 *   while the provider cannot be asked (the client may retry with the same key)
 */
export async function openCheckout(
  parts: SettlementParts,
  request: CheckoutRequest,
): Promise<{ id: string; url: string }> {
  const lines = mergeLines(request.lines)
  // The user id is part of the hash: knowing or guessing a key does not lead to another customer's session. Guests
  // have no id, so their key is only as secret as the client made it; the web page's has 128 random bits.
  const requestKey = request.key === undefined ? null : hashOf(`${request.userId ?? ''} ${request.key}`)
  const earlier = requestKey && (await findReusableCheckout(parts, requestKey, lines))
  const checkout = earlier || (await recordCheckout(parts.db, lines, { ...request, requestKey }))
  return openSession(parts, checkout)
}

/** Lines of the same product become one, in the order of their first appearance. */
function mergeLines(lines: readonly CartLine[]): MergedLine[] {
  const merged = new Map<string, MergedLine>()
  for (const { _id, quantity, price } of lines) {
    const found = merged.get(_id) ?? { _id, quantity: 0, prices: [] }
    found.quantity += quantity
    if (price !== undefined) found.prices.push(price)
    merged.set(_id, found)
  }
  const all = [...merged.values()]
  if (all.length > maxLines) {
    throw invalidInput([{ path: 'products', message: `must have at most ${maxLines} different products` }])
  }
  if (all.some(({ quantity }) => quantity > maxQuantity)) {
    throw invalidInput([{ path: 'products', message: `must have at most ${maxQuantity} of a product` }])
  }
  return all
}

/** The checkout that holds this key; undefined if it can no longer be paid or was undone, which frees the key. */
async function findReusableCheckout(
  parts: SettlementParts,
  requestKey: string,
  lines: readonly MergedLine[],
): Promise<CheckoutRow | undefined> {
  const found = await findCheckoutByKey(parts.db, requestKey)
  if (!found) return undefined
  requireSameCart(found, lines)
  const { minutesLeft } = found
  if (found.state === 'creating' && minutesLeft < leastMinutesLeft) {
    await expireCheckout(parts.db, found)
    return undefined
  }
  if (found.state === 'open' && found.sessionId && minutesLeft < 0) {
    const { outcome } = await settle(parts, found.sessionId)
    if (outcome === 'expired') return undefined
  }
  if (await freeKeyIfUndone(parts.db, found.id)) return undefined
  return found
}

/** The order of the lines does not matter. */
function cartHash(lines: readonly MergedLine[]): string {
  const texts = lines.map(({ _id, quantity }) => `${_id} ${quantity}`)
  return hashOf(texts.toSorted().join('\n'))
}

/**
 * Requires the same products and quantities, and no prices other than those of the checkout.
 *
 * @throws ShopError 409 `key_reused`
 */
function requireSameCart(found: CheckoutRow, lines: readonly MergedLine[]): void {
  const priceOf = (id: string) => found.lines.find(({ productId }) => productId === id)?.priceCents ?? 0
  const isAsSeen = lines.every(({ _id, prices }) =>
    prices.every((price) => price === dollarsFromCents(priceOf(_id))),
  )
  if (found.requestHash === cartHash(lines) && isAsSeen) return
  const title = 'This Idempotency-Key belongs to another cart'
  throw new ShopError(409, 'key_reused', title, { title })
}

async function recordCheckout(
  db: NodePgDatabase,
  lines: MergedLine[],
  request: Pick<CheckoutRequest, 'userId' | 'returnTo' | 'shipTo'> & { requestKey: string | null },
): Promise<CheckoutRow> {
  const { userId, returnTo, shipTo, requestKey } = request
  const sold = soldLines(
    lines,
    await findProducts(
      db,
      lines.map((line) => line._id),
    ),
  )
  const amountCents = totalCents(sold)
  requireChargeable(amountCents)
  const row = {
    id: newId(),
    userId,
    lines: sold,
    amountCents,
    currency: 'usd',
    returnTo,
    shipTo,
    requestKey,
    requestHash: cartHash(lines),
  }
  const checkout = await insertCheckout(db, row)
  if (checkout) return checkout
  // Another request with the same key was faster: use its checkout, if it is for the same cart.
  const concurrent = requestKey && (await findCheckoutByKey(db, requestKey))
  if (!concurrent) throw unavailable('try_again', 'The checkout could not be recorded. Please try again.', 1)
  requireSameCart(concurrent, lines)
  return concurrent
}

/**
 * The lines to be sold, with the shop's own names, pictures and prices.
 *
 * @throws ShopError 409 `cart_changed`, with the current lines, when a product is gone or the customer saw another
 *   price
 */
function soldLines(lines: readonly MergedLine[], products: readonly ProductRow[]): SoldLine[] {
  const current = lines.flatMap(({ _id, quantity, prices }) => {
    const product = products.find(({ id }) => id === _id)
    if (!product) return []
    const isAsSeen = prices.every((price) => price === dollarsFromCents(product.priceCents))
    return [{ product, quantity, isAsSeen }]
  })
  if (current.length < lines.length || current.some(({ isAsSeen }) => !isAsSeen)) {
    throw new ShopError(409, 'cart_changed', 'Something in your cart has changed.', {
      title: 'Your cart has changed',
      data: { products: current.map(({ product, quantity }) => ({ ...productReply(product), quantity })) },
    })
  }
  return current.map(({ product, quantity }) => ({
    productId: product.id,
    name: product.name,
    image: product.image,
    priceCents: product.priceCents,
    quantity,
  }))
}

function requireChargeable(amountCents: number): void {
  if (amountCents >= smallestTotalCents && amountCents <= largestTotalCents) return
  throw invalidInput([{ path: 'products', message: 'must cost between $0.50 and $999,999.99 together' }])
}

/** Requests in progress, by checkout: after a double click, the second waits for the first one's answer. */
const opening = new Map<string, Promise<{ id: string; url: string }>>()

async function openSession(
  parts: SettlementParts,
  checkout: CheckoutRow,
): Promise<{ id: string; url: string }> {
  const { id, sessionId, sessionUrl } = checkout
  if (sessionId && sessionUrl) return { id: sessionId, url: sessionUrl }
  const running = opening.get(id)
  if (running) return running
  const started = askForSession(parts, checkout).finally(() => opening.delete(id))
  opening.set(id, started)
  return started
}

/** A failure is retried only if it came within this time, so that the client has a response before it gives up. */
const retryWithinMs = 4000

async function askForSession(
  parts: SettlementParts,
  checkout: CheckoutRow,
  isRetry = false,
): Promise<{ id: string; url: string }> {
  const checkoutId = checkout.id
  const beganAt = performance.now()
  try {
    const session = await parts.provider.openSession({ ...checkout, checkoutId })
    await recordSession(parts.db, checkoutId, session)
    return session
  } catch (error) {
    // Another process may have opened the same session meanwhile.
    const reread = await findCheckout(parts.db, checkoutId)
    if (reread?.sessionId && reread.sessionUrl) return { id: reread.sessionId, url: reread.sessionUrl }
    // The SDK tries twice: after our retry that makes four failures in a row, so the provider has saved this one.
    const isSaved = isSavedFailure(error) || (isRetry && isProviderFailure(error))
    const isSoon = performance.now() - beganAt < retryWithinMs
    if (!isSaved && isProviderFailure(error) && isSoon) return await askForSession(parts, checkout, true)
    if (!isSaved) throw error
    const lost = await createLostSessionFinder(parts.provider)(checkout)
    if (lost?.url) {
      await recordSession(parts.db, checkoutId, lost)
      return { id: lost.id, url: lost.url }
    }
    // Frees the client's key, so that its next attempt makes a new checkout.
    if (!lost) await expireCheckout(parts.db, checkout)
    throw error
  }
}
