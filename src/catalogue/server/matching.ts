import { and, asc, desc, eq, gte, isNull, lte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import { products } from './tables.ts'

/** The filters of a list. A price range includes both of its ends. */
export type Filters<T = never> = {
  category: string | T | undefined
  color: string | T | undefined
  minCents: number | T | undefined
  maxCents: number | T | undefined
}

/** The placeholder of each filter in a statement. */
export type FilterPlaceholders = Partial<Filters<SQL>>

export function matching(filters: FilterPlaceholders, price?: SQLWrapper): SQL {
  return sql`${isNull(products.deletedAt)} and ${narrowing(filters, price)}`
}

/** The price as an expression that no index has: a scan skips other prices, but no index is searched by price. */
export const otherPrices = sql`${products.priceCents} + 0`

/** The id and what `narrowing` compares. Passing on all columns takes longer than reading these from an index. */
export const comparedColumns = sql`${products.id}, ${products.category}, ${products.color}, ${products.priceCents}`

/** The filters as conditions. `matching` adds that a product is for sale. */
export function narrowing(
  { category, color, minCents, maxCents }: FilterPlaceholders,
  price: SQLWrapper = products.priceCents,
): SQL {
  const all = and(
    category === undefined ? undefined : eq(products.category, category),
    color === undefined ? undefined : eq(products.color, color),
    minCents === undefined ? undefined : gte(price, minCents),
    maxCents === undefined ? undefined : lte(price, maxCents),
  )
  return all ?? sql`true`
}

export type Order = { by: Parameters<typeof asc>[0]; isDescending: boolean }
const up = (by: Order['by']): Order => ({ by, isDescending: false })
const down = (by: Order['by']): Order => ({ by, isDescending: true })
export const turn = ({ by, isDescending }: Order): Order => ({ by, isDescending: !isDescending })
const asSql = ({ by, isDescending }: Order): SQL => (isDescending ? desc(by) : asc(by))
export const orderBy = (order: readonly Order[]): SQL => sql.join(order.map(asSql), sql`, `)

// Each order has an index in exactly this order, which the database can read from either end.
export const newestFirst = [down(products.createdAt), up(products.id)]
const name = sql`lower(${products.name})`
export const sorting: Record<ProductSort, readonly Order[]> = {
  newest: newestFirst,
  oldest: newestFirst.map(turn),
  name: [up(name), ...newestFirst],
  '-name': [down(name), ...newestFirst],
  price: [up(products.priceCents), ...newestFirst],
  '-price': [down(products.priceCents), ...newestFirst],
  category: [up(products.category), ...newestFirst],
  '-category': [down(products.category), ...newestFirst],
  rating: [up(products.rating), ...newestFirst],
  '-rating': [down(products.rating), ...newestFirst],
}

/** A part of a list; the SQL refers to placeholders of a statement, or to what it counts itself. */
export type Window = { offset: SQL; limit: SQL }
export const inWindow = ({ offset, limit }: Window) =>
  sql`limit (${limit})::bigint offset (${offset})::bigint`

/** The part of a list that a page shows. */
export const page: Window = {
  offset: typedPlaceholder('offset', 'float8'),
  limit: typedPlaceholder('limit', 'float8'),
}
export const pagePart = inWindow(page)

/**
 * Whether a price range may leave next to none, or nearly all, of the products that a scan in this order passes.
 */
export const dependsOnRange = (filters: Filters, sort: ProductSort) =>
  hasPriceRange(filters) && !isByPrice(sort)
export const hasPriceRange = ({ minCents, maxCents }: Partial<Filters>) =>
  minCents !== undefined || maxCents !== undefined
/** Whether a list is of one category, one color or both. */
export const hasCategoryOrColor = ({ category, color }: FilterPlaceholders) =>
  category !== undefined || color !== undefined
export const isByDate = (sort: ProductSort): sort is 'newest' | 'oldest' =>
  sort === 'newest' || sort === 'oldest'
export const isByName = (sort: ProductSort) => sort === 'name' || sort === '-name'
export const isByCategory = (sort: ProductSort): sort is 'category' | '-category' =>
  sort === 'category' || sort === '-category'
export const isByPrice = (sort: ProductSort) => sort === 'price' || sort === '-price'

/** The columns that a list is sorted by, with aliases, and the order by these aliases. */
export function keysOf(sort: ProductSort) {
  const named = sorting[sort].map(({ by, isDescending }, index) => ({
    key: sql`${by} as ${sql.identifier(`key${index}`)}`,
    inOrder: asSql({ by: sql.identifier(`key${index}`), isDescending }),
  }))
  const join = (parts: SQL[]) => sql.join(parts, sql`, `)
  return { keys: join(named.map(({ key }) => key)), inOrder: join(named.map(({ inOrder }) => inOrder)) }
}

/** Placeholders for the filters that are set. */
export function placeholdersOf(filters: Filters): FilterPlaceholders {
  const placeholderOf = (name: keyof Filters, type: string) =>
    filters[name] === undefined ? undefined : typedPlaceholder(name, type)
  return {
    category: placeholderOf('category', 'text'),
    color: placeholderOf('color', 'text'),
    minCents: placeholderOf('minCents', 'int'),
    maxCents: placeholderOf('maxCents', 'int'),
  }
}

/**
 * How to read the index that has a list of one category, color or both to itself: its column for the color or, if
 * there is none, the category, the value to look for, and the other filters as `rest`.
 */
function ownIndex({ category, color, ...prices }: FilterPlaceholders) {
  if (color !== undefined) return { column: products.color, value: color, rest: { ...prices, category } }
  return { column: products.category, value: category, rest: prices }
}

/**
 * The list of one category or color, as a range: with one plan for all colors, the planner would expect a seventh
 * of all products for an equality.
 */
export function matchingAsRange(filters: FilterPlaceholders, price: SQLWrapper): SQL {
  const { column, value, rest } = ownIndex(filters)
  return sql`${matching(rest, price)} and ${column} between ${value} and ${value}`
}

/**
 * A list by date in its own index, ordered by its category or color first. Otherwise a color with hardly any
 * products would be searched for among all dates. The range ends with a pair, whose second value never decides:
 * for a plain range the planner expects half a percent of all products, and would sort them all.
 */
export function inOwnIndex(filters: FilterPlaceholders, order: readonly Order[]) {
  if (!hasCategoryOrColor(filters)) return { matches: matching(filters), order }
  const { column, value, rest } = ownIndex(filters)
  const isTurned = order[0]?.isDescending !== newestFirst[0]?.isDescending
  return {
    matches: sql`${matching(rest)} and ${column} >= ${value} and (${column}, '') <= (${value}, '')`,
    order: [isTurned ? down(column) : up(column), ...order],
  }
}

/** A price range in the order of prices. It ends with a pair for the same reason. */
export function inPriceOrder({ minCents, maxCents }: FilterPlaceholders): SQL {
  const { priceCents } = products
  return sql`${matching({ minCents })} and ${maxCents === undefined ? sql`true` : sql`(${priceCents}, 0) <= (${maxCents}, 0)`}`
}

/**
 * Whether an index has a list in its order with few other products in between. Filters may leave long gaps: all
 * dear products, say, may be of one color.
 */
export function isInOrder(filters: Filters, sort: ProductSort): boolean {
  return isByDate(sort) || (!hasCategoryOrColor(filters) && !dependsOnRange(filters, sort))
}
