import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { holdUser } from '#shop/accounts/server/store.ts'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { coalesceRuns } from '#shop/platform/coalesce-runs.ts'
import { transaction } from '#shop/platform/statements.ts'
import { assess } from './assess-session.ts'
import { expireCheckout, findCheckoutOf, finishCheckout, lockCheckout } from './checkouts.ts'
import { insertBreak, isClosedBreak, markGivenBack, removeBreak } from './payment-breaks.ts'
import { findOrderOfSession, findSettledOrder, insertOrder, recordRefund, type OrderRow } from './store.ts'
import type { PaymentProvider } from './stripe.ts'
import type { ProviderSession } from './stripe-mapping.ts'
import type { CheckoutRow } from './tables.ts'

export type SettlementParts = { db: NodePgDatabase; provider: PaymentProvider; log: (line: string) => void }

export type Settlement =
  | { outcome: 'ordered'; order: OrderRow }
  | { outcome: 'unpaid' | 'pending' | 'expired' | 'review' | 'unknown' }

/**
 * Makes what the provider says about a session true in the shop: a paid session has exactly one order, an unpaid
 * one has none. The customer's return, the webhook and the sweep all call this, in any order, at once and as often
 * as they like. What cannot be settled now throws, and is tried again later. Within one process, calls for the
 * same session run one after the other, so only the first finds something to do.
 */
export function settle(parts: SettlementParts, sessionId: string): Promise<Settlement> {
  return settleRunnerOf(parts.provider)(sessionId, parts)
}

/** Waits until the run for this session that is going on in this process, if any, has ended or failed. */
export function waitForSettling({ provider }: SettlementParts, sessionId: string): Promise<void> {
  return settleRunnerOf(provider).ended(sessionId)
}

const settleRunners = new WeakMap<PaymentProvider, ReturnType<typeof createSettleRunner>>()
const createSettleRunner = () =>
  coalesceRuns((sessionId: string, parts: SettlementParts) => settleOnce(parts, sessionId))

function settleRunnerOf(provider: PaymentProvider): ReturnType<typeof createSettleRunner> {
  const runner = settleRunners.get(provider) ?? createSettleRunner()
  settleRunners.set(provider, runner)
  return runner
}

async function settleOnce(parts: SettlementParts, sessionId: string): Promise<Settlement> {
  const session = await parts.provider.findSession(sessionId)
  const checkout = session && (await findCheckoutOf(parts.db, session))
  if (!session || !checkout) return { outcome: 'unknown' }
  const verdict = assess(session, checkout)
  switch (verdict.kind) {
    case 'unpaid':
    case 'pending':
      return { outcome: verdict.kind }
    case 'expired':
      // If another session is recorded for this checkout, the end of this one says nothing about it.
      if ((checkout.sessionId ?? session.id) === session.id) await expireCheckout(parts.db, checkout)
      return { outcome: 'expired' }
    case 'break':
      return recordBreak(parts, session, checkout, verdict)
    case 'paid':
      return makeOrder(parts, session, checkout, verdict.paymentId)
  }
}

/** Refund events name only the payment. Settling its session makes the order if need be and records the refund. */
export async function settlePayment(parts: SettlementParts, paymentId: string): Promise<Settlement> {
  const sessionId = await parts.provider.findSessionOfPayment(paymentId)
  return sessionId ? settle(parts, sessionId) : { outcome: 'unknown' }
}

async function makeOrder(
  parts: SettlementParts,
  session: ProviderSession,
  checkout: CheckoutRow,
  paymentId: string,
): Promise<Settlement> {
  // The webhook event and the customer's return both lead here; the second mostly finds nothing left to do.
  const settled = checkout.state === 'paid' && (await findSettledOrder(parts.db, session))
  if (settled) return { outcome: 'ordered', order: settled }
  const { email, shippingAddress } = session
  const paid = { sessionId: session.id, paymentId, email, shippingAddress }
  const making = transaction(parts.db, async (tx) => {
    // The new order's reference would lock the user too, but only after the checkout.
    if (checkout.userId) await holdUser(tx, checkout.userId)
    await lockCheckout(tx, checkout.id)
    // If an admin has closed this session's break, no order is made, whatever the provider reports now.
    if (checkout.state === 'review' && (await isClosedBreak(tx, session.id))) return undefined
    const found = (await insertOrder(tx, checkout, paid)) ?? (await findOrderOfSession(tx, session.id))
    if (found) {
      await finishCheckout(tx, checkout.id, 'paid', session.id)
      await removeBreak(tx, session.id)
    }
    return found
  })
  // After a timeout while waiting for a lock, or a lost answer to COMMIT, the order may be there all the same.
  const order = await making.catch(async (error: unknown) => {
    const done = isDatabaseUnavailable(error) && (await findSettledOrder(parts.db, session))
    if (done) return done
    throw error
  })
  if (order) {
    if (order.refundedCents !== session.refundedCents) await followRefund(parts, session.id)
    return { outcome: 'ordered', order }
  }
  // Another session's order holds this payment or this checkout: money came in twice for one thing. A break that
  // an admin has closed also comes here, and stays as it is.
  const twice = { reason: 'order', recorded: 'one for this checkout', reported: 'another session or payment' }
  return recordBreak(parts, session, checkout, twice)
}

const mostReadings = 3

/**
 * Records how much has been refunded, which becomes less when a refund fails. The order is read before the
 * provider is asked, and is updated only if it still has the amount that was read. So of several runs at once,
 * none replaces a newer answer with an older one.
 */
async function followRefund({ db, provider }: SettlementParts, sessionId: string): Promise<void> {
  for (let reading = 0; reading < mostReadings; reading += 1) {
    const order = await findOrderOfSession(db, sessionId)
    const session = await provider.findSession(sessionId)
    if (!order || !session) return
    if (await recordRefund(db, order, session.refundedCents)) return
  }
  throw unavailable('try_again', 'The refund could not be recorded. Please try again.', 1)
}

async function recordBreak(
  parts: SettlementParts,
  session: ProviderSession,
  checkout: CheckoutRow,
  difference: { reason: string; recorded: string; reported: string },
): Promise<Settlement> {
  const { reason, recorded, reported } = difference
  const isNew = await transaction(parts.db, async (tx) => {
    await lockCheckout(tx, checkout.id)
    await finishCheckout(tx, checkout.id, 'review', session.id)
    if (session.isGivenBack) return void (await markGivenBack(tx, session.id))
    return insertBreak(tx, { sessionId: session.id, checkoutId: checkout.id, reason, recorded, reported })
  })
  if (isNew) {
    parts.log(
      `Payment needs review: ${session.id} differs in ${reason}: ${recorded} recorded, ${reported} paid`,
    )
  }
  return { outcome: 'review' }
}
