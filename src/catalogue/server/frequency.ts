import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import type { Filters } from './matching.ts'
import { searched } from './search-words.ts'
import { countOfProducts } from './store.ts'
import { products } from './tables.ts'

/** About so many products, from anywhere, tell what is frequent. */
const someProducts = 1000
/** What is frequent now is so in a minute, too: to look for it takes longer than most searches. */
const keptForMs = 60_000

/** Which a fourth of all ids are: products that were added together lie together and are alike, so of more places fewer are taken. */
const isOfFourth = sql`md5(${products.id}) < '4'`

/** A share of the shop, in percent. */
const share = sql`(select least(100, ${someProducts * 4 * 100}::real / greatest(${countOfProducts}, 1)))::real`

/** So many of these may be older than a product that was added long before. */
const mostOlder = 2

type Row = { text: string; priceCents: number; isOlder: boolean | null }

type Range = Partial<Pick<Filters, 'minCents' | 'maxCents'>>

/** What some products tell about all. */
export type Sample = {
  /** About which share of the shop has all of some words, in a range of prices. */
  shareOf: (words: readonly string[], range?: Range) => number
  /** Whether what was added last is the newest, unlike after an import of products with dates of their own. */
  isAddedInOrder: boolean
}

const samples = new WeakMap<Db, { sample: Sample; takenAt: number }>()

export async function sampleOf(db: Db): Promise<Sample> {
  const kept = samples.get(db)
  if (kept && performance.now() - kept.takenAt < keptForMs) return kept.sample
  const rows = await ask<Row>(
    db,
    'some products',
    // The same ones each time, so that a search finds what it found a minute ago.
    () => sql`select ${searched} as text, ${products.priceCents} as "priceCents", ${products.createdAt} < last_value(${products.createdAt}) over (
        order by number range between unbounded preceding and 4096 preceding
      ) as "isOlder"
      from ${products} tablesample system (${share}) repeatable (0)
      where ${products.deletedAt} is null and ${isOfFourth}`,
    {},
  )
  const sample = sampleFrom(rows)
  samples.set(db, { sample, takenAt: performance.now() })
  return sample
}

function sampleFrom(rows: readonly Row[]): Sample {
  return {
    shareOf: (words, { minCents = 0, maxCents = Infinity } = {}) => {
      const parts = words.map((word) => word.toLowerCase())
      const having = rows.filter(
        ({ text, priceCents }) =>
          priceCents >= minCents && priceCents <= maxCents && parts.every((part) => text.includes(part)),
      )
      return having.length / Math.max(rows.length, 1)
    },
    isAddedInOrder: rows.filter(({ isOlder }) => isOlder).length <= mostOlder,
  }
}
