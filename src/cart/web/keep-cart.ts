import type { UnknownAction } from '@reduxjs/toolkit'
import { maxQuantity, replaceLines, restore, type Cart, type CartLine } from './cart.ts'
import { forgetCheckoutKey } from './checkout-key.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

const cartKey = 'cart'

type CartStore = {
  getState: () => { cart: Cart }
  dispatch: (action: UnknownAction) => unknown
  subscribe: (listener: () => void) => () => void
}

/**
 * Fills the cart from the browser's storage, writes every change back and follows changes in other tabs. Called
 * once, in the browser, after the state for hydration was taken. If the storage is full, blocked or unreadable,
 * the only loss is that the cart ends with the page.
 */
export function keepCart(store: CartStore): () => void {
  store.dispatch(restore(linesFromStored(readStored(cartKey))))
  let last = store.getState().cart
  let isFollowing = false
  let isWritten = true

  const follow = () => {
    const stored = readStored(cartKey)
    // Storage that cannot be read or written says nothing about the cart; an emptied cart is stored without lines.
    if (stored === undefined || !isWritten) return
    isFollowing = true
    store.dispatch(replaceLines(linesFromStored(stored)))
    isFollowing = false
  }
  const keep = () => {
    const { cart } = store.getState()
    if (cart === last) return
    const isChanged = !sameLines(cart.products, last.products)
    last = cart
    if (isFollowing || !isChanged) return
    isWritten = writeStored(cartKey, cart)
    forgetCheckoutKey()
  }
  const onStorage = (event: StorageEvent) => {
    if (event.key === cartKey) follow()
  }
  // A page restored from the back/forward cache has missed the changes in other tabs.
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) follow()
  }
  const unsubscribe = store.subscribe(keep)
  window.addEventListener('storage', onStorage)
  window.addEventListener('pageshow', onPageShow)
  return () => {
    unsubscribe()
    window.removeEventListener('storage', onStorage)
    window.removeEventListener('pageshow', onPageShow)
  }
}

function sameLines(some: readonly CartLine[], others: readonly CartLine[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}

/** The lines of a stored cart that can still be shown and bought; everything else is left out. */
export function linesFromStored(stored: unknown): CartLine[] {
  const products = isRecord(stored) ? stored.products : undefined
  if (!Array.isArray(products)) return []
  const lines = products.flatMap((line: unknown) => lineFromStored(line) ?? [])
  return [...new Map(lines.map((line) => [line._id, line])).values()]
}

function lineFromStored(line: unknown): CartLine | undefined {
  if (!isRecord(line)) return
  const { _id, name, price, quantity } = line
  if (typeof _id !== 'string' || _id === '' || typeof name !== 'string') return
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) return
  if (typeof quantity !== 'number' || !Number.isInteger(quantity)) return
  if (quantity < 1 || quantity > maxQuantity) return
  return {
    _id,
    name,
    price,
    quantity,
    category: textOr(line.category, ''),
    description: textOr(line.description, ''),
    oldPrice: typeof line.oldPrice === 'number' ? line.oldPrice : null,
    image: textOr(line.image, null),
    color: textOr(line.color, ''),
    rating: typeof line.rating === 'number' ? line.rating : 0,
    author: textOr(line.author, null),
    createdAt: textOr(line.createdAt, ''),
  }
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}
