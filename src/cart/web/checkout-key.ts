import { randomKey } from '#shop/web/api-idempotency.ts'
import type { CartLine } from './cart.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

const storedAs = 'checkout-key'
type KeptKey = { key: string; cart: string }
/** Where the browser keeps nothing. */
let inMemory: KeptKey | undefined

/**
 * The `Idempotency-Key` of this state of the cart. A double click, a second tab and a retry after a lost answer or a
 * reload send the same one and get the same session; without it they could pay twice.
 */
export function checkoutKey(lines: readonly CartLine[], userId: string | undefined): string {
  const cart = JSON.stringify([userId, lines.map((line) => [line._id, line.quantity, line.price])])
  const kept = keptKey()
  if (kept?.cart === cart) return kept.key
  const made = { key: randomKey(), cart }
  // Another tab may forget what is stored: then it must not be remembered here.
  inMemory = writeStored(storedAs, made) ? undefined : made
  return made.key
}

/** The cart has changed: the next checkout is another one, even when the same lines come together again. */
export function forgetCheckoutKey(): void {
  inMemory = undefined
  writeStored(storedAs, undefined)
}

function keptKey(): KeptKey | undefined {
  const stored = readStored(storedAs)
  if (!isRecord(stored)) return inMemory
  if (typeof stored.key !== 'string' || typeof stored.cart !== 'string') return inMemory
  return { key: stored.key, cart: stored.cart }
}
