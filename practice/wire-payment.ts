import type Stripe from 'stripe'
import type { Payer, PaymentRecord, RefundRecord } from './records.ts'
import { unusedOfCard, unusedOfCharge, unusedOfPaymentIntent } from './wire-unused.ts'
import { toSeconds } from './wire.ts'

/** A payment has one charge, and either id leads to it. */
function chargeIdOf(paymentId: string): string {
  return paymentId.replace('pi_', 'ch_')
}

/** Returns '' for an id that is not a charge's, so that a payment's own id does not pass for one. */
export function paymentIdOf(chargeId: string): string {
  return chargeId.startsWith('ch_') ? chargeId.replace('ch_', 'pi_') : ''
}

export function toPaymentIntent(payment: PaymentRecord): Stripe.PaymentIntent {
  return {
    ...unusedOfPaymentIntent,
    id: payment.id,
    object: 'payment_intent',
    amount: payment.amountCents,
    amount_received: payment.amountCents,
    created: toSeconds(payment.createdAt),
    currency: payment.currency,
    latest_charge: chargeIdOf(payment.id),
    livemode: false,
    metadata: payment.metadata,
    status: 'succeeded',
  }
}

export function toCharge(payment: PaymentRecord): Stripe.Charge {
  const { payer } = payment
  return {
    ...unusedOfCharge,
    id: chargeIdOf(payment.id),
    object: 'charge',
    amount: payment.amountCents,
    amount_captured: payment.amountCents,
    amount_refunded: payment.refundedCents,
    billing_details: { address: null, email: payer.email, name: payer.name, phone: null, tax_id: null },
    created: toSeconds(payment.createdAt),
    currency: payment.currency,
    livemode: false,
    metadata: payment.metadata,
    paid: true,
    payment_intent: payment.id,
    payment_method_details: { type: 'card', card: toCard(payer, payment.amountCents) },
    refunded: payment.refundedCents === payment.amountCents,
    status: 'succeeded',
  }
}

export function toRefund(refund: RefundRecord): Stripe.Refund {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amountCents,
    balance_transaction: null,
    charge: chargeIdOf(refund.paymentId),
    created: toSeconds(refund.createdAt),
    currency: refund.currency,
    customer: null,
    customer_account: null,
    metadata: refund.metadata,
    payment_intent: refund.paymentId,
    payment_method: null,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.hasFailed ? 'failed' : 'succeeded',
    transfer_reversal: null,
  }
}

function toCard(payer: Payer, amountCents: number): Stripe.Charge.PaymentMethodDetails.Card {
  return {
    ...unusedOfCard,
    amount_authorized: amountCents,
    brand: 'visa',
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    exp_month: payer.expMonth,
    exp_year: payer.expYear,
    funding: 'credit',
    last4: payer.last4,
    network: 'visa',
  }
}
