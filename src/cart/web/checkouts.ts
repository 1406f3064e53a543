import type { Bought, CartLine } from './cart.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

type Checkout = { session: string; bought: Bought[]; isSettled: boolean }

const storedAs = 'checkouts'
const kept = 20
let inMemory: Checkout[] = []

/** What goes to the provider in this session, so that exactly that leaves the cart when it is paid. */
export function rememberCheckout(session: string, lines: readonly CartLine[]): void {
  const bought = lines.map(({ _id, quantity }) => ({ _id, quantity }))
  if (readCheckouts().some((checkout) => checkout.session === session)) return
  keepCheckout({ session, bought, isSettled: false })
}

/**
 * What leaves the cart because this session is paid; nothing the second time, so that a reload of the page of thanks does
 * not take a cart filled since then. Of a session that another browser opened that is what its order holds: the rest of this
 * cart was never part of it.
 */
export function settleCheckout(session: string, ordered: readonly Bought[]): readonly Bought[] {
  const known = readCheckouts().find((checkout) => checkout.session === session)
  if (known?.isSettled) return []
  keepCheckout({ session, bought: [], isSettled: true })
  return known?.bought ?? ordered
}

function keepCheckout(checkout: Checkout): void {
  const others = readCheckouts().filter((other) => other.session !== checkout.session)
  inMemory = [...others, checkout].slice(-kept)
  writeStored(storedAs, inMemory)
}

function readCheckouts(): Checkout[] {
  const stored = readStored(storedAs)
  return Array.isArray(stored) ? stored.filter(isCheckout) : inMemory
}

function isCheckout(value: unknown): value is Checkout {
  if (!isRecord(value) || !('isSettled' in value)) return false
  return typeof value.session === 'string' && Array.isArray(value.bought) && value.bought.every(isBought)
}

function isBought(value: unknown): value is Bought {
  return isRecord(value) && typeof value._id === 'string' && typeof value.quantity === 'number'
}
