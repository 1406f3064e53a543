import assert from 'node:assert/strict'
import Stripe from 'stripe'
import { webhookSecret, type Answer, type TestApp } from './test-app.ts'

export const cards = {
  pays: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  needsAuthorization: '4000 0025 0000 3155',
  refundsFail: '4000 0000 0000 5126',
} as const

type Line = { _id: string; quantity: number; price?: number }

/** Opens a checkout session for these lines, as the shop's page does. */
export async function openSession(
  shop: TestApp,
  products: Line[],
  headers: Record<string, string> = {},
): Promise<{ id: string; url: string }> {
  const payload = { products }
  const url = '/api/orders/create-checkout-session'
  const { status, body } = await shop.call<{ id: string; url: string }>({
    method: 'POST',
    url,
    payload,
    headers,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Submits the card page as a customer would; returns the redirect's target, or null when there is none. */
export async function pay(
  url: string,
  card: string = cards.pays,
  more: Record<string, string> = {},
): Promise<string | null> {
  const payer = { email: 'guest@example.com', name: 'G. Uest', ...more }
  const form = { ...payer, number: card, expiry: '12/40', cvc: '123' }
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return response.headers.get('location')
}

export function confirm<T = { data: { orderId: string; status: string } }>(
  shop: TestApp,
  sessionId: unknown,
  remoteAddress = '127.0.0.1',
): Promise<Answer<T>> {
  return shop.call<T>({
    method: 'POST',
    url: '/api/orders/confirm-payment',
    payload: { session_id: sessionId },
    remoteAddress,
  })
}

/** Sends an event to the shop's webhook, as the provider does. */
export function signal(
  shop: TestApp,
  type: string,
  object: object,
  secret = webhookSecret,
): Promise<Answer<unknown>> {
  const payload = JSON.stringify({ id: 'evt_test', object: 'event', type, data: { object } })
  const signature = practiceStripe(shop).webhooks.generateTestHeaderString({ payload, secret })
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
  return shop.call({ method: 'POST', url: '/api/payments/webhook', payload, headers })
}

/** A client of the practice provider that is not the shop's. */
export function practiceStripe(shop: TestApp): Stripe {
  const { hostname, port } = new URL(shop.practice.url)
  return new Stripe('sk_test_practice', { host: hostname, port, protocol: 'http', telemetry: false })
}
