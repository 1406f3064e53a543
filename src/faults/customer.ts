import { newId } from '#shop/platform/ids.ts'
import { confirmAll } from './confirmations.ts'
import { openCheckout } from './opening.ts'
import { payAndConfirm } from './paying.ts'
import { planFor, type Plan } from './plan.ts'
import type { Random } from './random.ts'
import { asAdmin } from './shop-calls.ts'
import type { World } from './world.ts'

type Product = { id: string; name: string; currentCents: number; isGone: boolean }
export type CartLine = { product: Product; quantity: number; seenCents: number }

export type Customer = {
  number: number
  plan: Plan
  products: Product[]
  /** What each session that was opened for them sells, as they agreed to it. */
  sessions: Map<string, AgreedLine[]>
  paidSessions: Set<string>
  /** What the shop has told them about their order. */
  told: { sessionId: string; orderId: string; createdAt: string }[]
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
    told: [],
    isOrderDeleted: false,
  }
}

/** Says whose it is, to the proxy too. */
function nameOf(customer: number, index: number): string {
  return `customer-${customer}-thing ${index}`
}

/** From the cart to whatever becomes of it. */
export async function live(world: World, customer: Customer, random: Random): Promise<void> {
  const { plan, number } = customer
  const note = (text: string) => world.chronicle.note(text, number)
  const user = plan.isSignedIn ? await world.makeUser() : undefined
  if (plan.isLiedTo) world.providerProxy.liesTo.add(number)
  const cart = plan.lines.flatMap(({ quantity }, index) => {
    const product = customer.products[index]
    return product ? [{ product, quantity, seenCents: product.currentCents }] : []
  })
  await changeCatalogue(world, customer, plan.changeBefore, random)
  const session = await openCheckout(world, customer, cart, random, user?.headers ?? {})
  if (!session) return note('goes without buying')
  await changeCatalogue(world, customer, plan.changeAfter, random)
  if (user && plan.isDeletedBeforePaying) {
    note(
      `their account is deleted: ${await asAdmin(world, { method: 'DELETE', path: `/api/auth/users/${user.id}` })}`,
    )
  }
  if (plan.confirmsEarly) await confirmAll(world, customer, session.id, 1)
  await payAndConfirm(world, customer, session, random)
}

async function changeCatalogue(
  world: World,
  { products, number }: Customer,
  change: Plan['changeBefore'],
  random: Random,
): Promise<void> {
  if (change === 'nothing') return
  const product = random.pick(products)
  if (product.isGone) return
  if (change === 'deletion') {
    await asAdmin(world, { method: 'DELETE', path: `/api/products/${product.id}` })
    product.isGone = true
  } else {
    const cents = random.int(50, 20_000)
    const path = `/api/products/update-product/${product.id}`
    await asAdmin(world, { method: 'PATCH', path, body: { price: cents / 100 } })
    product.currentCents = cents
  }
  world.chronicle.note(`admin: ${change} of ${product.name}, now ${product.currentCents}`, number)
}
