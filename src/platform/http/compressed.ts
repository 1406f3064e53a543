import { pipeline, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { compress, compressing, encodingFor } from './encodings.ts'

/** What is worth it; pictures and files come compressed. */
const isText = /^(text\/|application\/(json|problem\+json|xml|manifest\+json))/

/**
 * Compresses what is made for one reader, such as an admin's lists and the page before it is filled, or is sent while it is
 * written. What is kept for everybody is compressed once, where it is kept.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<string | Buffer | Readable | null>('onSend', async ({ headers, kept }, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    // A file is a stream too, and may be asked for in parts; but how long it is, is known.
    const isWritten = payload instanceof Readable && !reply.hasHeader('content-length')
    if (kept || !(isWhole || isWritten) || reply.hasHeader('content-encoding')) return payload
    if (!isText.test(String(reply.getHeader('content-type')))) return payload
    const bytes = isWhole ? Buffer.from(payload) : undefined
    reply.header('vary', 'accept-encoding')
    const encoding = encodingFor(headers['accept-encoding'], bytes?.length ?? Infinity)
    if (encoding === 'identity') return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    if (bytes) return compress(bytes, encoding)
    // What fails or is given up on one side ends the other; the server hears of it.
    return pipeline(payload, compressing(encoding), () => undefined)
  })
}
