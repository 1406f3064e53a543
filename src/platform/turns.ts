/** The turn did not come within `patienceMs`, or somebody who had asked less needed the room. */
export class TurnRefused extends Error {}

type Waiting = { asked: number; begin: () => void; leave: () => void }

export type Turns = ReturnType<typeof createTurnQueue>

/**
 * Limits how much work runs at once; the rest waits for its turn. Work that has waited longer than `patienceMs`,
 * or for which `mostWaiting` others leave no room, is not begun and rejects with `TurnRefused`.
 *
 * @returns runs the work when its turn has come. The next turn is for the caller that has `asked` the least so
 * far. When too many wait, the last of those that have asked the most is refused; `makeRoom` refuses it at once, if
 * it has asked more than `asked`.
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
  let inWork = 0
  const waiting = new Set<Waiting>()

  const enter = (asked: number) => {
    if (inWork < most) {
      inWork += 1
      return undefined
    }
    if (waiting.size >= mostWaiting && !makeRoom(asked)) throw new TurnRefused()
    return new Promise<void>((begin, giveUp) => {
      const end = (goOn: () => void) => {
        waiting.delete(one)
        clearTimeout(patience)
        goOn()
      }
      const one = { asked, begin: () => end(begin), leave: () => end(() => giveUp(new TurnRefused())) }
      const patience = patienceMs === Infinity ? undefined : setTimeout(one.leave, patienceMs)
      waiting.add(one)
    })
  }
  const makeRoom = (asked: number) => {
    let last: Waiting | undefined
    for (const each of waiting) if (each.asked >= (last?.asked ?? asked + 1)) last = each
    last?.leave()
    return last !== undefined
  }
  const leave = () => {
    let next: Waiting | undefined
    for (const each of waiting) if (!next || each.asked < next.asked) next = each
    if (next) next.begin()
    else inWork -= 1
  }
  const runInTurn = async <T>(work: () => Promise<T>, asked = 0): Promise<T> => {
    await enter(asked)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  return Object.assign(runInTurn, { makeRoom })
}
