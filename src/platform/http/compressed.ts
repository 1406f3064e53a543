import type { FastifyInstance } from 'fastify'
import { compress, encodingFor } from './encodings.ts'

/** What is worth it; pictures and files come compressed. */
const isText = /^(text\/|application\/(json|problem\+json|xml|manifest\+json))/

/**
 * Compresses what is made for one reader, such as an admin's lists and the page before it is filled. What is kept for
 * everybody is compressed once, where it is kept.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<string | Buffer | null>('onSend', async ({ headers, kept }, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (kept || !isWhole || reply.hasHeader('content-encoding')) return payload
    if (!isText.test(String(reply.getHeader('content-type')))) return payload
    const bytes = Buffer.from(payload)
    reply.header('vary', 'accept-encoding')
    const encoding = encodingFor(headers['accept-encoding'], bytes.length)
    if (encoding === 'identity') return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    return compress(bytes, encoding)
  })
}
