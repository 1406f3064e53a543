import type { Bought, CartLine } from './cart.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

type Checkout = { session: string; bought: Bought[]; isSettled: boolean }

const storageKey = 'checkouts'
const maxCheckouts = 20
let inMemory: Checkout[] = []

/** Remembers what is bought in this session, so that exactly that leaves the cart when it is paid. */
export function rememberCheckout(session: string, lines: readonly CartLine[]): void {
  const bought = lines.map(({ _id, quantity }) => ({ _id, quantity }))
  if (readCheckouts().some((checkout) => checkout.session === session)) return
  keepCheckout({ session, bought, isSettled: false })
}

/**
 * Returns what leaves the cart because this session is paid. The second time that is nothing, so that reloading
 * the thank-you page does not take from a cart filled since then. For a session opened in another browser it is
 * what the order holds, as the rest of this cart was never part of it.
 */
export function settleCheckout(session: string, ordered: readonly Bought[]): readonly Bought[] {
  const known = readCheckouts().find((checkout) => checkout.session === session)
  if (known?.isSettled) return []
  keepCheckout({ session, bought: [], isSettled: true })
  return known?.bought ?? ordered
}

function keepCheckout(checkout: Checkout): void {
  const others = readCheckouts().filter((other) => other.session !== checkout.session)
  inMemory = [...others, checkout].slice(-maxCheckouts)
  writeStored(storageKey, inMemory)
}

function readCheckouts(): Checkout[] {
  const stored = readStored(storageKey)
  return Array.isArray(stored) ? stored.filter(isCheckout) : inMemory
}

function isCheckout(value: unknown): value is Checkout {
  if (!isRecord(value) || !('isSettled' in value)) return false
  return typeof value.session === 'string' && Array.isArray(value.bought) && value.bought.every(isBought)
}

function isBought(value: unknown): value is Bought {
  return isRecord(value) && typeof value._id === 'string' && typeof value.quantity === 'number'
}
