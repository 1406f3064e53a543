import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import Stripe from 'stripe'
import { listen } from '#shop/testing/listen.ts'
import { startPractice } from './server.ts'
import type { Practice, PracticeOptions } from './server.ts'

export const secret = 'whsec_practice'
export const shopUrl = 'http://localhost:3000'

export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'practice-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

type Started = { practice: Practice; stripe: Stripe; folder: string }

export async function startForTest(t: TestContext, options: Partial<PracticeOptions> = {}): Promise<Started> {
  const folder = options.folder ?? (await makeFolder(t))
  const practice = await startPractice({
    port: 0,
    folder,
    webhookSecret: secret,
    ...options,
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= practice.close())
  t.after(close)
  return { practice: { ...practice, close }, stripe: clientOf(practice.port), folder }
}

export function clientOf(port: number): Stripe {
  return new Stripe('sk_test_practice', { host: 'localhost', port, protocol: 'http', telemetry: false })
}

export function cartOf(...lines: [name: string, cents: number, quantity: number][]) {
  return lines.map(([name, unit_amount, quantity]) => ({
    quantity,
    price_data: { currency: 'usd', unit_amount, product_data: { name } },
  }))
}

export const checkout = {
  mode: 'payment',
  line_items: cartOf(['Oxford shirt', 5900, 2], ['Belt', 456, 1]),
  success_url: `${shopUrl}/success?session_id={CHECKOUT_SESSION_ID}`,
  cancel_url: `${shopUrl}/shop`,
  client_reference_id: 'checkout-1',
  metadata: { checkout_id: 'checkout-1' },
  payment_intent_data: { metadata: { checkout_id: 'checkout-1' } },
} satisfies Stripe.Checkout.SessionCreateParams

export const goodCard = {
  email: 'ann@example.com',
  number: '4242 4242 4242 4242',
  expiry: '12/40',
  cvc: '123',
  name: 'Ann Lee',
}

/** Submits a form as a browser without JavaScript does. */
export function submit(url: string | null, fields: Record<string, string>): Promise<Response> {
  return fetch(url ?? 'no-url:', { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

export type Delivery = { body: string; headers: IncomingHttpHeaders }

/** A shop's webhook that responds with the given statuses in turn, and with the last one from then on. */
export async function startShop(t: TestContext, ...statuses: number[]) {
  const deliveries: Delivery[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('location', '/elsewhere')
      response.statusCode = statuses[deliveries.length] ?? statuses.at(-1) ?? 200
      deliveries.push({ body: Buffer.concat(chunks).toString(), headers: request.headers })
      response.end()
    })
  })
  const { url } = await listen(server)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { deliveries, webhookUrl: `${url}/webhook` }
}
