/** What the provider stores. Records are replaced whole, never changed in place. */
export type Line = {
  id: string
  name: string
  description: string | null
  images: string[]
  metadata: Record<string, string>
  productMetadata: Record<string, string>
  unitAmountCents: number
  quantity: number
}

/** Of a card, only what a receipt prints is stored. */
export type Payer = {
  email: string
  name: string
  last4: string
  expMonth: number
  expYear: number
  /** Unset when no address was asked for. */
  shipping?: Shipping
}

/** The delivery address; '' for each part that was left out. */
export type Shipping = {
  name: string
  line1: string
  line2: string
  city: string
  state: string
  postalCode: string
  country: string
}

export type SessionRecord = {
  id: string
  createdAt: number
  expiresAt: number
  status: 'open' | 'complete' | 'expired'
  lines: Line[]
  amountCents: number
  currency: string
  successUrl: string
  cancelUrl: string | null
  clientReferenceId: string | null
  customerEmail: string | null
  /** Country codes; unset when no address is asked for. */
  shipTo?: string[]
  metadata: Record<string, string>
  paymentMetadata: Record<string, string>
  /** The payer whose bank still waits for an authorization. */
  awaiting: Payer | null
  payer: Payer | null
  paymentId: string | null
}

/** One record is both Stripe's payment intent and its only charge. */
export type PaymentRecord = {
  id: string
  createdAt: number
  amountCents: number
  refundedCents: number
  currency: string
  metadata: Record<string, string>
  payer: Payer
}

export type RefundRecord = {
  id: string
  createdAt: number
  paymentId: string
  amountCents: number
  currency: string
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null
  metadata: Record<string, string>
  hasFailed?: boolean
}

/** `object` is a snapshot of the session, charge or refund as it was when the event happened. */
export type EventRecord = { id: string; createdAt: number; type: string; object: object }

export type DeliveryRecord = {
  /** The event's id. */
  id: string
  attempts: number
  state: 'pending' | 'delivered' | 'abandoned'
}

/** `id` is the idempotency key. */
export type AnswerRecord = {
  id: string
  createdAt: number
  fingerprint: string
  status: number
  body: string
}

export type Tables = {
  sessions: SessionRecord
  payments: PaymentRecord
  refunds: RefundRecord
  events: EventRecord
  deliveries: DeliveryRecord
  answers: AnswerRecord
}

export type TableName = keyof Tables
export type Change = { [Name in TableName]: [table: Name, record: Tables[Name]] }[TableName]
