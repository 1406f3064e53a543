import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { interceptRequests } from './intercept-requests.ts'

/** Browsers send the next request after the last response; tools send a few ahead. */
const mostAhead = 100

/**
 * Handles pipelined requests one after the other. Otherwise each response behind one that nobody reads would keep a
 * slot, a file and memory: twenty such connections took all slots, two hundred all files and gigabytes.
 *
 * Closes connections that pipeline without end: Node makes thousands of requests of one packet at once, and some
 * fifty such connections took a gigabyte and kept everybody else waiting.
 */
export function limitPipelines(server: Server): void {
  const ahead = new WeakMap<Socket, number>()
  interceptRequests(server, (request, response, goOn) => {
    if (!isBehindOthers(response)) return false
    // Node emits `socket` when the responses before this one have been sent; never if the client hangs up first.
    if (!closeIfTooManyAhead(ahead, request.socket, response))
      response.once('socket', () => process.nextTick(goOn, request, response))
    return true
  })
}

/** A response gets its socket when those before it have been sent. */
function isBehindOthers(response: ServerResponse): boolean {
  return response.socket === null
}

function closeIfTooManyAhead(
  ahead: WeakMap<Socket, number>,
  socket: Socket,
  response: ServerResponse,
): boolean {
  const count = (ahead.get(socket) ?? 0) + 1
  if (count > mostAhead) {
    socket.destroy()
    return true
  }
  ahead.set(socket, count)
  response.once('close', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1))
  return false
}
