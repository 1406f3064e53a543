import { isDatabaseUnavailable } from '#shop/platform/database.ts'
import { ShopError } from '#shop/platform/errors.ts'
import { reasonOf } from '#shop/platform/problems.ts'
import {
  expireCheckout,
  listReviewedCheckouts,
  listUnfinishedCheckouts,
  type CheckoutRow,
} from './checkouts.ts'
import { settle, settlePayment, type Settling } from './settle.ts'
import { isRefundUnknown } from './store.ts'
import { isRefusal } from './stripe.ts'

const sweepEveryMs = 60_000
const atOnce = 4
const mostFailuresInARow = 12
/** A little longer than the provider goes on sending a signal. */
const signalDays = 4

/** Sweeps now and every minute, until stopped; a sweep that takes longer is not overtaken by the next. */
export function startSweep(parts: Settling): { stop(): Promise<void> } {
  let running = Promise.resolve()
  let isStopped = false
  const run = () => {
    running = running.then(() => (isStopped ? undefined : sweep(parts, () => isStopped)))
  }
  const timer = setInterval(run, sweepEveryMs)
  run()
  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Asks the provider about every checkout that is still open: a paid order appears even if the customer never came
 * back and every webhook was lost. Asks again about those that were paid otherwise than recorded. Then takes over the
 * refunds that no signal told of.
 */
export async function sweep(parts: Settling, isStopped = () => false): Promise<void> {
  try {
    const patience = { failuresInARow: 0 }
    let last: CheckoutRow | undefined
    do {
      const batch = await listUnfinishedCheckouts(parts.db, last)
      last = batch.at(-1)
      const queue = batch.values()
      await Promise.all(Array.from({ length: atOnce }, () => settleAll(parts, queue, patience, isStopped)))
    } while (last && !isStopped())
    // What was reported wrongly once may be reported rightly now.
    const reviewed = (await listReviewedCheckouts(parts.db, daysAgo(signalDays))).values()
    await settleAll(parts, reviewed, patience, isStopped)
  } catch (error) {
    parts.log(`Open checkouts will be looked at again in a minute: ${reasonOf(error)}`)
  }
  await takeOverRefunds(parts, isStopped)
}

/** Neither says anything about the one checkout that was asked about, unless it was this one that was refused. */
const isUnanswered = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof ShopError && error.status === 503 && !isRefusal(error))

/** One that can not be settled does not keep the others waiting, unless nobody answers many times in a row. */
async function settleAll(
  parts: Settling,
  queue: Iterable<CheckoutRow>,
  patience: { failuresInARow: number },
  isStopped: () => boolean,
): Promise<void> {
  for (const checkout of queue) {
    if (isStopped() || patience.failuresInARow >= mostFailuresInARow) return
    try {
      await settleCheckout(parts, checkout)
      patience.failuresInARow = 0
    } catch (error) {
      if (isUnanswered(error)) patience.failuresInARow += 1
      parts.log(`Checkout ${checkout.id} will be looked at again in a minute: ${reasonOf(error)}`)
    }
  }
}

/** One whose session we never got to know was never shown to anybody, so it can only expire. */
async function settleCheckout(parts: Settling, checkout: CheckoutRow): Promise<void> {
  const { outcome } = checkout.sessionId ? await settle(parts, checkout.sessionId) : { outcome: 'unknown' }
  const isOver = checkout.expiresAt.getTime() < Date.now()
  if (outcome === 'unknown' && isOver) await expireCheckout(parts.db, checkout.id)
}

async function takeOverRefunds(parts: Settling, isStopped: () => boolean): Promise<void> {
  if (isStopped()) return
  const again = (error: unknown) =>
    parts.log(`Refunds will be looked for again in a minute: ${reasonOf(error)}`)
  try {
    let failuresInARow = 0
    for await (const { paymentId, refundedCents } of parts.provider.listRefundedPayments(
      daysAgo(signalDays),
    )) {
      if (isStopped() || failuresInARow >= mostFailuresInARow) return
      try {
        if (await isRefundUnknown(parts.db, paymentId, refundedCents)) await settlePayment(parts, paymentId)
        failuresInARow = 0
      } catch (error) {
        if (isUnanswered(error)) failuresInARow += 1
        again(error)
      }
    }
  } catch (error) {
    again(error)
  }
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000)
}
