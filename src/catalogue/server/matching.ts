import { and, asc, desc, eq, gte, isNull, lte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { unseen } from '#shop/platform/statements.ts'
import { products } from './tables.ts'

/** What a list is narrowed to; both ends belong to a range of prices. */
export type Filters<T = never> = {
  category: string | T | undefined
  color: string | T | undefined
  minCents: number | T | undefined
  maxCents: number | T | undefined
}

/** What stands for each filter in a statement. */
export type Given = Partial<Filters<SQL>>

export function matching(filters: Given, price?: SQLWrapper): SQL {
  return sql`${isNull(products.deletedAt)} and ${narrowing(filters, price)}`
}

/** The price as no index has it in order: what costs something else is left out on the way, and not looked for. */
export const otherPrices = sql`${products.priceCents} + 0`

/** What `narrowing` compares, and the id: to hand on all columns takes longer than to read these out of an index. */
export const comparedColumns = sql`${products.id}, ${products.category}, ${products.color}, ${products.priceCents}`

/** Of what is for sale. */
export function narrowing(
  { category, color, minCents, maxCents }: Given,
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

// Each has an index in exactly this order, which the database reads from either end.
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

/** A part of a list, by what a statement is given or counts itself. */
export type Window = { offset: SQL; limit: SQL }
export const inWindow = ({ offset, limit }: Window) =>
  sql`limit (${limit})::bigint offset (${offset})::bigint`

/** Which part of a list a page is. */
export const page: Window = { offset: unseen('offset', 'float8'), limit: unseen('limit', 'float8') }
export const pagePart = inWindow(page)

/** Of the newest in a range of prices there may be next to none, or nearly all. */
export const dependsOnRange = (filters: Filters, sort: ProductSort) => isOfPrice(filters) && !isByPrice(sort)
export const isOfPrice = ({ minCents, maxCents }: Partial<Filters>) =>
  minCents !== undefined || maxCents !== undefined
/** Of one category or color, or both. */
export const isOfOne = ({ category, color }: Given) => category !== undefined || color !== undefined
export const isByDate = (sort: ProductSort): sort is 'newest' | 'oldest' =>
  sort === 'newest' || sort === 'oldest'
export const isByName = (sort: ProductSort) => sort === 'name' || sort === '-name'
export const isByCategory = (sort: ProductSort): sort is 'category' | '-category' =>
  sort === 'category' || sort === '-category'
export const isByPrice = (sort: ProductSort) => sort === 'price' || sort === '-price'

/** What a list is sorted by, under names of its own, and how. */
export function keysOf(sort: ProductSort) {
  const named = sorting[sort].map(({ by, isDescending }, index) => ({
    key: sql`${by} as ${sql.identifier(`key${index}`)}`,
    place: asSql({ by: sql.identifier(`key${index}`), isDescending }),
  }))
  const join = (parts: SQL[]) => sql.join(parts, sql`, `)
  return { keys: join(named.map(({ key }) => key)), inOrder: join(named.map(({ place }) => place)) }
}

/** Placeholders for the filters that there are. */
export function givenOf(filters: Filters): Given {
  const given = (name: keyof Filters, type: string) =>
    filters[name] === undefined ? undefined : unseen(name, type)
  return {
    category: given('category', 'text'),
    color: given('color', 'text'),
    minCents: given('minCents', 'int'),
    maxCents: given('maxCents', 'int'),
  }
}

/** What is asked for of the index that has a list of one category or color, or both, by itself: `one` in the column `last`. */
function ownIndex({ category, color, ...prices }: Given) {
  if (color !== undefined) return { rest: { ...prices, category }, last: products.color, one: color }
  return { rest: prices, last: products.category, one: category }
}

/** Of one category or color: as a range, since with the same plan for every color the database expects a seventh of each list. */
export function asFew(given: Given, price?: SQLWrapper): SQL {
  const { rest, last, one } = ownIndex(given)
  return sql`${matching(rest, price)} and ${last} between ${one} and ${one}`
}

/**
 * A list by date as its own index has it, ordered by its category or color first: what next to nothing has would be looked
 * for among all dates otherwise. The end is asked for as a row of two, of which the second never decides: from here to there
 * the database takes for half a percent of all, and would put all of it in order.
 */
export function inOwnIndex(given: Given, order: readonly Order[], price?: SQLWrapper) {
  if (!isOfOne(given)) return { matches: matching(given, price), order }
  const { rest, last, one } = ownIndex(given)
  const isTurned = order[0]?.isDescending !== newestFirst[0]?.isDescending
  return {
    matches: sql`${matching(rest, price)} and ${last} >= ${one} and (${last}, '') <= (${one}, '')`,
    order: [isTurned ? down(last) : up(last), ...order],
  }
}

/** What costs so much, in the order of prices: for the same reason its end is a row of two. */
export function inPriceOrder({ minCents, maxCents }: Given): SQL {
  const { priceCents } = products
  return sql`${matching({ minCents })} and ${maxCents === undefined ? sql`true` : sql`(${priceCents}, 0) <= (${maxCents}, 0)`}`
}

/** Whether an index has a list in its order with little of others between; all that is dear may be of one color. */
export function isInOrder(filters: Filters, sort: ProductSort): boolean {
  return isByDate(sort) || (!isOfOne(filters) && !dependsOnRange(filters, sort))
}
