import type { IncomingMessage, Server, ServerResponse } from 'node:http'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Shows each request to `intercept` before the listeners that exist by now. A request that it takes on reaches
 * them only if it calls `goOn` later.
 */
export function interceptRequests(
  server: Server,
  intercept: (request: IncomingMessage, response: ServerResponse, goOn: Handle) => boolean,
): void {
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  const goOn: Handle = (request, response) => {
    for (const handle of handlers) handle.call(server, request, response)
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!intercept(request, response, goOn)) goOn(request, response)
  })
}
