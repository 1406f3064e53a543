import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product } from '#shop/catalogue/contract.ts'
import { maxLimit } from '#shop/contract/paging.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, nodesOf, totalOf } from './counts.ts'
import { isInOrder, shortWalk } from './far-pages.ts'
import {
  asSql,
  dependsOnRange,
  givenOf,
  isOfPrice,
  keysOf,
  matching,
  part,
  seenPart,
  sorting,
  type Filters,
} from './matching.ts'
import { listedAsNamed, namesOfListed, productsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

export type List = { products: Product[]; totalProducts: number }
export type Browsing = { filters: Filters; sort: ProductSort; page: number; limit: number }

/** A list of no more is put into order when it is asked for. */
const shortList = 1000

/** Nearly all that is asked for lies in the first so many of its list. */
const firstOnes = 100

/** No products where the page is neither, and no length of the list where that is not known yet. */
type Near = List | { products?: never; totalProducts?: number }

/** A page near the beginning of its list, or of a short list, with the length of the list in the same answer. */
export async function readNear(db: Db, { filters, sort, page, limit }: Browsing): Promise<Near> {
  const offset = (page - 1) * limit
  if (offset > shortWalk) return {}
  const depth = offset + limit <= firstOnes ? firstOnes : shortWalk + maxLimit
  const isFirst = isInOrder(filters, sort)
  const rows = await ask<NoneOr<ListedRow> & { total: number }>(
    db,
    `${isFirst ? depth : 'all'} ${sort} ${namesOfGiven(filters)}`,
    () => (isFirst ? firstPage(filters, sort, depth) : shortPage(filters, sort)),
    { ...filters, ...nodesOf(filters), offset, limit },
  )
  const [first] = rows
  if (!first) return {}
  const isFar = !isFirst && first.total > shortList
  return isFar ? { totalProducts: first.total } : { products: productsOf(rows), totalProducts: first.total }
}

/** @param depth the page lies in the first so many: without that, or the page itself, the database might put all in order */
function firstPage(filters: Filters, sort: ProductSort, depth: number): SQL {
  const isSeen = dependsOnRange(filters, sort)
  const given = givenOf(filters, { isSeen })
  const { keys, inOrder } = keysOf(sort)
  const order = sql`order by ${sql.join(sorting[sort].map(asSql), sql`, `)}`
  return sql`
    select ${namesOfListed}, (${totalOf(filters, given)}) as total
    from (
      select ${listedAsNamed}, ${keys} from ${products} where ${matching(given)}
      ${isSeen ? sql`` : sql`${order} limit ${sql.raw(`${depth}`)}`}
    ) as first
    order by ${inOrder} ${isSeen ? seenPart : part}`
}

/** Of a list that no index has in this order; its length alone when it is long. */
function shortPage(filters: Filters, sort: ProductSort): SQL {
  const given = givenOf(filters, { isSeen: isOfPrice(filters) })
  const { keys, inOrder } = keysOf(sort)
  return sql`
    with counted as materialized (${totalOf(filters, given)})
    select ${namesOfListed}, (select "all" from counted) as total
    from (select 1) as one left join (
      select ${listedAsNamed}, ${keys} from ${products}
      where (select "all" from counted) <= ${sql.raw(`${shortList}`)} and ${matching(given)}
      order by ${inOrder} ${part}
    ) as page on true
    order by ${inOrder}`
}
