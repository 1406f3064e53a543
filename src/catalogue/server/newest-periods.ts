import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { listOf } from './blocks.ts'
import { productBlocks, products } from './tables.ts'

/** Days, and groups of 4, 16, 64 and 256 of them, as the index of letters knows them; see the migrations. */
type Periods = readonly number[]

/** A period has two to the power of so many days. */
const allBits = [8, 6, 4, 2, 0]
/** Among so many products a search finds most of what is rare. */
const fewest = 15_000
/** Where nearly all came on one day, these are no fewer to look through than all. */
const most = 100_000

const keptForMs = 60_000
const kept = new WeakMap<Db, { periods: Periods | undefined; askedAt: number }>()

/** Those in which the newest products came, or undefined where these are nearly all. */
export async function newestPeriods(db: Db): Promise<Periods | undefined> {
  const known = kept.get(db)
  if (known && performance.now() - known.askedAt < keptForMs) return known.periods
  const [newest] = await ask<{ day: number; today: number; products: number }>(
    db,
    'newest products',
    () => {
      const [category, color] = [unseen('category', 'text'), unseen('color', 'text')]
      const [minCents, maxCents] = [unseen('minCents', 'int'), unseen('maxCents', 'int')]
      return sql`
        with blocks as materialized (
          select case when starts_at < 'infinity' then period_of(0, starts_at) end as day, products,
            sum(products) over (order by starts_at desc, starts_id) - products as before
          from ${productBlocks}
          where category = ${category} and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}
        )
        select day, period_of(0, now()) as today, (
          select sum(products) from blocks where blocks.day is null or blocks.day >= newest.day
        )::float8 as products
        from blocks as newest where before >= ${sql.raw(`${fewest}`)} order by before limit 1`
    },
    listOf({}),
  )
  // What is kept is soon asked after midnight.
  const periods = newest && newest.products <= most ? periodsFrom(newest.day, newest.today + 1) : undefined
  kept.set(db, { periods, askedAt: performance.now() })
  return periods
}

/** All days from one on, in as few periods as there are: each as long as it can begin on its first day. */
function periodsFrom(day: number, lastDay: number): number[] {
  const periods: number[] = []
  for (let next = day; next <= lastDay;) {
    const bits = allBits.find((each) => next % 2 ** each === 0) ?? 0
    periods.push(bits * 2 ** 24 + next / 2 ** bits)
    next += 2 ** bits
  }
  return periods
}

/** Came in one of `periods`, a value of the statement. */
export const cameInPeriods = sql`periods_of(${products.createdAt}) && ${unseen('periods', 'int[]')}`
