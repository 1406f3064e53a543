// How fast the shop is and how that changes with its size: npm run bench, or npm run bench -- --largest 1000000
// Writes one JSON, one table and one picture to bench/results, and compares with the JSON of the run before.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { measureCalls } from './calls.ts'
import { measureCheckouts, practice } from './checkouts.ts'
import { isRunning, memoryMegabytes } from './cpu.ts'
import { filledOrdersCondition } from './list-calls.ts'
import { compareReads, measureUncached } from './reads.ts'
import { pictureOf, tablesOf, type Run } from './report.ts'
import { startShop, type BenchShop } from './shop.ts'
import { lists, pages } from './targets.ts'

const results = join(import.meta.dirname, 'results')
const say = (line: string) => console.log(line)

const { largest } = readOptions(z.object({ largest: Amount.default(50_000) }))
const smallest = 1000
const folder = await mkdtemp(join(tmpdir(), 'haberdash-bench-'))
const open = new Set<BenchShop>()
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
  await Promise.all([...open].map((shop) => shop.stop()))
  await rm(folder, { recursive: true, force: true })
}

async function measureAll(): Promise<Run> {
  say('Starting twice…')
  const firstOne = await started(smallest)
  await fillTo(firstOne, smallest)
  await firstOne.stop()
  open.delete(firstOne)
  const shop = await started(smallest)
  // Waits until the pictures of the first page are made and the process that makes them has ended for good.
  for (let quiet = 0; quiet < 10; quiet += 1) {
    await wait(500)
    if (isRunning(shop.pid, 'picture-process')) quiet = 0
  }
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

  // A shop of each size at the same time, so that all of them meet the same conditions.
  const shops = [{ shop, products: smallest }]
  for (const products of sizesUpTo(largest)) {
    say(`Filling a shop with ${products} products…`)
    const larger = await started(products)
    await fillTo(larger, products)
    shops.push({ shop: larger, products })
  }
  say('Reading from the databases…')
  const uncached = await measureUncached(shops, { turns: 7, times: 15 })
  const ends = shops.filter((_, index) => index === 0 || index === shops.length - 1)
  for (const each of ends) {
    say(`Adding as many orders as products to the shop of ${each.products}…`)
    await addOrders(each)
  }
  say('Calling everything…')
  const calls = await measureCalls(
    ends.map((each) => each.shop),
    { turns: 3, times: 10 },
  )
  const sizes = shops.map(({ shop, products }, index) => ({
    products,
    uncached: uncached[index] ?? [],
    calls: calls[ends.findIndex((each) => each.shop === shop)] ?? [],
    memoryMb: memoryMegabytes(shop.pid),
  }))
  const date = new Date().toISOString().slice(0, 16)
  return {
    date,
    node: process.version,
    startsMs: { first: firstOne.startedInMs, second: shop.startedInMs },
    idleMemoryMb,
    idleParts,
    reads,
    checkouts,
    sizes,
  }
}

async function started(size: number): Promise<BenchShop> {
  const shop = await startShop(join(folder, `${size}`))
  open.add(shop)
  return shop
}

async function fillTo(shop: BenchShop, products: number): Promise<void> {
  await shop.fill({ products: Math.max(0, products - (await countOf(shop, 'products'))) })
}

/** Adds as many orders as products, besides those of one customer before, and a tenth as many users. */
async function addOrders({ shop, products }: { shop: BenchShop; products: number }): Promise<void> {
  await shop.fill({
    orders: products - (await countOf(shop, `orders where ${filledOrdersCondition}`)),
    users: Math.max(0, products / 10 - (await countOf(shop, 'users'))),
  })
}

async function countOf({ client }: BenchShop, rows: string): Promise<number> {
  const found = await client.query<{ all: number }>(`select count(*)::int as all from ${rows}`)
  return found.rows[0]?.all ?? 0
}

function sizesUpTo(most: number): number[] {
  return [...[10_000, 100_000].filter((size) => size < most), most]
}
