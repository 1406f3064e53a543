import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { dataReply } from '#shop/contract/shapes.ts'
import { ShopError } from '#shop/platform/errors.ts'
import { refusalResponses } from '#shop/platform/route.ts'
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
        if (signal?.kind === 'session') await settle(parts, signal.sessionId)
        if (signal?.kind === 'payment') await settlePayment(parts, signal.paymentId)
        return { data: { received: true } }
      },
    )
  })
}
