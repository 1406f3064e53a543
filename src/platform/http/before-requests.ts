import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Sees each request before all that listens by now; what it takes on goes no further, unless it says so later. */
export function beforeRequests(
  server: Server,
  isTakenOn: (request: IncomingMessage, response: ServerResponse, goOn: () => void) => boolean,
): void {
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const goOn = () => {
      for (const handle of handlers) handle.call(server, request, response)
    }
    if (!isTakenOn(request, response, goOn)) goOn()
  })
}
