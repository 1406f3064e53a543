import { and, sql, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { priceRanges } from '#shop/catalogue/choices.ts'
import { unseen } from '#shop/platform/statements.ts'
import type { Filters } from './matching.ts'
import { allPrices } from './price-nodes.ts'

const offered = priceRanges.map(({ min, max }) => ({
  minCents: min * 100,
  maxCents: max === null ? allPrices.maxCents : max * 100,
}))

/** Whether the range of prices is one that the shop offers, or the one of all: what lies in these is counted. */
export function isOffered({ minCents = 0, maxCents = allPrices.maxCents }: Partial<Filters>): boolean {
  return [allPrices, ...offered].some((range) => range.minCents === minCents && range.maxCents === maxCents)
}

const category = unseen('category', 'text')
const color = unseen('color', 'text')
const minCents = unseen('minCents', 'int')
const maxCents = unseen('maxCents', 'int')

/**
 * How much of a filter's list lies in which block, with placeholders for `listOf` the filters: as it is counted, or, in
 * other ranges of prices, by what everything in the block costs.
 *
 * @param starts where a block starts, as its columns
 */
export function blocksOf(blocks: PgTable, starts: SQL, filters: Partial<Filters>, isOfKind = sql`true`): SQL {
  if (isOffered(filters)) {
    return sql`select ${starts}, products::int from ${blocks} where ${isOfKind} and category = ${category}
      and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}`
  }
  // Of any color a category has rows of its own; the few categories are summed.
  const isOfCategory = filters.category === undefined ? undefined : sql`category = ${category}`
  const matches = and(isOfKind, isOfCategory, sql`color = ${color}`)
  return sql`select ${starts},
    sum(width_bucket(${maxCents}, prices) - width_bucket(${minCents} - 1, prices))::int as products
    from ${blocks} where prices is not null and ${matches} group by ${starts}`
}

/** The list among blocks that filters make. */
export function listOf(filters: Partial<Filters>) {
  const { category = '', color = '', minCents = 0, maxCents = allPrices.maxCents } = filters
  return { category, color, minCents, maxCents }
}
