/** The turn did not come within `patienceMs`, or a client with fewer recent requests needed the room. */
export class TurnRefused extends Error {}

/** `recentRequests` are those of the client that waits. */
type Waiting = { recentRequests: number; start: () => void; refuse: () => void }

export type Turns = ReturnType<typeof createTurnQueue>

/**
 * Limits how much work runs at once; the rest waits for its turn. Work that has waited longer than `patienceMs`,
 * or for which `mostWaiting` others leave no room, is not started and rejects with `TurnRefused`.
 *
 * @returns runs the work when its turn has come. The next turn is for the client with the fewest `recentRequests`.
 * When too many wait, the client with the most is refused (of several, the last); `makeRoom` refuses it at once, if
 * it has more than `recentRequests`.
 */
export function createTurnQueue({
  most,
  mostWaiting = Infinity,
  patienceMs = Infinity,
}: {
  most: number
  mostWaiting?: number
  patienceMs?: number
}) {
  let running = 0
  const queue = new Set<Waiting>()

  const waitForTurn = (recentRequests: number) => {
    if (running < most) {
      running += 1
      return undefined
    }
    if (queue.size >= mostWaiting && !makeRoom(recentRequests)) throw new TurnRefused()
    return new Promise<void>((resolve, reject) => {
      const leaveQueue = () => {
        queue.delete(waiting)
        clearTimeout(patience)
      }
      const waiting: Waiting = {
        recentRequests,
        start() {
          leaveQueue()
          resolve()
        },
        refuse() {
          leaveQueue()
          reject(new TurnRefused())
        },
      }
      const patience = patienceMs === Infinity ? undefined : setTimeout(waiting.refuse, patienceMs)
      queue.add(waiting)
    })
  }
  const makeRoom = (recentRequests: number) => {
    let refused: Waiting | undefined
    let mostRequests = recentRequests + 1
    for (const waiting of queue) {
      if (waiting.recentRequests >= mostRequests) [refused, mostRequests] = [waiting, waiting.recentRequests]
    }
    refused?.refuse()
    return refused !== undefined
  }
  const startNext = () => {
    let next: Waiting | undefined
    for (const waiting of queue) if (!next || waiting.recentRequests < next.recentRequests) next = waiting
    if (next) next.start()
    else running -= 1
  }
  const runInTurn = async <T>(work: () => Promise<T>, recentRequests = 0): Promise<T> => {
    await waitForTurn(recentRequests)
    try {
      return await work()
    } finally {
      startNext()
    }
  }
  return Object.assign(runInTurn, { makeRoom })
}
