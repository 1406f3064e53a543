import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from './limits.ts'

/** More than so many are not kept: a file descriptor and up to a body's size of memory each. */
export const mostConnections = 2000

/**
 * Who comes when all connections are taken finds room all the same: one makes way on which nobody is being answered, or whose
 * answer waits to be read. Otherwise whoever drips as many requests as there are connections, or reads as many answers
 * byte by byte, and comes again when their time is up, would keep everybody else out for as long as they like.
 */
export function makeRoomForNewcomers(app: FastifyInstance, most: number): void {
  const kept = new Connections()
  app.server.on('connection', (socket: Socket) => {
    if (kept.count >= most) {
      app.refusals.tell({ status: 503, code: 'connections_full' }, '')
      const leaving = kept.findToEnd()
      if (!leaving) return socket.destroy()
      kept.forget(leaving)
      leaving.destroy()
    }
    kept.add(socket)
    socket.once('close', () => kept.forget(socket))
  })
}

/** By the network they come from, the oldest first. Nothing is done here for a request. */
class Connections {
  readonly #byNetwork = new Map<string, Set<Socket>>()
  readonly #networks = new Map<Socket, string>()

  get count(): number {
    return this.#networks.size
  }

  add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress)
    const others = this.#byNetwork.get(network) ?? new Set()
    this.#byNetwork.set(network, others.add(socket))
    this.#networks.set(socket, network)
  }

  forget(socket: Socket): void {
    const network = this.#networks.get(socket)
    if (network === undefined) return
    this.#networks.delete(socket)
    const others = this.#byNetwork.get(network)
    others?.delete(socket)
    if (others?.size === 0) this.#byNetwork.delete(network)
  }

  /**
   * The oldest of those who have the most. Behind a proxy all come from one address, and it is simply the oldest: not
   * whoever has just come, and has not asked yet.
   */
  findToEnd(): Socket | undefined {
    let found: Socket | undefined
    let most = 0
    for (const sockets of this.#byNetwork.values()) {
      if (sockets.size <= most) continue
      const oldest = sockets.values().find((socket) => !isBeingAnswered(socket) || isUnread(socket))
      if (oldest) [found, most] = [oldest, sockets.size]
    }
    return found
  }
}

/**
 * Whether a whole request has come and its answer has not gone yet. Node tells of a connection's answer by this name
 * alone, which its documents do not have; to note each request here would cost every request something.
 */
function isBeingAnswered(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.req.complete === true
}

/** Whether more of an answer is ready than its reader, and what lies between, take. */
const isUnread = (socket: Socket) => socket.writableLength > 0
