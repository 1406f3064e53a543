// How the shop does at twice its capacity, and how a few visitors do beside 1,500 slow connections: npm run
// bench:overload [-- --only crowd|slow]. It prints figures and does not judge them. They should show that accepted
// requests are answered in time, others are refused at once, no paid order is lost, and afterwards all is as
// before.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { startShop } from './shop.ts'
import type { ConnectionCounts, Siege } from './slow.ts'
import type { Kind, Plan, Tally } from './visitors.ts'

const { seconds, only } = readOptions(z.object({ seconds: Amount.default(20), only: z.string().optional() }))
/** Longer than anybody may be slow, so that the shop has closed each connection once. */
const slowSeconds = 40
const folder = await mkdtemp(join(tmpdir(), 'haberdash-overload-'))
const shop = await startShop(folder)
try {
  await shop.fill({ products: 10_000 })
  if (only !== 'slow') await overwhelm(shop.port)
  if (only !== 'crowd') await besiege({ port: shop.port, connections: 1500 })
  const { status, stdout } = spawnSync(process.execPath, ['src/reconcile.ts'], {
    cwd: resolve(import.meta.dirname, '..'),
    env: shop.environment,
    encoding: 'utf8',
  })
  console.log(`Reconciled: ${status === 0 ? 'nothing differs' : 'THERE ARE DIFFERENCES'}\n${stdout.trim()}`)
} finally {
  await shop.stop()
  await rm(folder, { recursive: true, force: true })
}

async function send(plan: Plan): Promise<Tally> {
  const visitors = fork(resolve(import.meta.dirname, 'visitors.ts'))
  visitors.send(plan)
  const [tally] = (await once(visitors, 'message')) as [Tally]
  visitors.kill()
  return tally
}

/** First as many visitors as the shop can serve, then twice as many, then a few. */
async function overwhelm(port: number): Promise<void> {
  await send({ port, seconds: 5, closed: 32 })
  const usual = await send({ port, seconds: 10, closed: 64 })
  const capacity = usual.visits / usual.seconds
  describe(`Capacity: ${capacity.toFixed(0)} visits a second, 64 at once`, usual)
  const over = await send({ port, seconds, open: capacity * 2 })
  describe(`Twice that for ${seconds} s: ${(over.visits / over.seconds).toFixed(0)} visits a second`, over)
  const after = await send({ port, seconds: 5, closed: 4 })
  describe('Right afterwards, 4 at once', after)
}

/** A few visitors, each request on a connection of its own: first alone, then beside the slow connections. */
async function besiege(siege: Siege): Promise<void> {
  const few = { port: siege.port, seconds: slowSeconds, open: 20, areNew: true }
  describe('20 visits a second, each request on a new connection', await send(few))
  const slow = fork(resolve(import.meta.dirname, 'slow.ts'))
  let now: ConnectionCounts = { open: 0, closed: 0 }
  slow.on('message', (counts: ConnectionCounts) => (now = counts))
  slow.send(siege)
  while (now.open < siege.connections * 0.95) await once(slow, 'message')
  const memoryBefore = await residentMb(shop.pid)
  const beside = await send(few)
  const { open, closed } = now
  describe(`The same beside ${open} slow connections; ${closed} were closed and opened again`, beside)
  console.log(`  memory of the shop: ${memoryBefore} MB at first, ${await residentMb(shop.pid)} MB at last`)
  slow.kill()
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

function describe(title: string, { kinds, paid, confirmed }: Tally): void {
  console.log(`${title}; ${paid.length} paid, ${confirmed} confirmed`)
  for (const [name, kind] of Object.entries(kinds)) console.log(`  ${name.padEnd(9)} ${wordsFor(kind)}`)
}

function wordsFor({ acceptedMs, refusedMs, withoutRetryAfter, others }: Kind): string {
  const parts = [
    `let in ${acceptedMs.length} (p50 ${at(acceptedMs, 0.5)}, p99 ${at(acceptedMs, 0.99)} ms)`,
    `refused ${refusedMs.length} (p50 ${at(refusedMs, 0.5)}, p99 ${at(refusedMs, 0.99)} ms, ${withoutRetryAfter} without Retry-After)`,
    `otherwise ${others}`,
  ]
  return parts.join(', ')
}

function at(times: number[], part: number): string {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted.length ? (sorted[Math.floor(sorted.length * part)] ?? NaN).toFixed(0) : '-'
}
