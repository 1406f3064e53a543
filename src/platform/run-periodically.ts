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
