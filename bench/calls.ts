import { median } from '#shop/testing/median.ts'
import { prepareCalls } from './call-targets.ts'
import type { Call } from './list-calls.ts'
import type { BenchShop } from './shop.ts'
import { timeAnswer } from './time-answer.ts'

export type CallCost = { name: string; p50Ms: number; p99Ms: number }

/**
 * What every call costs whose cost might grow with the shop, one at a time, nothing kept. All calls in turn, each in each
 * shop, several times over, as with lists.
 *
 * @param times so many for each in each turn; of so few the hundredth part that is slowest is the slowest one
 */
export async function measureCalls(
  shops: BenchShop[],
  { turns, times }: { turns: number; times: number },
): Promise<CallCost[][]> {
  const prepared: Prepared[] = []
  for (const shop of shops) {
    const { calls, authorization } = await prepareCalls(shop, turns * times)
    prepared.push({ shop, authorization, calls: calls.map((call) => ({ call, latencies: [] })) })
  }
  for (let turn = 0; turn < turns; turn += 1) {
    for (const index of prepared[0]?.calls.keys() ?? []) {
      for (const { shop, calls, authorization } of prepared) {
        const each = calls[index]
        if (!each) throw new Error('One shop has fewer calls than another.')
        each.latencies.push(
          ...(await measureCall(shop, each.call, { from: turn * times, times, authorization })),
        )
      }
    }
  }
  return prepared.map(({ calls }) =>
    calls.map(({ call, latencies }) => {
      const sorted = latencies.toSorted((a, b) => a - b)
      return {
        name: call.name,
        p50Ms: median(sorted),
        p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN,
      }
    }),
  )
}

type Prepared = { shop: BenchShop; authorization: string; calls: { call: Call; latencies: number[] }[] }
type Turn = { from: number; times: number; authorization: string }

async function measureCall(
  shop: BenchShop,
  { ask }: Call,
  { from, times, authorization }: Turn,
): Promise<number[]> {
  const latencies: number[] = []
  for (let n = from; n < from + times; n += 1) {
    const asked = await ask(n)
    if (!asked.method) await shop.forget()
    latencies.push(await timeAnswer(shop.port, { authorization, ...asked }))
  }
  // The first of its kind is put into words, for the database and by it.
  return latencies.slice(1)
}
