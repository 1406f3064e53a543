import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** When no request has come for this long, the clients still connected are taken to have none. */
const quietMs = 250
const longestMs = 1500
/**
 * The system queues up to 511 connections for us, and each turn of the event loop accepts one; after some turns
 * without any, the queue is empty.
 */
const turnsToTakeAll = 600
const turnsWithoutAny = 3

/**
 * A client that sends one request after the other, as a proxy does, may have the next one on its way when the
 * server closes the connection, and would never learn what became of it. So at shutdown each client may send one
 * more request, and the response says that it was the last (`Connection: close`, from Fastify). At first this
 * includes new connections, while `/health` tells a proxy to send no more clients. Must be registered after all other
 * hooks that see the server close.
 */
export function acceptLastRequests(app: FastifyInstance): void {
  let lastRequestAt = 0
  let connected = 0
  app.addHook('onRequest', async () => void (lastRequestAt = performance.now()))
  app.server.on('connection', () => (connected += 1))

  const waitUntilQuiet = async () => {
    const begunAt = performance.now()
    const endsAt = () => Math.min(Math.max(lastRequestAt, begunAt) + quietMs, begunAt + longestMs)
    while (performance.now() < endsAt()) await wait(10)
  }
  // The system has accepted the queued connections already; closing the listener now would turn them away.
  const acceptQueuedConnections = async () => {
    for (let [turns, without] = [0, 0]; turns < turnsToTakeAll && without < turnsWithoutAny; turns += 1) {
      const before = connected
      await nextTurn()
      without = connected > before ? 0 : without + 1
    }
  }
  app.addHook('preClose', async () => {
    if (!app.server.listening) return
    await waitUntilQuiet()
    await acceptQueuedConnections()
    // Unlike this, HTTP's own `close` also ends the connections that have no request in progress.
    Server.prototype.close.call(app.server)
    await waitUntilQuiet()
  })
}
