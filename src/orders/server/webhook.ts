import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { dataReply } from '#shop/contract/shapes.ts'
import { ShopError, unavailable } from '#shop/platform/errors.ts'
import { refusalResponses } from '#shop/platform/route.ts'
import { findCheckoutOf } from './checkouts.ts'
import { settle, settlePayment, type SettlementParts } from './settle.ts'

/** For the API document alone: only signed bodies are read, and their shape is up to the provider. */
const schema = {
  summary: 'Where the payment provider says what has happened; its signature is all that counts',
  headers: z.object({ 'stripe-signature': z.string() }),
  body: z.object({
    type: z.string(),
    data: z.object({ object: z.object({ id: z.string(), payment_intent: z.string().optional() }) }),
  }),
  response: { 200: dataReply(z.object({ received: z.literal(true) })), ...refusalResponses },
}

/**
 * Receives the provider's webhook events. The signature covers the bytes as sent, so it is verified before anything
 * parses them. 200 means done, or none of our business; for an error, the provider sends the event again.
 */
export function webhookRoute(app: FastifyInstance, parts: SettlementParts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(
      '/api/payments/webhook',
      {
        config: { access: 'signed', lane: 'signals', evenWithoutRoom: true },
        schema,
        validatorCompiler: () => () => true,
        bodyLimit: 256 * 1024,
      },
      async (request) => {
        const signature = request.headers['stripe-signature']
        const { body } = request
        const read =
          typeof signature === 'string' && Buffer.isBuffer(body)
            ? parts.provider.readSignal(body, signature)
            : null
        if (!read) {
          const title = 'The signature is not the payment provider’s'
          throw new ShopError(400, 'bad_signature', title, { title })
        }
        const { signal } = read
        if (signal?.kind === 'session') await settleSession(parts, signal.sessionId)
        if (signal?.kind === 'payment') await settlePayment(parts, signal.paymentId)
        return { data: { received: true } }
      },
    )
  })
}

/**
 * @throws ShopError 503 when the provider reports a session that still has no order and then does not find it: the
 *   key is another account's, or for the other mode, and after a 200 nobody would ever ask about this payment again
 */
async function settleSession(parts: SettlementParts, sessionId: string): Promise<void> {
  const { outcome } = await settle(parts, sessionId)
  if (outcome !== 'unknown') return
  const checkout = await findCheckoutOf(parts.db, { id: sessionId, checkoutId: null })
  if (!checkout || checkout.state === 'paid') return
  parts.log(
    `The payment provider reports ${sessionId}, and does not find it: is STRIPE_SECRET_KEY of another account or mode?`,
  )
  throw unavailable('session_not_found', 'The payment provider does not find this session.')
}
