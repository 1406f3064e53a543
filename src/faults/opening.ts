import { newId } from '#shop/platform/ids.ts'
import type { Random } from '#shop/testing/random.ts'
import type { CartLine, Customer } from './customer.ts'
import type { Plan } from './plan.ts'
import { callUntilAnswered, type Reply } from './shop-calls.ts'
import type { World } from './world.ts'

export type Opened = { id: string; url: string }
type Changed = { code: string; data?: { products: { _id: string; price: number }[] } }

/** Retries until the shop and the customer agree on lines and prices, or nothing is left of the cart. */
export async function openCheckout(
  world: World,
  customer: Customer,
  cart: CartLine[],
  random: Random,
  headers: Record<string, string>,
): Promise<Opened | undefined> {
  const { plan, number } = customer
  const { chronicle } = world
  const forged = plan.price === 'forged' ? { cents: random.int(1, 49) } : undefined
  if (plan.waitsAt === 'opening') await world.gate.pass()
  let lines = cart
  let price: Plan['price'] = plan.price
  while (lines.length) {
    const body = {
      products: lines.map(({ product, quantity, seenCents }) => ({
        _id: product.id,
        quantity,
        ...(price !== 'none' && { price: (price === 'forged' ? (forged?.cents ?? 1) : seenCents) / 100 }),
      })),
    }
    const key = plan.hasKey ? { 'idempotency-key': `key-${newId()}` } : undefined
    const call = {
      method: 'POST',
      path: '/api/orders/create-checkout-session',
      body,
      headers: { ...headers, ...key },
    } as const
    const clicks = plan.clicksTwice && key ? 2 : 1
    const replies = await Promise.all(
      Array.from({ length: clicks }, () => callUntilAnswered<Opened & Changed>(world, call, number)),
    )
    const opened = replies.filter(({ status }) => status === 201).map((reply) => reply.body)
    chronicle.note(
      `opens a checkout: ${replies.map(({ status, body: said }) => `${status} ${said?.code ?? ''}`).join(', ')}`,
      number,
    )
    for (const { id } of opened) remember(customer, id, lines)
    const [session] = opened
    if (session) {
      if (opened.some(({ id }) => id !== session.id))
        chronicle.addViolation('Two clicks opened two sessions', number)
      if (price === 'forged') chronicle.addViolation('A price that the customer made up was taken', number)
      return checkSold(world, customer, lines, session)
    }
    const changed = replies.find(({ body }) => body?.code === 'cart_changed')
    if (!changed) return checkRefusal(world, customer, replies)
    lines = takeOver(lines, changed.body.data?.products ?? [])
    if (price === 'forged') price = 'seen'
  }
  return undefined
}

function remember(customer: Customer, sessionId: string, lines: CartLine[]): void {
  customer.sessions.set(
    sessionId,
    lines.map(({ product, quantity }) => ({
      name: product.name,
      priceCents: product.currentCents,
      quantity,
    })),
  )
}

function checkRefusal(world: World, { number }: Customer, replies: Reply<Changed>[]): undefined {
  const isTooCheap = replies.every(({ status }) => status === 400)
  // A user who was deleted a moment ago gets 401.
  const isSignedOut = replies.some(({ status }) => status === 401)
  // The missing response has been reported already.
  const isUnheard = replies.every(({ status }) => status === 0 || status === 503)
  if (!isTooCheap && !isSignedOut && !isUnheard) {
    world.chronicle.addViolation(`A cart was refused with ${JSON.stringify(replies)}`, number)
  }
}

/** What a customer agrees to is what the shop has at that time, so it can include nothing that was deleted. */
function checkSold(world: World, { number }: Customer, lines: CartLine[], session: Opened): Opened {
  for (const { product } of lines) {
    if (product.isGone) world.chronicle.addViolation(`${product.name} was sold after it was deleted`, number)
  }
  return session
}

function takeOver(lines: CartLine[], current: { _id: string; price: number }[]): CartLine[] {
  return lines.flatMap((line) => {
    const now = current.find(({ _id }) => _id === line.product.id)
    return now ? [{ ...line, seenCents: Math.round(now.price * 100) }] : []
  })
}
