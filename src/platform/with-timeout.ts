import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/**
 * The result of some work, unless that takes too long: the work goes on, but its result is ignored. @throws late()
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const waiting = new AbortController()
  const tooLong = async () => {
    await wait(ms, undefined, { signal: waiting.signal })
    // After a pause of the process itself the result may be there already, and only not read yet.
    await nextTurn()
    throw late()
  }
  try {
    return await Promise.race([work, tooLong()])
  } finally {
    waiting.abort()
  }
}
