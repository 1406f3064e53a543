import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** When nobody has asked anything for so long, those who are still connected have nothing to ask. */
const quietMs = 250
const longestMs = 1500
/** The system keeps 511 for us, one of whom is taken in each turn; after some turns without anybody, nobody is left. */
const turnsToTakeAll = 600
const turnsWithoutAny = 3

/**
 * Whoever asks one question after the other, as a proxy does, could have the next one under way when the server closes
 * their connection, and would never learn what became of it. So everybody may ask once more, and is told with the answer
 * that it was their last (`Connection: close`, from Fastify): first those too who connect anew, while `/health` tells a
 * proxy to send nobody else. After all other hooks that see the server close.
 */
export function hearLastQuestions(app: FastifyInstance): void {
  let askedAt = 0
  let connected = 0
  app.addHook('onRequest', async () => void (askedAt = performance.now()))
  app.server.on('connection', () => (connected += 1))

  const beQuiet = async () => {
    const begunAt = performance.now()
    const endsAt = () => Math.min(Math.max(askedAt, begunAt) + quietMs, begunAt + longestMs)
    while (performance.now() < endsAt()) await wait(10)
  }
  // Whom the system has connected with us already would be turned away.
  const takeAll = async () => {
    for (let [turns, without] = [0, 0]; turns < turnsToTakeAll && without < turnsWithoutAny; turns += 1) {
      const before = connected
      await nextTurn()
      without = connected > before ? 0 : without + 1
    }
  }
  app.addHook('preClose', async () => {
    if (!app.server.listening) return
    await beQuiet()
    await takeAll()
    // What HTTP's own does besides is to end those who are not just asking.
    Server.prototype.close.call(app.server)
    await beQuiet()
  })
}
