import { sql, type SQL } from 'drizzle-orm'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import type { Filters } from './matching.ts'
import { nodesOfPrices } from './price-nodes.ts'

export async function countMatches(db: Db, filters: Filters): Promise<number> {
  const { rows } = await db.execute<{ all: number }>(countOf(filters, parametersOf(filters)))
  return onlyRow(rows).all
}

type Counted = { [F in 'category' | 'color']: unknown }
type Nodes = { [N in 'levels' | 'firsts' | 'lasts']: unknown }

/** From counts that triggers keep: by price, in steps of a cent up to ten thousand dollars, category and color. */
export function countOf(filters: Counted, nodes: Nodes): SQL {
  return sql`select coalesce(sum(of_range.products), 0)::float8 as all ${nodesIn(filters, nodes)}`
}

/** The same for each category by itself, in their order. */
export async function countByCategory(
  db: Db,
  filters: Filters,
): Promise<{ category: string; total: number }[]> {
  const { rows } = await db.execute<{ category: string; total: number }>(sql`
    select category, sum(of_range.products)::float8 as total ${nodesIn(filters, parametersOf(filters))}
    group by category order by category`)
  return rows
}

/** Summed range by range, so that the database looks each up and does not read all there is to compare with it. */
function nodesIn({ category, color }: Counted, { levels, firsts, lasts }: Nodes): SQL {
  return sql`from unnest(${levels}::int[], ${firsts}::int[], ${lasts}::int[]) as range(level, first, last)
    cross join lateral (
      select category, sum(products) as products from product_counts as kept
      where kept.level = range.level and kept.node between range.first and range.last
        ${category === undefined ? sql`` : sql`and kept.category = ${category}`}
        ${color === undefined ? sql`` : sql`and kept.color = ${color}`}
      group by category
    ) as of_range`
}

export const nodePlaceholders = {
  levels: sql.placeholder('levels'),
  firsts: sql.placeholder('firsts'),
  lasts: sql.placeholder('lasts'),
}

export function nodesOf({ minCents, maxCents }: Filters) {
  const nodes = nodesOfPrices(minCents, maxCents)
  return {
    levels: nodes.map(({ level }) => level),
    firsts: nodes.map(({ first }) => first),
    lasts: nodes.map(({ last }) => last),
  }
}

export function parametersOf(filters: Filters) {
  const { levels, firsts, lasts } = nodesOf(filters)
  return { levels: sql.param(levels), firsts: sql.param(firsts), lasts: sql.param(lasts) }
}
