import { setTimeout as wait } from 'node:timers/promises'

/** Waits until `ask` resolves to something true; throws after `withinMs`, so that the failing wait is named. */
export async function until<T>(
  ask: () => Promise<T | undefined | false>,
  what = 'what was waited for',
  withinMs = 60_000,
  pauseMs = 50,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs
  while (performance.now() < giveUpAt) {
    const answer = await ask()
    if (answer) return answer
    await wait(pauseMs)
  }
  throw new Error(`not within ${withinMs} ms: ${what}`)
}
