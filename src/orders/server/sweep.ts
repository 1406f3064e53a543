import { reasonOf } from '#shop/platform/errors.ts'
import { runPeriodically } from '#shop/platform/run-periodically.ts'
import { expireCheckout, hasExpired, recordSession, listUnfinishedCheckouts } from './checkouts.ts'
import { createLostSessionFinder } from './lost-sessions.ts'
import { Patience } from './patience.ts'
import { listReviewedCheckouts } from './payment-breaks.ts'
import { settle, settlePayment, type SettlementParts } from './settle.ts'
import { isRefundUnknown } from './store.ts'
import type { CheckoutRow } from './tables.ts'

const sweepEveryMs = 60_000
/**
 * At the usual 0.15 s for an answer, two at once make half of the 25 requests a second that the provider allows;
 * customers need the rest. See https://docs.stripe.com/rate-limits
 */
const concurrentCheckouts = 2
/** The provider also counts requests by the month: what webhook events nearly always report is checked less often. */
const thoroughEvery = 10
const openingMs = 20_000
/** A little longer than the provider keeps sending a webhook event. */
const signalDays = 4
/** As far back as the provider lists refunds: before this start, the shop may have been down for weeks. */
const listedRefundDays = 30

/** Sweeps now and every minute, until stopped. */
export function startSweep(parts: SettlementParts) {
  let refundDays = listedRefundDays
  let sweepsUntilThorough = 0
  return runPeriodically(sweepEveryMs, async (isStopped) => {
    const isThorough = sweepsUntilThorough <= 0
    sweepsUntilThorough -= 1
    if (!(await sweep(parts, { isStopped, isThorough, refundDays }))) return
    sweepsUntilThorough = thoroughEvery - 1
    refundDays = signalDays
  })
}

/**
 * Asks the provider about every checkout that is still open, so that a paid order appears even if the customer
 * never came back and every webhook event was lost, and again about those under review. A thorough sweep includes
 * checkouts that should be over but whose delayed payment is under way, and takes over the refunds of the last
 * `refundDays` that no webhook event reported.
 *
 * @returns whether all of those refunds were looked at
 */
export async function sweep(
  parts: SettlementParts,
  { isStopped = (): boolean => false, isThorough = true, refundDays = signalDays } = {},
): Promise<boolean> {
  const work = {
    ...parts,
    findLost: createLostSessionFinder(parts.provider),
    patience: new Patience(parts, isStopped),
  }
  // Runs beside the checkouts, so that it does not wait for thousands of them.
  const refunds = isThorough && takeOverRefunds(work, daysAgo(refundDays))
  try {
    let last: CheckoutRow | undefined
    do {
      const batch = await listUnfinishedCheckouts(parts.db, { after: last, isThorough })
      last = batch.at(-1)
      const queue = batch.values()
      await Promise.all(Array.from({ length: concurrentCheckouts }, () => settleAll(work, queue)))
    } while (last && !work.patience.isOver)
    // The provider may now report correctly what it reported wrongly before.
    const reviewed = (await listReviewedCheckouts(parts.db, daysAgo(signalDays))).values()
    await settleAll(work, reviewed)
  } catch (error) {
    parts.log(`Open checkouts could not be checked, trying again in a minute: ${reasonOf(error)}`)
  }
  return refunds
}

type Work = SettlementParts & { findLost: ReturnType<typeof createLostSessionFinder>; patience: Patience }

/** A checkout that cannot be settled does not hold up the others. */
async function settleAll(work: Work, queue: Iterable<CheckoutRow>): Promise<void> {
  for (const checkout of queue) {
    if (work.patience.isOver) return
    const failure = await work.patience.attempt(() => settleCheckout(work, checkout))
    if (failure)
      work.log(`Checkout ${checkout.id} could not be settled, and is tried again: ${reasonOf(failure)}`)
  }
}

/** If nobody knows of a session for a checkout, no customer was ever shown one, so it can only expire. */
async function settleCheckout(work: Work, checkout: CheckoutRow): Promise<void> {
  const sessionId = checkout.sessionId ?? (await recoverSession(work, checkout))
  const { outcome } = sessionId ? await settle(work, sessionId) : { outcome: 'unknown' }
  if (outcome === 'unknown') await expireCheckout(work.db, checkout, hasExpired)
}

async function recoverSession({ db, findLost }: Work, checkout: CheckoutRow): Promise<string | undefined> {
  const age = Date.now() - checkout.createdAt.getTime()
  // A request may be opening its session at this moment.
  if (age >= 0 && age < openingMs) return undefined
  const found = await findLost(checkout)
  if (found) await recordSession(db, checkout.id, found)
  return found?.id
}

async function takeOverRefunds(work: Work, since: Date): Promise<boolean> {
  const { db, provider, patience, log } = work
  let isDone = true
  const reportFailure = (failure: unknown) => {
    isDone = false
    log(`Refunds could not be checked, trying again in a minute: ${reasonOf(failure)}`)
  }
  if (patience.isOver) return false
  try {
    // Newest first: earlier events of the same payment are out of date.
    const seen = new Set<string>()
    for await (const { paymentId, refundedCents } of provider.listRefunds(since)) {
      if (seen.has(paymentId)) continue
      seen.add(paymentId)
      const failure = await patience.attempt(async () => {
        if (await isRefundUnknown(db, paymentId, refundedCents)) await settlePayment(work, paymentId)
      })
      if (failure) reportFailure(failure)
      if (patience.isOver) return false
    }
  } catch (error) {
    reportFailure(error)
  }
  return isDone
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000)
}
