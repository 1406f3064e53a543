import { sql, type SQL } from 'drizzle-orm'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
import type { Filters } from './matching.ts'
import { nodesOfPrices, topLevel } from './price-nodes.ts'

export async function countMatches(db: Db, filters: Filters): Promise<number> {
  const rows = await ask<{ all: number }>(
    db,
    `count ${namesOfGiven(filters)}`,
    () =>
      totalOf(filters, {
        category: filters.category === undefined ? undefined : unseen('category', 'text'),
        color: filters.color === undefined ? undefined : unseen('color', 'text'),
      }),
    { ...filters, ...nodesOf(filters) },
  )
  return onlyRow(rows).all
}

/**
 * Which filters there are, whatever they are: of two lists with the same ones only the values differ. Three letters of
 * each, because the database takes 63 for a whole name.
 */
export const namesOfGiven = (filters: Filters) =>
  Object.entries(filters)
    .flatMap(([name, value]) => (value === undefined ? [] : name.slice(0, 3)))
    .join(' ')

export const isOfPrice = ({ minCents, maxCents }: Partial<Filters>) =>
  minCents !== undefined || maxCents !== undefined

/** The length of a list as a question within another, with placeholders for the filters and for `nodesOf` them. */
export function totalOf(filters: Partial<Filters>, given: Counted): SQL {
  return isOfPrice(filters) ? countOf(given, nodePlaceholders) : countAtAnyPrice(given)
}

type Counted = { [F in 'category' | 'color']?: unknown }
type Nodes = { [N in 'levels' | 'firsts' | 'lasts']: unknown }

/** From counts that triggers keep: by price, in steps of a cent up to ten thousand dollars, category and color. */
export function countOf(filters: Counted, nodes: Nodes): SQL {
  return sql`select coalesce(sum(of_range.products), 0)::float8 as all
    ${ofRanges(sql`select sum(products) as products ${nodesOfRange(filters)}`, nodes)}`
}

/** The same at any price. */
function countAtAnyPrice(filters: Counted): SQL {
  return sql`select coalesce(sum(kept.products), 0)::float8 as all from product_counts as kept
    where kept.level = ${sql.raw(`${topLevel}`)} ${isCounted(filters)}`
}

/** The same for each category by itself, in their order. */
export async function countByCategory(
  db: Db,
  filters: Filters,
): Promise<{ category: string; total: number }[]> {
  const perRange = sql`select category, sum(products) as products ${nodesOfRange(filters)} group by category`
  const { rows } = await db.execute<{ category: string; total: number }>(sql`
    select category, sum(of_range.products)::float8 as total ${ofRanges(perRange, parametersOf(filters))}
    group by category order by category`)
  return rows
}

/** Summed range by range, so that the database looks each up and does not read all there is to compare with it. */
function ofRanges(perRange: SQL, { levels, firsts, lasts }: Nodes): SQL {
  return sql`from unnest(${levels}::int[], ${firsts}::int[], ${lasts}::int[]) as range(level, first, last)
    cross join lateral (${perRange}) as of_range`
}

function nodesOfRange(filters: Counted): SQL {
  return sql`from product_counts as kept
    where kept.level = range.level and kept.node between range.first and range.last ${isCounted(filters)}`
}

function isCounted({ category, color }: Counted): SQL {
  return sql`${category === undefined ? sql`` : sql`and kept.category = ${category}`}
    ${color === undefined ? sql`` : sql`and kept.color = ${color}`}`
}

const nodePlaceholders = {
  levels: unseen('levels', 'int[]'),
  firsts: unseen('firsts', 'int[]'),
  lasts: unseen('lasts', 'int[]'),
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
