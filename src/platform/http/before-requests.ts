import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Sees each request before all that listens by now; what it says is answered goes no further. */
export function beforeRequests(
  server: Server,
  isAnswered: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isAnswered(request, response)) return
    for (const handle of handlers) handle.call(server, request, response)
  })
}
