/** The turn had not come when patience was at its end, or too many waited already who have asked less. */
export class TooLate extends Error {}

type Waiting = { asked: number; begin: () => void; leave: () => void }

/**
 * Lets so much work be done at once, and the rest in turn. What has waited longer than `patienceMs`, and what would wait
 * behind `mostWaiting` others, is refused, undone, with `TooLate`.
 *
 * @returns does the work when its turn has come; of those who wait, first for who says that they have asked the least. Where
 *   too many wait, the last of those who have asked the most is refused.
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
  const waiting = new Set<Waiting>()

  const enter = (asked: number) => {
    if (inWork < most) {
      inWork += 1
      return undefined
    }
    if (waiting.size >= mostWaiting) makeRoom(asked)
    return new Promise<void>((begin, giveUp) => {
      const end = (goOn: () => void) => {
        waiting.delete(one)
        clearTimeout(patience)
        goOn()
      }
      const one = { asked, begin: () => end(begin), leave: () => end(() => giveUp(new TooLate())) }
      const patience = patienceMs === Infinity ? undefined : setTimeout(one.leave, patienceMs)
      waiting.add(one)
    })
  }
  const makeRoom = (asked: number) => {
    let last: Waiting | undefined
    for (const each of waiting) if (each.asked >= (last?.asked ?? asked + 1)) last = each
    if (!last) throw new TooLate()
    last.leave()
  }
  const leave = () => {
    let next: Waiting | undefined
    for (const each of waiting) if (!next || each.asked < next.asked) next = each
    if (next) next.begin()
    else inWork -= 1
  }
  return async <T>(work: () => Promise<T>, asked = 0): Promise<T> => {
    await enter(asked)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
