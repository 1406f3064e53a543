import type { ProviderSession } from './stripe-mapping.ts'
import type { CheckoutRow } from './tables.ts'

type Verdict =
  | { kind: 'paid'; paymentId: string }
  | { kind: 'unpaid' }
  /** The customer is done, but a delayed payment, such as a debit, takes days to arrive or to fail. */
  | { kind: 'pending' }
  | { kind: 'expired' }
  | { kind: 'break'; reason: string; recorded: string; reported: string }

/**
 * What a session means for its checkout. An authentic message is not enough: amount, currency and reference must
 * be the recorded ones, or a paid dollar would buy everything.
 */
export function assess(session: ProviderSession, checkout: CheckoutRow): Verdict {
  if (session.payment === 'unpaid') return { kind: unpaidKinds[session.state] }
  const difference = differences(session, checkout).find(({ recorded, reported }) => recorded !== reported)
  if (difference) return { kind: 'break', ...difference }
  // It is paid, as `differences` has checked. Without the payment's id it could not be refunded or found again.
  if (!session.paymentId) return { kind: 'break', reason: 'payment', recorded: 'an id', reported: 'none' }
  return { kind: 'paid', paymentId: session.paymentId }
}

const unpaidKinds = { open: 'unpaid', complete: 'pending', expired: 'expired' } as const

function differences(session: ProviderSession, checkout: CheckoutRow) {
  return [
    { reason: 'payment', recorded: 'paid', reported: session.payment },
    { reason: 'amount', recorded: `${checkout.amountCents}`, reported: `${session.amountCents}` },
    { reason: 'currency', recorded: checkout.currency, reported: session.currency },
    { reason: 'mode', recorded: 'ours', reported: session.isOurMode ? 'ours' : 'the other' },
    { reason: 'reference', recorded: checkout.id, reported: session.checkoutId ?? 'none' },
    { reason: 'session', recorded: checkout.sessionId ?? session.id, reported: session.id },
  ]
}
