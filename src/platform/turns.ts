/** The turn had not come when patience was at its end, or too many waited already. */
export class TooLate extends Error {}

/**
 * Lets so much work be done at once, and the rest in turn. What has waited longer than `patienceMs`, and what would wait
 * behind `mostWaiting` others, is refused, undone, with `TooLate`.
 *
 * @returns does the work when its turn has come
 */
export function takeTurns({
  most,
  mostWaiting = Infinity,
  patienceMs = Infinity,
}: {
  most: number
  mostWaiting?: number
  patienceMs?: number
}) {
  let inWork = 0
  const waiting: { patienceEndsAt: number; begin: () => void; giveUp: (reason: Error) => void }[] = []

  const enter = () => {
    if (inWork < most) {
      inWork += 1
      return undefined
    }
    if (waiting.length >= mostWaiting) throw new TooLate()
    return new Promise<void>((begin, giveUp) => {
      waiting.push({ patienceEndsAt: performance.now() + patienceMs, begin, giveUp })
    })
  }
  const leave = () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.patienceEndsAt > performance.now()) return next.begin()
      next.giveUp(new TooLate())
    }
    inWork -= 1
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
