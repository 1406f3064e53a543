import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Whether a request announces a body, even an empty one. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Whether part of the body is still to come. Only possible on a real connection: an injected request is complete.
 */
export function isBodyComing({ headers, raw }: FastifyRequest): boolean {
  return hasBody(headers) && raw.complete === false
}
