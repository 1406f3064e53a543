import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isBodyComing } from './has-body.ts'

/**
 * A response that is sent before the whole body has come is the last one on its connection. A proxy that gives up
 * on the rest of the body may take the connection for a free one (HAProxy 2.6 does). Its next request, of another
 * client, would then be read as the rest of the body, and the real rest as a request, answered to another.
 */
export function endAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    // A body that came in one piece with its head is only marked as complete one turn later.
    if (isBodyComing(request)) await nextTurn()
    if (!isBodyComing(request)) return payload
    reply.header('connection', 'close')
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const bytes = Buffer.from(payload)
    reply.header('content-length', bytes.length)
    return Readable.from(sendThenDiscardBody(bytes, request.raw))
  })
}

/**
 * Discards the rest of the body before it ends the response: closed at once, the connection would be gone before
 * the client has read why.
 */
async function* sendThenDiscardBody(bytes: Buffer, body: Readable): AsyncGenerator<Buffer> {
  yield bytes
  if (body.destroyed) return
  body.resume()
  await new Promise((resolve) => body.once('close', resolve))
}
