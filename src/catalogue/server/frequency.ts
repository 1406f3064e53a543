import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { queryPrepared } from '#shop/platform/statements.ts'
import { hasPriceRange, type Filters } from './matching.ts'
import { searchText } from './search-words.ts'
import { countOfProducts } from './store.ts'
import { products } from './tables.ts'

/** About this many products, from all over the shop, show what is frequent. */
const sampleSize = 2000
/** What is frequent now still is in a minute, and taking a sample takes longer than most searches. */
const sampleLifetimeMs = 60_000

/**
 * Selects an eighth of all ids. Products that were added together are stored together and are alike, so the sample
 * takes fewer of them from more places.
 */
const isOfEighth = sql`md5(${products.id}) < '2'`

/** How much of the table to read, in percent. */
const share = sql`(select least(100, ${sampleSize * 8 * 100}::real / greatest(${countOfProducts}, 1)))::real`

/** Up to this many sampled products may be older than one that was added long before them. */
const mostOutOfOrderRows = 2

type Row = {
  text: string
  category: string
  color: string
  priceCents: number
  group: number
  isOlder: boolean | null
  inShop: number
}

/** What a sample of products shows about all of them. */
export type Sample = {
  /** About which share of the shop has all of the words and passes the filters. */
  shareOf: (words: readonly string[], filters?: Partial<Filters>) => number
  /**
   * Groups in which sampled products have all of the words and pass the filters; the newest first, `most` at most.
   */
  groupsWith: (words: readonly string[], filters: Partial<Filters>, most: number) => number[]
  /** How many products the shop has in all. */
  inShop: number
  /** Whether what was added last is the newest, unlike after an import of products with dates of their own. */
  isAddedInOrder: boolean
}

const samples = new WeakMap<Db, { sample: Promise<Sample>; takenAt: number }>()

/** Only the first search waits for a sample. Later ones use the previous sample while a new one is taken. */
export function sampleOf(db: Db): Promise<Sample> {
  const last = samples.get(db)
  if (last && performance.now() - last.takenAt < sampleLifetimeMs) return last.sample
  const taken = takeSample(db)
  const next = { sample: last?.sample ?? taken, takenAt: performance.now() }
  samples.set(db, next)
  taken.then(
    () => samples.set(db, { ...next, sample: taken }),
    // Those who wait for this sample get the error, and the next search takes another one.
    () => samples.delete(db),
  )
  return next.sample
}

async function takeSample(db: Db): Promise<Sample> {
  const rows = await queryPrepared<Row>(
    db,
    'some products',
    // The same ones each time, so that a search finds what it found a minute ago.
    () => sql`select ${searchText} as text, category, color, ${products.priceCents} as "priceCents", (group_of(number))[1] as "group", ${products.createdAt} < last_value(${products.createdAt}) over (
        order by number range between unbounded preceding and 4096 preceding
      ) as "isOlder", ${countOfProducts}::float8 as "inShop"
      from ${products} tablesample system (${share}) repeatable (0)
      where ${products.deletedAt} is null and ${isOfEighth}
      order by ${products.createdAt} desc`,
    {},
  )
  return sampleFrom(rows)
}

/** At most this many sets of rows are cached, one for each word or filter. */
const mostCachedSets = 200

function sampleFrom(rows: readonly Row[]): Sample {
  const known = new Map<string, Set<Row>>()
  /**
   * Cached, since a search asks about each word and filter several times, and many searches ask for the same ones.
   */
  const rowsOf = (name: string, isOne: (row: Row) => boolean) => {
    const found = known.get(name)
    if (found) return found
    if (known.size >= mostCachedSets) known.clear()
    const matchingRows = new Set(rows.filter(isOne))
    known.set(name, matchingRows)
    return matchingRows
  }
  const rowsWith = (word: string) => {
    const part = word.toLowerCase()
    return rowsOf(`word ${part}`, ({ text }) => text.includes(part))
  }
  const rowsLeftBy = (filters: Partial<Filters>) => {
    const { category, color, minCents = 0, maxCents = Infinity } = filters
    return [
      category !== undefined && rowsOf(`category ${category}`, (row) => row.category === category),
      color !== undefined && rowsOf(`color ${color}`, (row) => row.color === color),
      hasPriceRange(filters) &&
        rowsOf(
          `price ${minCents} ${maxCents}`,
          ({ priceCents }) => priceCents >= minCents && priceCents <= maxCents,
        ),
    ].filter((matchingRows) => matchingRows !== false)
  }
  const all = new Set(rows)
  const findMatchingRows = (words: readonly string[], filters: Partial<Filters>): Set<Row> => {
    // The smallest set first: two words together mostly leave only a few of these rows.
    const [first = all, ...others] = [...words.map(rowsWith), ...rowsLeftBy(filters)].toSorted(
      (one, other) => one.size - other.size,
    )
    return others.reduce((left, matchingRows) => left.intersection(matchingRows), first)
  }
  return {
    shareOf: (words, filters = {}) => findMatchingRows(words, filters).size / Math.max(rows.length, 1),
    groupsWith: (words, filters, most) =>
      [...new Set(Array.from(findMatchingRows(words, filters), ({ group }) => group))].slice(0, most),
    inShop: rows[0]?.inShop ?? 0,
    isAddedInOrder: rows.filter(({ isOlder }) => isOlder).length <= mostOutOfOrderRows,
  }
}
