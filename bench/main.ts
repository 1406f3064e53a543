// How quick the shop is and how that changes with its size: npm run bench, or npm run bench -- --largest 1000000
// Leaves bench/results: one JSON, one table and one picture. The JSON of the run before is what it is compared with.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { measureCalls, type CallCost } from './calls.ts'
import { measureCheckouts, practice } from './checkouts.ts'
import { isRunning, memoryMegabytes } from './cpu.ts'
import { isFilled } from './list-calls.ts'
import { compareReads, measureUncached } from './reads.ts'
import { pictureOf, tablesOf, type Run, type Size } from './report.ts'
import { startShop, type BenchShop } from './shop.ts'
import { lists, pages } from './targets.ts'

const results = join(import.meta.dirname, 'results')
const say = (line: string) => console.log(line)

const { values } = parseArgs({ options: { largest: { type: 'string', default: '50000' } } })
const largest = Number(values.largest)
const folder = await mkdtemp(join(tmpdir(), 'haberdash-bench-'))
let shop: BenchShop | undefined
try {
  const last = await readFile(join(results, 'bench.json'), 'utf8').then(
    (text) => JSON.parse(text) as Run,
    () => undefined,
  )
  const run = await measureAll()
  await mkdir(results, { recursive: true })
  await writeFile(join(results, 'bench.json'), `${JSON.stringify(run, undefined, 2)}\n`)
  const tables = tablesOf(run, last)
  await writeFile(join(results, 'bench.txt'), tables)
  await writeFile(join(results, 'growth.svg'), pictureOf(run))
  say(`\n${tables}`)
} finally {
  await shop?.stop()
  await rm(folder, { recursive: true, force: true })
}

async function measureAll(): Promise<Run> {
  say('Starting twice…')
  shop = await startShop(folder)
  const first = shop.startedInMs
  await fillTo(1000)
  await shop.stop()
  shop = await startShop(folder)
  const second = shop.startedInMs
  // Until the pictures of the first page are made, and the process that makes them is gone.
  await wait(3000)
  while (isRunning(shop.pid, 'picture-process')) await wait(500)
  const idleMemoryMb = memoryMegabytes(shop.pid)
  const idleParts = {
    shopMb: memoryMegabytes(shop.pid, practice),
    shopRssMb: memoryMegabytes(shop.pid, practice, 'Rss'),
    rssMb: memoryMegabytes(shop.pid, undefined, 'Rss'),
  }

  say('Reading what is kept…')
  const products = await shop.client.query<{ id: string }>(
    'select id from products order by md5(id) limit 300',
  )
  const ids = products.rows.map(({ id }) => id)
  const reads = await compareReads(
    shop,
    [
      { name: 'product lists', paths: lists() },
      { name: 'product details', paths: ids.map((id) => `/api/products/${id}`) },
      { name: 'public pages', paths: pages(ids.slice(0, 100)) },
    ],
    { rounds: 15, seconds: 0.7 },
  )
  say('Buying…')
  const checkouts = await measureCheckouts(shop, { customers: 8, seconds: 8 })

  const sizes: Size[] = []
  for (const size of [1000, ...powersUpTo(largest)]) {
    say(`Reading from the database with ${size} products…`)
    await fillTo(size)
    sizes.push({
      products: size,
      uncached: await measureUncached(shop, size, { turns: 7, times: 15 }),
      calls: size === 1000 || size === largest ? await callsOf(shop, size) : [],
      memoryMb: memoryMegabytes(shop.pid),
    })
  }
  const date = new Date().toISOString().slice(0, 16)
  return {
    date,
    node: process.version,
    startsMs: { first, second },
    idleMemoryMb,
    idleParts,
    reads,
    checkouts,
    sizes,
  }
}

async function fillTo(products: number): Promise<void> {
  await shop?.fill({ products: Math.max(0, products - (await countOf('products'))) })
}

/** Every call, with as many orders as there are products, besides those of one buyer before, and a tenth as many people. */
async function callsOf(filled: BenchShop, size: number): Promise<CallCost[]> {
  say('Calling everything…')
  await filled.fill({
    orders: size - (await countOf(`orders where ${isFilled}`)),
    users: Math.max(0, size / 10 - (await countOf('users'))),
  })
  return measureCalls(filled, { turns: 3, times: 10 })
}

async function countOf(rows: string): Promise<number> {
  const found = await shop?.client.query<{ all: number }>(`select count(*)::int as all from ${rows}`)
  return found?.rows[0]?.all ?? 0
}

function powersUpTo(most: number): number[] {
  const powers = [10_000, 100_000].filter((size) => size < most)
  return [...powers, most]
}
