import { isDatabaseUnavailable } from './database-errors.ts'
import { reasonOf } from './errors.ts'

/**
 * Runs the work now and every so often, until stopped; `stop` waits for the run in progress. While a run takes
 * longer than the interval, no other one begins and none is queued.
 *
 * @param work never rejects
 */
export function runPeriodically(
  everyMs: number,
  work: (isStopped: () => boolean) => Promise<void>,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  let isStopped = false
  const run = () => {
    running ??= work(() => isStopped).finally(() => (running = undefined))
  }
  const timer = setInterval(run, everyMs)
  run()
  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * The same for work that may fail. The log gets the reason, unless the database cannot be reached: the requests that
 * fail meanwhile are logged already.
 *
 * @param failed what has not been done, and when it will be
 */
export function tryPeriodically(
  everyMs: number,
  work: () => Promise<unknown>,
  failed: string,
  log: (line: string) => void,
): { stop(): Promise<void> } {
  return runPeriodically(everyMs, async () => {
    try {
      await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) log(`${failed}: ${reasonOf(error)}`)
    }
  })
}
