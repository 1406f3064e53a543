import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { listOf } from './blocks.ts'
import { productBlocks, products } from './tables.ts'

/** The newest products, by the days or groups of days in which they came; see the migrations. */
export type Periods = { periods: readonly number[]; bits: number }

/** A period has two to the power of so many days, and this place in what is indexed. */
const allBits = [0, 2, 4, 6, 8]
/** The index joins the lists of so few periods quickly, and they are as many products as a search finds most things among. */
const periodsTogether = 4
const fewest = 15_000
/** Where nearly all came at once, these are no fewer to look through than all. */
const most = 100_000

const keptForMs = 60_000
const kept = new WeakMap<Db, { newest: Periods | undefined; askedAt: number }>()

/** The shortest periods that are enough, or undefined where a shop has none such. What comes in the meantime belongs to them. */
export async function newestPeriods(db: Db): Promise<Periods | undefined> {
  const known = kept.get(db)
  if (known && performance.now() - known.askedAt < keptForMs) return known.newest
  const rows = await ask<Periods & { products: number }>(db, 'newest periods', latestOfEach, {
    ...listOf({}),
    allBits,
  })
  const enough = rows.find((row) => row.products >= fewest)
  const newest = enough && enough.products <= most ? enough : undefined
  kept.set(db, { newest, askedAt: performance.now() })
  return newest
}

/** The latest in which anything came, of each length, and about how many that are. */
function latestOfEach(): SQL {
  const latest = (before: SQL) => sql`(select max(${products.createdAt}) from ${products}
    where ${products.deletedAt} is null and ${before})`
  const start = sql`((date '1970-01-01' + ((period_of(0, at) >> bits) << bits))::timestamp at time zone 'UTC')`
  const [category, color] = [unseen('category', 'text'), unseen('color', 'text')]
  const [minCents, maxCents] = [unseen('minCents', 'int'), unseen('maxCents', 'int')]
  return sql`
    with recursive latest(bits, nth, at) as (
      select bits, 1, ${latest(sql`true`)} from unnest(${unseen('allBits', 'int[]')}) as bits
      union all
      select bits, nth + 1, ${latest(sql`${products.createdAt} < ${start}`)} from latest
      where nth < ${sql.raw(`${periodsTogether}`)} and at is not null
    )
    select bits, array_agg(period_of(bits, at)) as periods, (
      select coalesce(sum(blocks.products), 0) from ${productBlocks} as blocks
      where category = ${category} and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}
        and starts_at > min(${start})
    )::float8 as products
    from latest where at is not null group by bits order by bits`
}

/** Came in one of them, or in the one of now, which nothing may have come in when they were looked for. */
export function cameIn(periods: Periods) {
  const now = sql`(periods_of(now()))[${sql.raw(`${allBits.indexOf(periods.bits) + 1}`)}]`
  return {
    where: sql`periods_of(${products.createdAt}) && (select array_append(${sql.placeholder('periods')}::int[], ${now}))`,
    values: { periods: periods.periods },
  }
}
