import assert from 'node:assert/strict'
import Stripe from 'stripe'
import { webhookSecret, type Answer, type TestApp } from './test-app.ts'

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
