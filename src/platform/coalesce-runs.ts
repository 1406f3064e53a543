type Run<T> = { running: Promise<T>; next: Promise<T> | undefined }

type CoalescedRuns<T, A extends unknown[]> = {
  (key: string, ...args: A): Promise<T>
  /** Resolves when the work in progress for a key, if any, has ended, whatever its result. */
  ended(key: string): Promise<void>
}

/**
 * Runs the work at most once at a time for each key. Callers that come while it runs share the next run, so that
 * what they get was started after they called.
 *
 * @param work gets the arguments of the first caller that shares the run
 */
export function coalesceRuns<T, A extends unknown[]>(
  work: (key: string, ...args: A) => Promise<T>,
): CoalescedRuns<T, A> {
  const runs = new Map<string, Run<T>>()
  const start = (key: string, args: A) => {
    const run: Run<T> = { running: work(key, ...args), next: undefined }
    runs.set(key, run)
    const end = () => {
      if (!run.next) runs.delete(key)
    }
    run.running.then(end, end)
    return run.running
  }
  const join = (key: string, ...args: A) => {
    const found = runs.get(key)
    if (!found) return start(key, args)
    const startNext = () => start(key, args)
    found.next ??= found.running.then(startNext, startNext)
    return found.next
  }
  const ended = async (key: string) => {
    await runs.get(key)?.running.catch(() => undefined)
  }
  return Object.assign(join, { ended })
}
