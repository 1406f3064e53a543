import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from './limits.ts'

/** The most connections that are kept: each takes a file descriptor, and memory up to the size of a body. */
export const mostConnections = 2000

/**
 * When all connections are taken, a new one still finds room: one is closed on which no response is due, or whose
 * response the client does not read. Otherwise an attacker who drips as many requests as there are connections, or
 * reads as many responses byte by byte, and comes again when their time is up, could keep everybody else out for
 * as long as they like.
 */
export function limitConnections(app: FastifyInstance, most: number): void {
  const openConnections = new Connections()
  app.server.on('connection', (socket: Socket) => {
    if (openConnections.count >= most) {
      app.refusals.log({ status: 503, code: 'connections_full' }, '')
      const leaving = openConnections.findConnectionToClose()
      if (!leaving) return socket.destroy()
      openConnections.forget(leaving)
      leaving.destroy()
    }
    openConnections.add(socket)
    socket.once('close', () => openConnections.forget(socket))
  })
}

/** The connections by client network, the oldest first. Nothing is done here for each request. */
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
   * The oldest closable connection of the network that has the most. Behind a proxy all come from one address, so
   * it is the oldest of all, not a new one that has not sent its request yet.
   */
  findConnectionToClose(): Socket | undefined {
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
 * Whether a complete request has come whose response is not sent yet. Node exposes the response of a connection
 * only under this name, which is not documented; to note each request here would make every request slower.
 */
function isBeingAnswered(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.req.complete === true
}

/** Whether more of a response is ready than the client, and the buffers on the way to it, take. */
const isUnread = (socket: Socket) => socket.writableLength > 0
