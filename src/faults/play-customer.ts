import type { Random } from '#shop/testing/random.ts'
import { confirmAll } from './confirmations.ts'
import type { Customer } from './customer.ts'
import { openCheckout } from './opening.ts'
import { payAndConfirm } from './paying.ts'
import type { Plan } from './plan.ts'
import { asAdmin } from './shop-calls.ts'
import type { World } from './world.ts'

/** Plays one customer, from the cart to whatever becomes of it. */
export async function playCustomer(world: World, customer: Customer, random: Random): Promise<void> {
  const { plan, number } = customer
  const note = (text: string) => world.chronicle.note(text, number)
  const user = plan.isSignedIn ? await world.makeUser() : undefined
  if (plan.getsWrongTotal) world.providerProxy.wrongTotalsFor.add(number)
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
