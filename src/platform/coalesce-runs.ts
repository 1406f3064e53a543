type Work<T> = { running: Promise<T>; next: Promise<T> | undefined }

type CoalescedRuns<T, A extends unknown[]> = {
  (key: string, ...said: A): Promise<T>
  /** Resolves when the work in progress for a key, if any, has ended, whatever its result. */
  ended(key: string): Promise<void>
}

/**
 * Runs the work at most once at a time for each key. Callers that come while it runs share the next run, so that
 * what they get was begun after they asked.
 *
 * @param work gets the arguments of the first caller that shares the run
 */
export function coalesceRuns<T, A extends unknown[]>(
  work: (key: string, ...said: A) => Promise<T>,
): CoalescedRuns<T, A> {
  const works = new Map<string, Work<T>>()
  const begin = (key: string, said: A) => {
    const one: Work<T> = { running: work(key, ...said), next: undefined }
    works.set(key, one)
    const end = () => {
      if (!one.next) works.delete(key)
    }
    one.running.then(end, end)
    return one.running
  }
  const join = (key: string, ...said: A) => {
    const found = works.get(key)
    if (!found) return begin(key, said)
    const beginNext = () => begin(key, said)
    found.next ??= found.running.then(beginNext, beginNext)
    return found.next
  }
  const ended = async (key: string) => {
    await works.get(key)?.running.catch(() => undefined)
  }
  return Object.assign(join, { ended })
}
