import { median } from '#shop/testing/median.ts'
import { prepareCalls } from './call-targets.ts'
import type { Call } from './list-calls.ts'
import type { BenchShop } from './shop.ts'
import { timeAnswer } from './time-answer.ts'

export type CallCost = { name: string; p50Ms: number; p99Ms: number }

/**
 * Measures all requests whose cost might grow with the shop, one at a time, with nothing cached. As for lists, all
 * requests take turns, each of them in each shop, several times over.
 *
 * @param times how many of each in each turn; they are so few that the p99 is the slowest one
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
  { makeRequest }: Call,
  { from, times, authorization }: Turn,
): Promise<number[]> {
  const latencies: number[] = []
  for (let n = from; n < from + times; n += 1) {
    const request = await makeRequest(n)
    if (!request.method) await shop.forget()
    latencies.push(await timeAnswer(shop.port, { authorization, ...request }))
  }
  // The first of a kind is left out: for it, the shop writes a statement and the database plans it.
  return latencies.slice(1)
}
