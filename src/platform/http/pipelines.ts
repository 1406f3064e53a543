import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beforeRequests } from './before-requests.ts'

/** Browsers ask for the next when the last is answered, tools for a few ahead. */
const mostAhead = 100

/**
 * Of what a connection asks without waiting, one after the other is begun: what is answered behind an answer that nobody
 * reads would keep its place, its file and its memory until then. Some twenty such connections took all places that there are,
 * two hundred all files and gigabytes.
 *
 * Ends connections that ask on and on: of one packet Node makes thousands of requests at once, and some fifty
 * connections so filled took a gigabyte and kept everybody else waiting.
 */
export function limitPipelines(server: Server): void {
  const ahead = new WeakMap<Socket, number>()
  beforeRequests(server, (request, response, goOn) => {
    if (!isBehindOthers(response)) return false
    // Node says this when those before it have been sent; of who hangs up until then, never.
    if (!isTooMuch(ahead, request.socket, response))
      response.once('socket', () => process.nextTick(goOn, request, response))
    return true
  })
}

/** An answer gets its connection when those before it have been sent. */
function isBehindOthers(response: ServerResponse): boolean {
  return response.socket === null
}

function isTooMuch(ahead: WeakMap<Socket, number>, socket: Socket, response: ServerResponse): boolean {
  // The rest of what had been read of a connection that was ended.
  if (socket.destroyed) return true
  const count = (ahead.get(socket) ?? 0) + 1
  if (count > mostAhead) {
    socket.destroy()
    return true
  }
  ahead.set(socket, count)
  response.once('close', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1))
  return false
}
