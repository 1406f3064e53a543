import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import { blocksOf, listOf } from './blocks.ts'
import { productBlocks, products } from './tables.ts'

/** Days, and groups of 4, 16, 64 and 256 of them, as the index of letters knows them; see the migrations. */
type Periods = readonly number[]
type Order = 'newest' | 'oldest'

/** A period has two to the power of so many days. */
const allBits = [8, 6, 4, 2, 0]
/** Among so many products a search finds most of what is rare. */
const fewest = sql.raw('12000')
/** Where nearly all came on one day, these are no fewer to look through than all. */
const most = 100_000

const keptForMs = 60_000
type Kept = { periods: Periods | undefined; askedAt: number }
const kept = { newest: new WeakMap<Db, Kept>(), oldest: new WeakMap<Db, Kept>() }

/** Those in which the first products by date came, or undefined where these are nearly all. */
export async function firstPeriods(db: Db, order: Order): Promise<Periods | undefined> {
  const known = kept[order].get(db)
  if (known && performance.now() - known.askedAt < keptForMs) return known.periods
  const [days] = await ask<{ first: number; last: number; products: number }>(
    db,
    `days of the ${order}`,
    () => sql`
      with blocks as materialized (
        select *, case when starts_at < 'infinity' then period_of(0, starts_at) end as day
        from (${blocksOf(productBlocks, sql`starts_at, starts_id`, {})}) as each
      )
      ${order === 'newest' ? daysOfNewest : daysOfOldest}`,
    listOf({}),
  )
  const periods = days && days.products <= most ? periodsFrom(days.first, days.last) : undefined
  kept[order].set(db, { periods, askedAt: performance.now() })
  return periods
}

// What is kept is soon asked after midnight: the last period of 256 days is all of it.
const daysOfNewest = sql`
  select day as first, (period_of(0, now()) + 1) | 255 as last,
    (select sum(products) from blocks where blocks.day is null or blocks.day >= block.day)::float8 as products
  from (select day, sum(products) over (order by starts_at desc, starts_id) - products as newer from blocks) as block
  where newer >= ${fewest} order by newer limit 1`
const daysOfOldest = sql`
  select (select period_of(0, min(created_at)) from ${products} where deleted_at is null) as first, day as last,
    (select sum(products) from blocks where blocks.day <= block.day)::float8 as products
  from (select day, sum(products) over (order by starts_at, starts_id desc) as older from blocks) as block
  where older >= ${fewest} and day is not null order by older limit 1`

/** All days from one to another, in as few periods as there are. */
function periodsFrom(day: number, lastDay: number): number[] {
  const periods: number[] = []
  for (let next = day; next <= lastDay;) {
    const isWithin = (bits: number) => next % 2 ** bits === 0 && next + 2 ** bits - 1 <= lastDay
    const bits = allBits.find(isWithin) ?? 0
    periods.push(bits * 2 ** 24 + next / 2 ** bits)
    next += 2 ** bits
  }
  return periods
}

/** Came in one of `periods`, a value of the statement. */
export const cameInPeriods = sql`periods_of(${products.createdAt}) && ${unseen('periods', 'int[]')}`
