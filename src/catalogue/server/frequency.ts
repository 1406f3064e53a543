import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
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

type Sample = { texts: readonly string[]; takenAt: number }
const samples = new WeakMap<Db, Sample>()

/** Tells about which share of the shop has all of some words. */
export async function shares(db: Db): Promise<(...words: readonly string[]) => number> {
  const texts = await someTexts(db)
  return (...words) => {
    const parts = words.map((word) => word.toLowerCase())
    const having = texts.filter((text) => parts.every((part) => text.includes(part)))
    return having.length / Math.max(texts.length, 1)
  }
}

/** What is searched of some products. */
async function someTexts(db: Db): Promise<readonly string[]> {
  const kept = samples.get(db)
  if (kept && performance.now() - kept.takenAt < keptForMs) return kept.texts
  const rows = await ask<{ text: string }>(
    db,
    'some products',
    // The same ones each time, so that a search finds what it found a minute ago.
    () => sql`select ${searched} as text from ${products} tablesample system (${share}) repeatable (0)
      where ${products.deletedAt} is null and ${isOfFourth}`,
    {},
  )
  const texts = rows.map(({ text }) => text)
  samples.set(db, { texts, takenAt: performance.now() })
  return texts
}
