import { pipeline, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { compress, createCompressor, encodingFor } from './encodings.ts'

/** Types worth compressing; pictures and the page's files come compressed already. */
const compressibleTypes = /^(text\/|application\/(json|problem\+json|xml|manifest\+json))/

/**
 * Compresses what is made for one reader, such as an admin's lists and the empty page that the browser fills, or
 * what is sent while it is being written. Cached answers are compressed once, in the cache.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<string | Buffer | Readable | null>(
    'onSend',
    async ({ headers, cachedAnswer }, reply, payload) => {
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
      // A file is a stream too, and clients may request parts of it; but its length is known.
      const isStreamed = payload instanceof Readable && !reply.hasHeader('content-length')
      if (cachedAnswer || !(isWhole || isStreamed) || reply.hasHeader('content-encoding')) return payload
      if (!compressibleTypes.test(String(reply.getHeader('content-type')))) return payload
      const bytes = isWhole ? Buffer.from(payload) : undefined
      reply.header('vary', 'accept-encoding')
      const encoding = encodingFor(headers['accept-encoding'], bytes?.length ?? Infinity)
      if (encoding === 'identity') return payload
      reply.header('content-encoding', encoding).removeHeader('content-length')
      if (bytes) return compress(bytes, encoding)
      // An error or an abort on one side ends the other, and the server is told.
      return pipeline(payload, createCompressor(encoding), () => undefined)
    },
  )
}
