import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Product } from '#shop/catalogue/contract.ts'
import { centsFromDollars, dollarsFromCents, totalCents } from '#shop/contract/money.ts'
import type { maxLines as maxLinesOfOrder, maxQuantity as maxQuantityOfOrder } from '#shop/orders/contract.ts'

// Repeated as values, because the contract itself imports zod; the types break the build when the two differ.
export const maxQuantity: typeof maxQuantityOfOrder = 99
export const maxLines: typeof maxLinesOfOrder = 50

export type CartLine = Product & { quantity: number }
export type Bought = Pick<CartLine, '_id' | 'quantity'>
export type Cart = { products: CartLine[]; selectedItems: number; totalPrice: number }
type CartRoot = { cart: Cart }

const emptyCart: Cart = { products: [], selectedItems: 0, totalPrice: 0 }

/** The cart of these lines; the total is summed in whole cents, so that 3 × $0.10 is $0.30. */
export function cartOf(lines: readonly CartLine[]): Cart {
  const priced = lines.map((line) => ({
    priceCents: centsFromDollars(line.price),
    quantity: line.quantity,
  }))
  return {
    products: [...lines],
    selectedItems: lines.reduce((sum, line) => sum + line.quantity, 0),
    totalPrice: dollarsFromCents(totalCents(priced)),
  }
}

/** Keeps the quantity from 1 to 99. */
function changeQuantity(cart: Cart, id: string, by: number): Cart {
  const changed = (line: CartLine) => Math.min(maxQuantity, Math.max(1, line.quantity + by))
  return cartOf(cart.products.map((line) => (line._id === id ? { ...line, quantity: changed(line) } : line)))
}

export function hasProduct(lines: readonly CartLine[], id: string): boolean {
  return lines.some((line) => line._id === id)
}

/** What is left of `lines` after `bought`: what was added while the customer was paying stays. */
export function withoutBought(lines: readonly CartLine[], bought: readonly Bought[]): CartLine[] {
  const quantities = new Map(bought.map((line) => [line._id, line.quantity]))
  return lines
    .map((line) => ({ ...line, quantity: line.quantity - (quantities.get(line._id) ?? 0) }))
    .filter((line) => line.quantity > 0)
}

const cartSlice = createSlice({
  name: 'cart',
  initialState: emptyCart,
  reducers: {
    /** A product that is already there stays as it is; the caller tells the customer. */
    add: (cart, { payload }: PayloadAction<Product>) =>
      hasProduct(cart.products, payload._id) ? cart : cartOf([...cart.products, { ...payload, quantity: 1 }]),
    increment: (cart, { payload: id }: PayloadAction<string>) => changeQuantity(cart, id, 1),
    decrement: (cart, { payload: id }: PayloadAction<string>) => changeQuantity(cart, id, -1),
    remove: (cart, { payload: id }: PayloadAction<string>) =>
      cartOf(cart.products.filter((line) => line._id !== id)),
    clear: () => emptyCart,
    /** Undoes a `clear`; what was put into the cart since then stays as it is. */
    restore: (cart, { payload }: PayloadAction<CartLine[]>) =>
      cartOf([...payload.filter((line) => !hasProduct(cart.products, line._id)), ...cart.products]),
    replaceLines: (_cart, { payload }: PayloadAction<CartLine[]>) => cartOf(payload),
    removeBought: (cart, { payload }: PayloadAction<readonly Bought[]>) =>
      payload.length === 0 ? cart : cartOf(withoutBought(cart.products, payload)),
  },
})

export const cartReducer = cartSlice.reducer
export const { add, increment, decrement, remove, clear, restore, replaceLines, removeBought } =
  cartSlice.actions

export const selectCart = (state: CartRoot): Cart => state.cart
export const selectCartLines = (state: CartRoot): CartLine[] => state.cart.products
export const selectCartCount = (state: CartRoot): number => state.cart.selectedItems
