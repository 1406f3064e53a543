import type { FastifyInstance } from 'fastify'
import { invalidInput, wrongType } from '#shop/platform/errors.ts'
import { hasBody } from './has-body.ts'

/**
 * Only JSON bodies are read: anything that a form of another site can send (plain text too) is refused with 415.
 * Compressed bodies are refused as well, and bytes that are not UTF-8: decoded leniently they would become characters
 * that were not meant.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // An empty body needs no content type, whatever type a client's library declares for it.
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['content-length'] !== '0') return
    delete headers['content-type']
    delete headers['content-encoding']
  })
  app.addHook('preParsing', async ({ headers, is404 }) => {
    const isPlain = /^(identity)?$/i.test(headers['content-encoding'] ?? '')
    if (!is404 && hasBody(headers) && !isPlain) throw wrongType('The body must not be compressed.')
  })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = textOf(body as Buffer)
    if (text === undefined) done(invalidInput([{ path: '', message: 'The body is not UTF-8.' }]))
    // A request without a body may still declare JSON in its content type; libraries in browsers do.
    else if (text === '') done(null, undefined)
    else void parse(request, text, done)
  })
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
