import type { CallCost } from './calls.ts'
import type { Checkouts } from './checkouts.ts'
import type { Comparison, Cost } from './reads.ts'

type Size = {
  products: number
  uncached: Cost[]
  /** Only for the smallest and the largest shop, which have as many orders as products. */
  calls: CallCost[]
  memoryMb: number
}
export type Run = {
  date: string
  node: string
  startsMs: { first: number; second: number }
  idleMemoryMb: number
  /** `shop` is without the practice provider; `Rss` counts shared pages as often as they are shared. */
  idleParts: { shopMb: number; shopRssMb: number; rssMb: number }
  reads: Comparison[]
  checkouts: Checkouts
  sizes: Size[]
}

const number = (value: number, digits = 1) =>
  Number.isFinite(value) ? value.toLocaleString('en', { maximumFractionDigits: digits }) : '–'

export function table(head: string[], rows: (string | number)[][]): string {
  const all = [
    head,
    ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? number(cell, 3) : cell))),
  ]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...all.slice(1).map(line)].join(
    '\n',
  )
}

const rowOf = (name: string, { perSecond, cpuMs, p50Ms, p99Ms, failures }: Checkouts) => [
  name,
  perSecond,
  cpuMs,
  p50Ms,
  p99Ms,
  failures,
]

/** @param last the run before, for comparison; the machine may have been more or less busy then */
export function tablesOf(run: Run, last: Run | undefined): string {
  const before = (name: string) => last?.reads.find((each) => each.name === name)
  const small = run.sizes[0]
  return [
    `Haberdash, ${run.date}, Node ${run.node}. Times in milliseconds; CPU is user and system of server and database.`,
    '',
    'Answers that are kept, beside a bare node:http server with the same bytes, turn by turn:',
    table(
      ['', 'ratio', 'before', 'per second', 'bare', 'CPU', 'bare CPU', 'p50', 'p99'],
      run.reads.map(({ name, ratio, shop, bare }) => [
        name,
        ratio,
        before(name)?.ratio ?? '–',
        number(shop.perSecond, 0),
        number(bare.perSecond, 0),
        shop.cpuMs,
        bare.cpuMs,
        shop.p50Ms,
        shop.p99Ms,
      ]),
    ),
    '',
    'Whole orders, 8 customers at once (session, card page, confirmation):',
    table(
      ['', 'per second', 'CPU', 'p50', 'p99', 'failed'],
      [rowOf('now', run.checkouts), ...(last ? [rowOf('before', last.checkouts)] : [])],
    ),
    '',
    'Lists made from the database, nothing kept, p50 by the number of products (and CPU with the fewest and the most):',
    table(
      ['', ...run.sizes.map(({ products }) => number(products)), 'growth', 'CPU few', 'CPU most'],
      (small?.uncached ?? []).map(({ name, p50Ms, cpuMs }, index) => {
        const largest = run.sizes.at(-1)?.uncached[index]
        return [
          name,
          ...run.sizes.map(({ uncached }) => uncached[index]?.p50Ms ?? NaN),
          `${number((largest?.p50Ms ?? NaN) / p50Ms)}x`,
          cpuMs,
          largest?.cpuMs ?? NaN,
        ]
      }),
    ),
    '',
    'Every call, nothing kept, in a shop of the smallest and of the largest size, which have as many orders as products',
    'and a tenth as many people:',
    callsTable(run.sizes),
    '',
    `Start: first ${number(run.startsMs.first, 0)} ms, second ${number(run.startsMs.second, 0)} ms.`,
    `Memory with the database, shared pages once: ${number(run.idleMemoryMb, 0)} MB idle ` +
      `(${number(run.idleParts.shopMb, 0)} MB without the practice provider; the sums of RSS are ` +
      `${number(run.idleParts.rssMb, 0)} and ${number(run.idleParts.shopRssMb, 0)} MB); ` +
      run.sizes
        .map(({ products, memoryMb }) => `${number(memoryMb, 0)} MB with ${number(products)} products`)
        .join(', ') +
      '.',
    '',
  ].join('\n')
}

function callsTable(sizes: Size[]): string {
  const [small, large] = [sizes[0], sizes.at(-1)]
  return table(
    [
      '',
      `${number(small?.products ?? NaN)} p50`,
      'p99',
      `${number(large?.products ?? NaN)} p50`,
      'p99',
      'growth',
    ],
    (large?.calls ?? []).map((call) => {
      const before = small?.calls.find(({ name }) => name === call.name)
      const growth = `${number(call.p50Ms / (before?.p50Ms ?? NaN))}x`
      return [call.name, before?.p50Ms ?? NaN, before?.p99Ms ?? NaN, call.p50Ms, call.p99Ms, growth]
    }),
  )
}

/** How the cost of each kind of list grows with the shop, with two logarithmic axes. */
export function pictureOf({ sizes, date }: Run): string {
  const [width, height, left, top] = [860, 520, 60, 40]
  const [plotWidth, plotHeight] = [560, 420]
  const decades = Math.max(1, Math.log10((sizes.at(-1)?.products ?? 1) / (sizes[0]?.products ?? 1)))
  const x = (products: number) =>
    left + (plotWidth * Math.log10(products / (sizes[0]?.products ?? 1))) / decades
  // From 0.1 ms to 1 s.
  const y = (ms: number) => top + plotHeight * (1 - (Math.log10(Math.min(Math.max(ms, 0.1), 1000)) + 1) / 4)
  const names = sizes[0]?.uncached.map(({ name }) => name) ?? []
  const hue = (index: number) => `hsl(${Math.round((index * 360) / names.length)} 60% 40%)`
  const lines = names.map((name, index) => {
    const points = sizes.map(
      ({ products, uncached }) => `${x(products)},${y(uncached[index]?.p50Ms ?? 0).toFixed(1)}`,
    )
    const legend = top + 14 + index * 20
    return `<polyline fill="none" stroke="${hue(index)}" stroke-width="2" points="${points.join(' ')}"/>
<text x="${left + plotWidth + 40}" y="${legend}" fill="${hue(index)}">${name}</text>`
  })
  const levels = [0.1, 1, 10, 100, 1000].map(
    (ms) => `<line x1="${left}" x2="${left + plotWidth}" y1="${y(ms)}" y2="${y(ms)}" stroke="#ccc"/>
<text x="${left - 8}" y="${y(ms) + 4}" text-anchor="end">${ms} ms</text>`,
  )
  const columns = sizes.map(
    ({ products }) =>
      `<text x="${x(products)}" y="${top + plotHeight + 24}" text-anchor="middle">${number(products)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="22" font-size="15">A list made from the database, by the number of products (${date})</text>
${[...levels, ...columns, ...lines].join('\n')}
</svg>
`
}
