import { centsFromDollars, dollarsFromCents, totalCents } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'

export function lineTotal({ price, quantity }: Order['lines'][number]): number {
  return dollarsFromCents(totalCents([{ priceCents: centsFromDollars(price), quantity }]))
}
