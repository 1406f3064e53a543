import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problemOf } from './problems.ts'
import { ShopError } from '#shop/platform/errors.ts'

/** The response that is being sent on the connection; not documented, but the same in all versions of Node. */
type Answering = { _httpMessage?: ServerResponse | null }

/**
 * Input that never becomes a request (bytes that are not HTTP, headers without end, a body that does not come)
 * gets an answer of the usual shape too, and its connection is closed.
 */
export function answerClientError(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: Socket & Answering,
): void {
  const begun = socket._httpMessage
  // After a complete request on the same connection, this answer would be sent before that request's response, or
  // in the middle of it.
  if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent || begun?.req.complete) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error.code)
  const reqId = randomUUID()
  this.refusals.log({ status: refusal.status, code: refusal.code }, reqId)
  const body = JSON.stringify(problemOf(refusal))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-request-id: ${reqId}`,
    'connection: close',
  ]
  // Once the answer has been handed to the system the connection ends, whether the client reads it or not.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function refusalOf(code: string | undefined): ShopError {
  const refuse = (status: number, name: string, title: string) =>
    new ShopError(status, name, title, { title })
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse(408, 'too_slow', 'The request took too long')
    case 'HPE_HEADER_OVERFLOW':
      return refuse(431, 'headers_too_large', 'The headers are too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse(413, 'too_large', 'Too large')
    default:
      return refuse(400, 'invalid_request', 'This is not a request')
  }
}
