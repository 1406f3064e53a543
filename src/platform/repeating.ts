/**
 * Does something now and every so often, until stopped, which waits for its end. What takes longer than that is not
 * overtaken, and nothing waits behind it.
 *
 * @param work never rejects
 */
export function repeating(
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
