import { and, asc, desc, eq, gte, isNull, lte, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { products } from './tables.ts'

/** What a list is narrowed to; both ends belong to a range of prices. */
export type Filters<T = never> = {
  category: string | T | undefined
  color: string | T | undefined
  minCents: number | T | undefined
  maxCents: number | T | undefined
}

type Given = Partial<Filters<Placeholder | SQL>>

export function matching(filters: Given): SQL {
  return sql`${isNull(products.deletedAt)} and ${narrowing(filters)}`
}

/** Of what is for sale. */
export function narrowing({ category, color, minCents, maxCents }: Given): SQL {
  const all = and(
    category === undefined ? undefined : eq(products.category, category),
    color === undefined ? undefined : eq(products.color, color),
    minCents === undefined ? undefined : gte(products.priceCents, minCents),
    maxCents === undefined ? undefined : lte(products.priceCents, maxCents),
  )
  return all ?? sql`true`
}

export type Order = { by: Parameters<typeof asc>[0]; isDescending: boolean }
const up = (by: Order['by']): Order => ({ by, isDescending: false })
const down = (by: Order['by']): Order => ({ by, isDescending: true })
export const turn = ({ by, isDescending }: Order): Order => ({ by, isDescending: !isDescending })
export const asSql = ({ by, isDescending }: Order): SQL => (isDescending ? desc(by) : asc(by))

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
