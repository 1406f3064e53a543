import type { FastifyInstance } from 'fastify'
import { invalidInput } from '#shop/platform/errors.ts'

/**
 * The only bodies that are read are JSON: what a form of another site can send (plain text too) is 415. Bytes that
 * are no UTF-8 are refused; decoded leniently they would become other characters than were meant.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // No body is no body, whatever a program's helper calls it.
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['content-length'] === '0') delete headers['content-type']
  })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = textOf(body as Buffer)
    if (text === undefined) done(invalidInput([{ path: '', message: 'The body is not UTF-8.' }]))
    // A call without a body may still carry the header that announces JSON; browsers' helpers do.
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
