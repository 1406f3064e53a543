import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { beforeRequests } from './before-requests.ts'

/** Browsers ask for the next when the last is answered, tools for a few ahead. */
const mostAhead = 100

/**
 * Ends connections that ask on and on without waiting: of one packet Node makes thousands of requests at once, and
 * some fifty connections so filled took a gigabyte and kept everybody else waiting.
 */
export function limitPipelines(server: Server): void {
  const ahead = new WeakMap<Socket, number>()
  beforeRequests(
    server,
    ({ socket }, response) => isBehindOthers(response) && isTooMuch(ahead, socket, response),
  )
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
