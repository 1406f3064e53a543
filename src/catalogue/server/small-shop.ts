import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, totalOf } from './counts.ts'
import { givenOf, isOfPrice, keysOf, matching, part } from './matching.ts'
import type { List } from './near-pages.ts'
import type { Search } from './search-products.ts'
import { hasLetters, hasPart, hasSeenPart, isNamed, lettersOf } from './search-words.ts'
import { listedAsNamed, namesOfListed, productReply, type ListedRow } from './store.ts'
import { products } from './tables.ts'

type Row = ({ [C in keyof ListedRow]: null } | ListedRow) & { isSmall: boolean; total: number }

/**
 * A page of all products that match and have every word somewhere; undefined in a shop of more than `most` products.
 *
 * @param isByName first what has every word in its name
 */
export async function readSmallShop(
  db: Db,
  { words, filters, sort, page, limit }: Search,
  { most, isByName }: { most: number; isByName: boolean },
): Promise<List | undefined> {
  const letters = lettersOf('word', words)
  // The index knows three letters.
  const isIndexed = words.some(hasLetters)
  const rows = await ask<Row>(
    db,
    `${words.length} words of ${most} ${isIndexed ? 'indexed' : 'read'} ${isByName ? 'named' : sort} ${namesOfGiven(filters)}`,
    () => {
      const given = givenOf(filters, { isSeen: words.length > 0 && isOfPrice(filters) })
      const has = Object.keys(letters).map(isIndexed ? hasPart : hasSeenPart)
      const named = isByName ? and(...Object.keys(letters).map(isNamed)) : undefined
      return pageOfFound({ where: sql.join([matching(given), ...has], sql` and `), named, sort, most })
    },
    { ...filters, ...letters, offset: (page - 1) * limit, limit },
  )
  if (!rows[0]?.isSmall) return undefined
  return {
    products: rows.flatMap((row) => (row.id === null ? [] : productReply(row))),
    totalProducts: rows[0].total,
  }
}

type Found = { where: SQL; named: SQL | undefined; sort: ProductSort; most: number }

/** In the order of its page, and one row of nothing when there is nothing on it: how much there is it always says. */
function pageOfFound({ where, named = sql`true`, sort, most }: Found): SQL {
  const { keys, inOrder: inSort } = keysOf(sort)
  const inOrder = sql`named desc, ${inSort}`
  const isSmall = sql`(select "all" from counted) <= ${sql.raw(`${most}`)}`
  return sql`
    with counted as materialized (${totalOf({}, {})}),
    found as materialized (select ${products.id} as found, ${named} as named, ${keys} from ${products} where ${isSmall} and ${where})
    select ${namesOfListed}, ${isSmall} as "isSmall", (select count(*) from found)::float8 as total
    from (select 1) as one
      left join (select * from found order by ${inOrder} ${part}) as page on true
      left join lateral (select ${listedAsNamed} from ${products} where ${products.id} = page.found) as listed on true
    order by ${inOrder}`
}
