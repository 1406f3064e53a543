import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Whether a request says that something comes after its head, and be it nothing but its end. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Whether some of that is still to come. Only of a connection it may be: a question that is injected has come whole. */
export function isBodyComing({ headers, raw }: FastifyRequest): boolean {
  return hasBody(headers) && raw.complete === false
}
