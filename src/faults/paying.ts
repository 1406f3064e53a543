import { setTimeout as wait } from 'node:timers/promises'
import { cards } from '#shop/testing/card-page.ts'
import type { Random } from '#shop/testing/random.ts'
import { confirmAll } from './confirmations.ts'
import type { Customer } from './customer.ts'
import type { Opened } from './opening.ts'
import { asAdmin, pay } from './shop-calls.ts'
import type { World } from './world.ts'

export async function payAndConfirm(
  world: World,
  customer: Customer,
  session: Opened,
  random: Random,
): Promise<void> {
  const { plan, number } = customer
  const note = (text: string) => world.chronicle.note(text, number)
  if (plan.card === 'never') return note('never pays')
  if (plan.card === 'expires') {
    await world.stripe.checkout.sessions.expire(session.id)
    note('the session is made to expire')
    return confirmAll(world, customer, session.id, 1)
  }
  if (plan.card === 'declinedFirst') await pay(session.url, cards.declined)
  if (plan.waitsAt === 'paying') await world.gate.pass()
  const isWhilePaying = plan.confirms === 'whilePaying'
  const early = isWhilePaying ? confirmAll(world, customer, session.id, 3) : undefined
  const card = plan.card === 'authorizes' ? cards.needsAuthorization : cards.pays
  const paid = await Promise.all(Array.from({ length: plan.paysTwice ? 2 : 1 }, () => pay(session.url, card)))
  if (!paid.every(Boolean)) throw new Error(`customer ${number} could not pay`)
  customer.paidSessions.add(session.id)
  note(`has paid ${session.id.slice(0, 18)}…`)
  await early
  if (plan.waitsAt === 'confirming') await world.gate.pass()
  const times = { never: 0, once: 1, few: random.int(2, 6), burst: 50, whilePaying: 1 }[plan.confirms]
  await confirmAll(world, customer, session.id, times)
  await playAfterPayment(world, customer, session.id, random)
}

/** What may happen to an order later: it is refunded, an admin deletes it, the customer reloads its page. */
async function playAfterPayment(
  world: World,
  customer: Customer,
  sessionId: string,
  random: Random,
): Promise<void> {
  const { plan, number, confirmedOrders } = customer
  const note = (text: string) => world.chronicle.note(text, number)
  if (plan.refund !== 'nothing') {
    await wait(random.int(0, 2000))
    const { payment_intent: intent, amount_total } = await world.stripe.checkout.sessions.retrieve(sessionId)
    const payment_intent = typeof intent === 'string' ? intent : (intent?.id ?? '')
    const all = amount_total ?? 0
    const part = Math.max(1, Math.floor(all * random.next() * 0.6))
    const amounts = { part: [part], all: [all], twice: [part, all - part] }[plan.refund]
    for (const amount of amounts) {
      await world.stripe.refunds.create({ payment_intent, amount })
      note(`gets ${amount} cents back`)
    }
  }
  const orderId = confirmedOrders[0]?.orderId
  if (!plan.orderIsDeleted || !orderId) return
  customer.isOrderDeleted = true
  const status = await asAdmin(world, { method: 'DELETE', path: `/api/orders/delete-order/${orderId}` })
  note(`an admin deletes the order: ${status}`)
  await confirmAll(world, customer, sessionId, 2)
}
