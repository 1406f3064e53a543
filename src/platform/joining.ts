type Work<T> = { running: Promise<T>; next: Promise<T> | undefined }

type Joining<T, A extends unknown[]> = {
  (key: string, ...said: A): Promise<T>
  /** What is just being done for a key, if anything, has ended then, whatever came of it. */
  ended(key: string): Promise<void>
}

/**
 * Work of which at most one is done at a time for each key. Whoever comes while it is done shares the one after it with all
 * who come meanwhile, so that what they are answered was begun after they asked.
 *
 * @param work is told what the first of those said who share it
 */
export function joining<T, A extends unknown[]>(
  work: (key: string, ...said: A) => Promise<T>,
): Joining<T, A> {
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
