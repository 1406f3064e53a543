// How fast the shop is for a phone on a slow line: npm run bench:browser, or npm run bench:browser -- --rounds 9
// Writes bench/results/browser.txt; everything in it is a median.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { z } from 'zod'
import { ensureChromium } from '#shop/testing/chromium.ts'
import { median } from '#shop/testing/median.ts'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { startShop } from './shop.ts'
import { table } from './report.ts'
import { lookAt, waitUntilUsable, walkAround, type Visit, type Warm } from './visit.ts'

const { rounds } = readOptions(z.object({ rounds: Amount.default(5) }))
const repeat = <T>(work: () => Promise<T>) => Array.fromAsync({ length: rounds }, work)
const folder = await mkdtemp(join(tmpdir(), 'haberdash-bench-'))
const shop = await startShop(folder)
const args = process.getuid?.() === 0 ? ['--disable-gpu', '--no-sandbox'] : ['--disable-gpu']
const browser = await chromium.launch({ executablePath: ensureChromium(), args })
try {
  const url = `http://127.0.0.1:${shop.port}`
  const product = await shop.client.query<{ id: string }>(
    'select id from products order by created_at desc limit 1',
  )
  const screens: [name: string, path: string][] = [
    ['Home', '/'],
    ['Shop', '/shop'],
    ['Category', '/categories/formal%20dress'],
    ['Product', `/shop/${product.rows[0]?.id}`],
  ]
  // The shop makes a picture when it is first requested.
  for (const [, path] of screens) await lookAt(browser, url + path)
  const rows = []
  for (const [name, path] of screens) rows.push(await measure(name, url + path))
  const text = report(rows, await repeat(() => walkAround(browser, url)))
  await writeFile(join(import.meta.dirname, 'results/browser.txt'), text)
  console.log(text)
} finally {
  await browser.close()
  await shop.stop()
  await rm(folder, { recursive: true, force: true })
}

async function measure(name: string, url: string): Promise<(string | number)[]> {
  const visits = await repeat(() => lookAt(browser, url))
  const usable = await repeat(() => waitUntilUsable(browser, url))
  const of = (take: (visit: Visit) => number) => median(visits.map(take))
  console.log(`${name}: LCP ${visits.map((each) => Math.round(each.lcpMs)).join(' ')}`)
  return [
    name,
    Math.round(of((visit) => visit.firstPaintMs)),
    Math.round(of((visit) => visit.lcpMs)),
    Math.round(median(usable)),
    of((visit) => visit.shift).toFixed(3),
    ...(['html', 'css', 'js', 'fonts', 'pictures'] as const).map((kind) =>
      of(({ kb }) => kb[kind]).toFixed(1),
    ),
    visits.at(-1)?.lcpOf ?? '',
  ]
}

function report(rows: (string | number)[][], warm: Warm[]): string {
  const of = (take: (walk: Warm) => number) => Math.round(median(warm.map(take)))
  return [
    `Haberdash, ${new Date().toISOString().slice(0, 16)}, Chromium ${browser.version()}, load ${loadavg()[0]?.toFixed(1)}; medians of ${rounds}.`,
    'CPU 4 times slower, 1.6 Mbit/s, 150 ms, 412 pixels wide, nothing kept from before. Milliseconds and kilobytes,\nwith what is read ahead (31 kB) where the line had not been quiet before that.',
    '',
    table(
      ['', 'first paint', 'LCP', 'usable', 'shift', 'html', 'css', 'js', 'fonts', 'pictures', 'largest'],
      rows,
    ),
    '',
    'From a tap to the paint of what it asked for, on the same phone, once the page has been looked at:',
    table(
      ['', 'first product', 'next page', 'filter', 'product', 'back'],
      [
        [
          'ms',
          of((walk) => walk.firstMs),
          of((walk) => walk.nextPageMs),
          of((walk) => walk.filterMs),
          of((walk) => walk.productMs),
          of((walk) => walk.backMs),
        ],
      ],
    ),
    '',
  ].join('\n')
}
