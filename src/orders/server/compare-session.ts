import { totalCents } from '#shop/contract/money.ts'
import type { ListedSession } from './stripe-mapping.ts'

/** What the shop has recorded for a session. */
export type ShopSide = {
  orders: ComparedOrder[]
  checkout: { id: string } | undefined
  paymentBreak: { closedAt: Date | null } | undefined
}

export type ComparedOrder = {
  id: string
  sessionId: string
  paymentId: string
  checkoutId: string
  amountCents: number
  refundedCents: number
  currency: string
  lines: { name: string; priceCents: number; quantity: number }[]
}

export type Difference = {
  kind: string
  sessionId: string
  /** What the shop has and what the provider has, in a sentence. */
  description: string
  todo: string
  /** Settling the session again repairs it, and can do no harm. */
  isRepairable: boolean
}

const settleAdvice = 'Repair with --repair: the session is settled anew.'
const reviewAdvice = 'Look at both, then correct the order by hand or refund it at the provider.'
const manualSettlementAdvice =
  'Refund it at the provider, or settle it with the customer and mark it as settled under All Orders.'

/**
 * For every session that the provider calls paid there is exactly one order with exactly the paid amount, currency
 * and lines; for every other session there is none.
 */
export function compareSession(session: ListedSession, shop: ShopSide): Difference[] {
  const createDifference = (
    kind: string,
    description: string,
    todo: string,
    isRepairable = false,
  ): Difference => ({
    kind,
    sessionId: session.id,
    description,
    todo,
    isRepairable,
  })
  const [order, ...more] = shop.orders
  const isPaid = session.payment !== 'unpaid'
  if (!isPaid) {
    return order
      ? [createDifference('not paid', `Order ${order.paymentId} belongs to an unpaid session.`, reviewAdvice)]
      : []
  }
  if (!order) {
    if (session.isGivenBack || shop.paymentBreak?.closedAt || isForeign(session, shop)) return []
    const paid = `Paid with ${session.paymentId ?? 'no payment'}, ${money(session)}`
    if (!shop.checkout) {
      const todo =
        'If another shop uses the same account, it is theirs. If not, rows are missing here: refund it at the provider.'
      return [
        createDifference('unknown checkout', `${paid}, for a checkout that is not in the database.`, todo),
      ]
    }
    if (shop.paymentBreak)
      return [createDifference('needs review', `${paid}, but not what was recorded.`, manualSettlementAdvice)]
    return [createDifference('missing order', `${paid}, and there is no order.`, settleAdvice, true)]
  }
  const found = facts(session, order)
    .filter(({ recorded, paid }) => recorded !== paid)
    .map(({ kind, recorded, paid }) =>
      createDifference(kind, `Order ${order.paymentId} has ${recorded}, the provider ${paid}.`, reviewAdvice),
    )
  if (more.length) {
    const ids = shop.orders.map(({ id }) => id).join(', ')
    found.push(
      createDifference('two orders', `${shop.orders.length} orders for one session: ${ids}.`, reviewAdvice),
    )
  }
  if (order.refundedCents !== session.refundedCents) {
    const [here, there] = [order.refundedCents, session.refundedCents]
    const description = `Order ${order.paymentId} has ${here} cents refunded, the provider ${there}.`
    found.push(
      createDifference('refund', description, here < there ? settleAdvice : reviewAdvice, here < there),
    )
  }
  return found
}

/** The session neither names a checkout nor is recorded for one. */
export const isForeign = (session: ListedSession, { checkout }: ShopSide) =>
  session.checkoutId === null && checkout === undefined

function facts(session: ListedSession, order: ComparedOrder) {
  const sum = totalCents(order.lines)
  return [
    { kind: 'amount', recorded: `${order.amountCents} cents`, paid: `${session.amountCents} cents` },
    { kind: 'currency', recorded: order.currency, paid: session.currency },
    { kind: 'lines', recorded: linesText(order.lines), paid: linesText(session.lines) },
    { kind: 'sum', recorded: `lines of ${sum} cents`, paid: `lines of ${session.amountCents} cents` },
    { kind: 'payment', recorded: order.paymentId, paid: session.paymentId ?? 'none' },
    { kind: 'reference', recorded: order.checkoutId, paid: session.checkoutId ?? 'none' },
    {
      kind: 'mode',
      recorded: 'a payment in our mode',
      paid: session.isOurMode ? 'a payment in our mode' : 'one in the other',
    },
  ]
}

function linesText(lines: ComparedOrder['lines']): string {
  return lines
    .map(({ name, priceCents, quantity }) => `${quantity} × ${name.trim()} at ${priceCents} cents`)
    .sort()
    .join(', ')
}

/** Every order belongs to exactly one paid session, but the provider does not know this order's session. */
export function withoutSession(order: ComparedOrder): Difference {
  return {
    kind: 'no session',
    sessionId: order.sessionId,
    description: `Order ${order.paymentId} belongs to a session that the provider does not know.`,
    todo: 'Was the shop on another account or mode when it was made? Otherwise delete the order.',
    isRepairable: false,
  }
}

function money({ amountCents, currency }: ListedSession): string {
  return `${amountCents} cents (${currency})`
}
