import type { IncomingHttpHeaders } from 'node:http'

/** Whether a request says that something comes after its head, and be it nothing but its end. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
