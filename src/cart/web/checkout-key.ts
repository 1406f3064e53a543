import { randomKey } from '#shop/web/api-idempotency.ts'
import type { CartLine } from './cart.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

const storageKey = 'checkout-key'
type StoredKey = { key: string; cart: string }
/** Used where the browser's storage is not available. */
let inMemory: StoredKey | undefined

/**
 * The `Idempotency-Key` of this state of the cart. A double click, a second tab and a retry after a lost response
 * or a reload send the same one and get the same session; otherwise the customer could pay twice.
 */
export function checkoutKey(lines: readonly CartLine[], userId: string | undefined): string {
  const cart = JSON.stringify([userId, lines.map((line) => [line._id, line.quantity, line.price])])
  const last = readStoredKey()
  if (last?.cart === cart) return last.key
  const next = { key: randomKey(), cart }
  // A stored key is not kept here as well, since another tab may forget it.
  inMemory = writeStored(storageKey, next) ? undefined : next
  return next.key
}

/** For a cart that has changed: the next checkout gets a new key, even if the same lines come together again. */
export function forgetCheckoutKey(): void {
  inMemory = undefined
  writeStored(storageKey, undefined)
}

function readStoredKey(): StoredKey | undefined {
  const stored = readStored(storageKey)
  if (!isRecord(stored)) return inMemory
  if (typeof stored.key !== 'string' || typeof stored.cart !== 'string') return inMemory
  return { key: stored.key, cart: stored.cart }
}
