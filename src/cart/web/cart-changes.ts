import type { CurrentLines } from '#shop/orders/contract.ts'
import type { CartLine } from './cart.ts'

/** The shop's answer about the product `ids`: which products it still has, and at what price. */
export type ShopAnswer = { ids: string[]; products: CurrentLines['products'] }

export type LineChange = { kind: 'same' } | { kind: 'gone' } | { kind: 'price'; now: number }

/** A line added after the shop was asked is not in its answer, and not gone either. */
export function changeOf(line: CartLine, answer: ShopAnswer): LineChange {
  const current = answer.products.find((product) => product._id === line._id)
  if (!current) return { kind: answer.ids.includes(line._id) ? 'gone' : 'same' }
  return current.price === line.price ? { kind: 'same' } : { kind: 'price', now: current.price }
}

export function hasChanges(lines: readonly CartLine[], answer: ShopAnswer): boolean {
  return lines.some((line) => changeOf(line, answer).kind !== 'same')
}

/** The cart as the shop has it now, with the customer's own quantities. */
export function updatedLines(lines: readonly CartLine[], answer: ShopAnswer): CartLine[] {
  return lines
    .filter((line) => changeOf(line, answer).kind !== 'gone')
    .map((line) => {
      const current = answer.products.find((product) => product._id === line._id)
      return { ...line, ...current, quantity: line.quantity }
    })
}
