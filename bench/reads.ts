import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { median } from '#shop/testing/median.ts'
import { cpuSeconds } from './cpu.ts'
import type { Load, Result } from './load.ts'
import type { BenchShop } from './shop.ts'
import { listTargets } from './targets.ts'
import { timeAnswer } from './time-answer.ts'

const program = (name: string) => resolve(import.meta.dirname, name)

type Speed = { perSecond: number; cpuMs: number; p50Ms: number; p99Ms: number; failures: number }
export type Comparison = { name: string; shop: Speed; bare: Speed; ratio: number }

/** Compares the shop's responses with the same bytes from a bare server, in turns, under the same conditions. */
export async function compareReads(
  shop: BenchShop,
  cases: { name: string; paths: string[] }[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Comparison[]> {
  const bare = fork(program('bare-server.ts'))
  const answers = await fetchAll(shop.port, [...new Set(cases.flatMap(({ paths }) => paths))])
  bare.send(answers)
  const [{ port }] = (await once(bare, 'message')) as [{ port: number }]
  const found: Comparison[] = []
  for (const { name, paths } of cases) {
    const mixed = shuffled(paths)
    const measured: { shop: Speed; bare: Speed }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const load = { paths: mixed, connections: 10, seconds }
      measured.push({
        shop: await measure({ ...load, port: shop.port }, shop.pid),
        bare: await measure({ ...load, port }, bare.pid ?? 0),
      })
    }
    const ratio = median(measured.map((each) => each.shop.perSecond / each.bare.perSecond))
    found.push({
      name,
      shop: middle(measured.map((each) => each.shop)),
      bare: middle(measured.map((each) => each.bare)),
      ratio,
    })
  }
  bare.kill()
  return found
}

async function fetchAll(port: number, paths: string[]): Promise<[string, string, string][]> {
  const answers: [string, string, string][] = []
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'accept-encoding': 'identity' },
    })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
    const body = Buffer.from(await response.arrayBuffer())
    answers.push([path, response.headers.get('content-type') ?? '', body.toString('base64')])
  }
  return answers
}

async function measure(load: Load, pid: number): Promise<Speed> {
  const client: ChildProcess = fork(program('load.ts'))
  const before = cpuSeconds(pid)
  client.send(load)
  const [{ answers, failures, seconds, latenciesMs }] = (await once(client, 'message')) as [Result]
  const cpu = cpuSeconds(pid) - before
  client.kill()
  latenciesMs.sort((a, b) => a - b)
  const at = (part: number) => latenciesMs[Math.floor(latenciesMs.length * part)] ?? 0
  return {
    perSecond: answers / seconds,
    cpuMs: (cpu * 1000) / answers,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  }
}

export type Cost = { name: string; p50Ms: number; cpuMs: number }

/**
 * What it costs to make a response from the database, in shops of several sizes. Lists of each kind, none of them
 * cached, are requested once each and one after the other, so that only their responses are measured. The shop has
 * served this kind of list before.
 *
 * Each kind takes turns in each shop, several times over, and the median counts: the first turn meets a cold
 * program, and a disturbance meets a single turn, and all shops alike.
 */
export async function measureUncached(
  shops: { shop: BenchShop; products: number }[],
  { turns, times }: { turns: number; times: number },
): Promise<Cost[][]> {
  // Ten products on average.
  const limits = Array.from({ length: times }, (_, index) => index + 11 - Math.ceil(times / 2))
  const lists = shops.map(({ shop, products }) => ({
    shop,
    kinds: listTargets(products).map(({ name }, index) => ({
      name,
      paths: limits.map((limit) => listTargets(products, limit)[index]?.path ?? ''),
      measured: [] as Omit<Cost, 'name'>[],
    })),
  }))
  for (let turn = 0; turn < turns; turn += 1) {
    for (const index of lists[0]?.kinds.keys() ?? []) {
      for (const { shop, kinds } of lists) {
        const kind = kinds[index]
        kind?.measured.push(await measureFirstTime(shop, kind.paths))
      }
    }
  }
  return lists.map(({ kinds }) =>
    kinds.map(({ name, measured }) => ({
      name,
      p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
      cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    })),
  )
}

async function measureFirstTime(shop: BenchShop, paths: readonly string[]): Promise<Omit<Cost, 'name'>> {
  await askEach(shop, paths)
  await shop.forget()
  const cpuBefore = cpuSeconds(shop.pid)
  const latencies = await askEach(shop, paths)
  const cpu = cpuSeconds(shop.pid) - cpuBefore
  return { p50Ms: median(latencies), cpuMs: (cpu * 1000) / paths.length }
}

async function askEach({ port }: BenchShop, paths: readonly string[]): Promise<number[]> {
  const latencies: number[] = []
  for (const path of paths) latencies.push(await timeAnswer(port, { path }))
  return latencies
}

function middle(speeds: Speed[]): Speed {
  const of = (name: keyof Speed) => median(speeds.map((each) => each[name]))
  return {
    perSecond: of('perSecond'),
    cpuMs: of('cpuMs'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    failures: Math.max(...speeds.map(({ failures }) => failures)),
  }
}

/** Shuffles the paths, in the same way in every run. */
function shuffled(paths: readonly string[]): string[] {
  return paths
    .map((path, index) => ({ path, place: ((index * 7919 + 13) % 104_729) % paths.length }))
    .sort((a, b) => a.place - b.place)
    .map(({ path }) => path)
}
