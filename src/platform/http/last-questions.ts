import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** When nobody has asked anything for so long, those who are still connected have nothing to ask. */
const quietMs = 250
const longestMs = 1500
/** One more connection is taken in each, and the system keeps 511 for us; then what came on them is read. */
const turnsToHear = 600

/**
 * Whoever asks one question after the other, as a proxy does, could have the next one under way when the server closes
 * their connection, and would never learn what became of it. So everybody may ask once more, and is told with the answer
 * that it was their last (`Connection: close`, from Fastify). After all other hooks that see the server close.
 */
export function hearLastQuestions(app: FastifyInstance): void {
  let askedAt = 0
  app.addHook('onRequest', async () => void (askedAt = performance.now()))
  app.addHook('preClose', async () => {
    if (!app.server.listening) return
    const begunAt = performance.now()
    const endsAt = () => Math.min(Math.max(askedAt, begunAt) + quietMs, begunAt + longestMs)
    while (performance.now() < endsAt()) await wait(10)
    // Who has sent a question is answered: the system has taken some of them for us, and would turn them away.
    for (let turn = 0; turn < turnsToHear; turn += 1) await nextTurn()
  })
}
