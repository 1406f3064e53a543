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
  const waiting = new Set<() => void>()

  const enter = () => {
    if (inWork < most) {
      inWork += 1
      return undefined
    }
    if (waiting.size >= mostWaiting) throw new TooLate()
    return new Promise<void>((begin, giveUp) => {
      const next = () => {
        waiting.delete(next)
        clearTimeout(patience)
        begin()
      }
      const leaveUndone = () => {
        waiting.delete(next)
        giveUp(new TooLate())
      }
      const patience = patienceMs === Infinity ? undefined : setTimeout(leaveUndone, patienceMs)
      waiting.add(next)
    })
  }
  const leave = () => {
    const [next] = waiting
    if (next) next()
    else inWork -= 1
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
