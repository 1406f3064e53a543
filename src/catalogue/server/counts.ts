import { and, sql, type SQL } from 'drizzle-orm'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import { placeholdersOf, hasCategoryOrColor, hasPriceRange, type Filters } from './matching.ts'
import { nodesOfPrices, topLevel } from './price-nodes.ts'

/**
 * Which filters are set, for a statement's name: two lists with the same filters differ only in values. Three
 * letters of each, so that a name is seldom longer than PostgreSQL's 63 characters.
 */
export const filterNamesOf = (filters: Partial<Filters>) =>
  Object.entries(filters)
    .flatMap(([name, value]) => (value === undefined ? [] : name.slice(0, 3)))
    .join(' ')

/**
 * The beginning of a statement that needs the length of its list. It defines `totalCounted` and, in a price range,
 * `counts` of the list at any price, of the range and of the shop.
 */
export function withCounts(filters: Filters): SQL {
  const placeholders = placeholdersOf(filters)
  const total = hasPriceRange(filters) ? countOf(placeholders) : countAtAnyPrice(placeholders)
  const counted = sql`with counted as materialized (${total})`
  if (!hasPriceRange(filters)) return counted
  const inRange = hasCategoryOrColor(filters) ? sql`(${countOf({})})` : totalCounted
  return sql`${counted}, around as materialized (
    select (${countAtAnyPrice(placeholders)}) as in_list, ${inRange} as in_range, (${countAtAnyPrice({})}) as in_shop
  )`
}

const columnOf = (table: string, name: string) =>
  sql`(select ${sql.identifier(name)} from ${sql.identifier(table)})`
export const totalCounted = columnOf('counted', 'all')
export const counts = {
  inList: columnOf('around', 'in_list'),
  inRange: columnOf('around', 'in_range'),
  inShop: columnOf('around', 'in_shop'),
}

type Counted = { [F in 'category' | 'color']?: unknown }

/**
 * Counts products from `product_counts`, which triggers keep by price (in steps from a cent up to ten thousand
 * dollars), category and color.
 *
 * @param range the prefix of its placeholders, the same as for `nodesOf`
 */
export function countOf(filters: Counted, range = ''): SQL {
  return sql`select coalesce(sum(of_range.products), 0)::float8 as all
    ${sumOverRanges(sql`sum(products) as products`, isCounted(filters), range)}`
}

/** The same count at any price. */
export function countAtAnyPrice(filters: Counted): SQL {
  return sql`select coalesce(sum(stored.products), 0)::float8 as all from product_counts as stored
    where stored.level = ${sql.raw(`${topLevel}`)} and ${isCounted(filters)}`
}

/** The same count for each category; its placeholders take the values of `nodesOf`. */
export function countByCategory(filters: Filters): SQL {
  const isOfCategory = and(sql`stored.category <> ''`, ...filterConditionsOf(placeholdersOf(filters)))
  return sql`select category, sum(of_range.products)::float8 as products
    ${sumOverRanges(sql`category, sum(products) as products`, sql`${isOfCategory} group by category`)}
    group by category`
}

/** Sums range by range: each range is then looked up in the index, instead of comparing it with all counts. */
function sumOverRanges(what: SQL, where: SQL, name = ''): SQL {
  const [levels, firsts, lasts] = [
    typedPlaceholder(`${name}levels`, 'int[]'),
    typedPlaceholder(`${name}firsts`, 'int[]'),
    typedPlaceholder(`${name}lasts`, 'int[]'),
  ]
  return sql`from unnest(${levels}, ${firsts}, ${lasts}) as range(level, first, last)
    cross join lateral (
      select ${what} from product_counts as stored
      where stored.level = range.level and stored.node between range.first and range.last and ${where}
    ) as of_range`
}

/** All categories and colors together have rows of their own, under ''. */
export function isCounted(filters: Counted): SQL {
  const conditions = filterConditionsOf(filters)
  return conditions.length > 0
    ? sql.join(conditions, sql` and `)
    : sql`stored.category = '' and stored.color = ''`
}

function filterConditionsOf({ category, color }: Counted): SQL[] {
  return [
    ...(category === undefined ? [] : [sql`stored.category = ${category}`]),
    ...(color === undefined ? [] : [sql`stored.color = ${color}`]),
  ]
}

export function nodesOf({ minCents, maxCents }: Partial<Filters>, name = '') {
  const nodes = nodesOfPrices(minCents, maxCents)
  return {
    [`${name}levels`]: nodes.map(({ level }) => level),
    [`${name}firsts`]: nodes.map(({ first }) => first),
    [`${name}lasts`]: nodes.map(({ last }) => last),
  }
}
