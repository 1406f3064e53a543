import { submitCard } from '#shop/testing/card-page.ts'
import { cpuSeconds } from './cpu.ts'
import type { BenchShop } from './shop.ts'

export type Checkouts = { perSecond: number; cpuMs: number; p50Ms: number; p99Ms: number; failures: number }

/** A part of the command that runs the practice provider, whose CPU time is not the shop's. */
export const practice = 'practice/main.ts'

/**
 * Measures whole purchases (session, card page, confirmation) by several customers at once. The time of the card
 * page counts in the rate, since it takes time on this machine, but not in the shop's CPU time.
 */
export async function measureCheckouts(
  shop: BenchShop,
  { customers, seconds }: { customers: number; seconds: number },
): Promise<Checkouts> {
  const base = `http://127.0.0.1:${shop.port}`
  const list = (await call(`${base}/api/products/?limit=50`)) as { data: { products: { _id: string }[] } }
  const ids = list.data.products.map(({ _id }) => _id)
  const latencies: number[] = []
  let failures = 0
  const buyOne = async (number: number) => {
    const products = [0, 1].map((line) => ({
      _id: ids[(number * 7 + line) % ids.length],
      quantity: 1 + line,
    }))
    const id = await payByCard(base, products)
    await call(`${base}/api/orders/confirm-payment`, { session_id: id })
  }
  await buyOne(0)
  const cpuBefore = cpuSeconds(shop.pid, practice)
  const began = performance.now()
  const endsAt = began + seconds * 1000
  let number = 0
  const buy = async () => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now()
      await buyOne((number += 1)).then(
        () => latencies.push(performance.now() - startedAt),
        () => (failures += 1),
      )
    }
  }
  await Promise.all(Array.from({ length: customers }, buy))
  const took = (performance.now() - began) / 1000
  const cpu = cpuSeconds(shop.pid, practice) - cpuBefore
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? NaN
  return {
    perSecond: latencies.length / took,
    cpuMs: (cpu * 1000) / latencies.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  }
}

/** Opens a session, pays for it on the card page, and returns its id. */
export async function payByCard(
  base: string,
  products: { _id: string | undefined; quantity: number }[],
): Promise<string> {
  const { id, url } = (await call(`${base}/api/orders/create-checkout-session`, { products })) as Session
  await submitCard(url)
  return id
}

type Session = { id: string; url: string }

async function call(url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
  })
  const answer = (await response.json()) as unknown
  if (!response.ok) throw new Error(`${url} was answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}
