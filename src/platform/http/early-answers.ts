import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isBodyComing } from './has-body.ts'

/**
 * Who is answered before all of their body has come is sent nothing else on that connection. A proxy that gives up the rest
 * of the body may take the connection for a free one (HAProxy 2.6 does): what it sends next, somebody else's question, would be
 * read as that rest, and what was left of the body as a question, answered to somebody else.
 */
export function endAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    // What has come in one piece with its head is whole a turn later: until then it is not said to be.
    if (isBodyComing(request)) await nextTurn()
    if (!isBodyComing(request)) return payload
    reply.header('connection', 'close')
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const bytes = Buffer.from(payload)
    reply.header('content-length', bytes.length)
    return Readable.from(beforeTheEnd(bytes, request.raw))
  })
}

/** Ended at once, the connection would be gone before they read why: the rest of what they send is thrown away first. */
async function* beforeTheEnd(bytes: Buffer, body: Readable): AsyncGenerator<Buffer> {
  yield bytes
  if (body.destroyed) return
  body.resume()
  await new Promise((resolve) => body.once('end', resolve).once('close', resolve))
}
