import { newId } from '#shop/platform/ids.ts'
import type { Random } from '#shop/testing/random.ts'
import { planFor, type Plan } from './plan.ts'

type Product = { id: string; name: string; currentCents: number; isGone: boolean }
export type CartLine = { product: Product; quantity: number; seenCents: number }

export type Customer = {
  number: number
  plan: Plan
  products: Product[]
  /** For each session opened for them, the lines that they agreed to. */
  sessions: Map<string, AgreedLine[]>
  paidSessions: Set<string>
  /** What the shop has answered about their order. */
  confirmedOrders: { sessionId: string; orderId: string; createdAt: string }[]
  isOrderDeleted: boolean
}
export type AgreedLine = { name: string; priceCents: number; quantity: number }

export function newCustomer(number: number, random: Random): Customer {
  const plan = planFor(random)
  const products = plan.lines.map(({ priceCents }, index) => ({
    id: newId(),
    name: nameOf(number, index),
    currentCents: priceCents,
    isGone: false,
  }))
  return {
    number,
    plan,
    products,
    sessions: new Map(),
    paidSessions: new Set(),
    confirmedOrders: [],
    isOrderDeleted: false,
  }
}

/** The name tells whose product it is, to the proxy as well. */
function nameOf(customer: number, index: number): string {
  return `customer-${customer}-thing ${index}`
}
