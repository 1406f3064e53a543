import { and, sql, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { priceRanges } from '#shop/catalogue/choices.ts'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import type { Filters } from './matching.ts'
import { allPrices } from './price-nodes.ts'

const offered = priceRanges.map(({ min, max }) => ({
  minCents: min * 100,
  maxCents: max === null ? allPrices.maxCents : max * 100,
}))

/** Whether a price range is one that the shop offers, or all prices. Blocks store counts for these only. */
export function isOffered({ minCents = 0, maxCents = allPrices.maxCents }: Partial<Filters>): boolean {
  return [allPrices, ...offered].some((range) => range.minCents === minCents && range.maxCents === maxCents)
}

const category = typedPlaceholder('category', 'text')
const color = typedPlaceholder('color', 'text')
const minCents = typedPlaceholder('minCents', 'int')
const maxCents = typedPlaceholder('maxCents', 'int')

/**
 * Selects how many products of a filtered list lie in each block; its placeholders take the values of `listOf`.
 * Offered price ranges have stored counts. For any other range it counts the prices stored with each block.
 *
 * @param starts the columns that say where a block starts; `inOrder`: the order of the list by these
 */
export function blocksOf(
  blocks: PgTable,
  { starts, inOrder }: { starts: SQL; inOrder: SQL },
  filters: Partial<Filters>,
  isOfKind = sql`true`,
): SQL {
  if (isOffered(filters)) {
    return sql`select ${starts}, products::int from ${blocks} where ${isOfKind} and category = ${category}
      and color = ${color} and min_cents = ${minCents} and max_cents = ${maxCents}`
  }
  // Prices are stored per category, once for each color and once for all colors. Without a category filter, the
  // few categories are summed.
  const isOfCategory = filters.category === undefined ? undefined : sql`category = ${category}`
  const matches = and(isOfKind, isOfCategory, sql`color = ${color}`)
  // An index has them in order, so that whoever sums them up can stop at the page. Behind a limit that it does not
  // know, the planner reads that index; none of the blocks is ever cut off.
  return sql`select ${starts},
    sum(width_bucket(${maxCents}, prices) - width_bucket(${minCents} - 1, prices))::int as products
    from (
      select * from ${blocks} where prices is not null and ${matches} order by ${inOrder} limit (select 1e9)
    ) as each group by ${starts} order by ${inOrder}`
}

/** The key of a filtered list in the block tables. */
export function listOf(filters: Partial<Filters>) {
  const { category = '', color = '', minCents = 0, maxCents = allPrices.maxCents } = filters
  return { category, color, minCents, maxCents }
}
