import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { idsInRange } from './in-range.ts'
import {
  dependsOnRange,
  placeholdersOf,
  inOwnIndex,
  inWindow,
  isByDate,
  hasCategoryOrColor,
  keysOf,
  matching,
  orderBy,
  page,
  pagePart,
  sorting,
  type Filters,
  type Order,
  type Window,
} from './matching.ts'
import { queryPart, ofIds, type Found, type Part } from './list-part.ts'
import { listedAsNamed } from './store.ts'
import { products } from './tables.ts'

/** Nearly all requests are for pages within this many first products of a list. */
export const firstOnes = 100

/**
 * Walks to a page from the beginning of its list, because an index has this order, or because the list is not
 * counted. In a price range the walk may be long: then nothing is found, unless it is read `atAnyCost`.
 */
export function readNear(db: Db, part: Part, atAnyCost = false): Promise<Found> {
  const { filters, sort, before, limit } = part
  const isOfFirst =
    before + limit <= firstOnes && !hasCategoryOrColor(filters) && !dependsOnRange(filters, sort)
  const name = isOfFirst ? 'first' : atAnyCost ? 'near at any cost' : 'near'
  return queryPart(db, part, { name }, () => ({
    page: isOfFirst
      ? ofFirst(filters, sort)
      : ofIds(sort, idsOf(filters, sort, sorting[sort], { window: page, atAnyCost })),
  }))
}

/** The first rows of a list are read directly, which is faster than by their ids. */
function ofFirst(filters: Filters, sort: ProductSort): SQL {
  const { keys, inOrder } = keysOf(sort)
  // The limit is a literal: with a placeholder the database might sort the whole list.
  return sql`
    select * from (
      select ${listedAsNamed}, ${keys} from ${products} where ${matching(placeholdersOf(filters))}
      order by ${orderBy(sorting[sort])} limit ${sql.raw(`${firstOnes}`)}
    ) as first order by ${inOrder} ${pagePart}`
}

/**
 * The ids of a part, in a statement that begins `withCounts`. Only ids, so that an index alone is read, however
 * much is passed over before them.
 *
 * @param order the order of the list, or its reverse
 * @param wanted which part in that order, and how it is read; see `idsInRange`
 */
export function idsOf(
  filters: Filters,
  sort: ProductSort,
  order: readonly Order[],
  wanted: { window: Window; atAnyCost: boolean },
): SQL {
  if (dependsOnRange(filters, sort)) return idsInRange(filters, sort, order, wanted)
  const placeholders = placeholdersOf(filters)
  const own = isByDate(sort) ? inOwnIndex(placeholders, order) : { matches: matching(placeholders), order }
  return sql`select ${products.id} from ${products} where ${own.matches} order by ${orderBy(own.order)} ${inWindow(wanted.window)}`
}
