import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, totalOf } from './counts.ts'
import { givenOf, isOfPrice, keysOf, matching, part } from './matching.ts'
import type { List } from './near-pages.ts'
import type { Search } from './search-products.ts'
import { hasLetters, hasPart, hasSeenPart, lettersOf } from './search-words.ts'
import { listedAsNamed, namesOfListed, productReply, type ListedRow } from './store.ts'
import { products } from './tables.ts'

type Row = ({ [C in keyof ListedRow]: null } | ListedRow) & { isSmall: boolean; total: number }

/**
 * A page of all products that match and have every word somewhere; undefined in a shop of more than `most` products.
 */
export async function readSmallShop(
  db: Db,
  { words, filters, sort, page, limit }: Search,
  most: number,
): Promise<List | undefined> {
  const letters = lettersOf('word', words)
  // The index knows three letters.
  const isIndexed = words.some(hasLetters)
  const rows = await ask<Row>(
    db,
    `${words.length} words of ${most} ${isIndexed ? 'indexed' : 'read'} ${sort} ${namesOfGiven(filters)}`,
    () => {
      const given = givenOf(filters, { isSeen: words.length > 0 && isOfPrice(filters) })
      const has = Object.keys(letters).map(isIndexed ? hasPart : hasSeenPart)
      return pageOfFound(sql.join([matching(given), ...has], sql` and `), sort, most)
    },
    { ...filters, ...letters, offset: (page - 1) * limit, limit },
  )
  if (!rows[0]?.isSmall) return undefined
  return {
    products: rows.flatMap((row) => (row.id === null ? [] : productReply(row))),
    totalProducts: rows[0].total,
  }
}

/** In the order of its page, and one row of nothing when there is nothing on it: how much there is it always says. */
function pageOfFound(where: SQL, sort: ProductSort, most: number): SQL {
  const { keys, inOrder } = keysOf(sort)
  const isSmall = sql`(select "all" from counted) <= ${sql.raw(`${most}`)}`
  return sql`
    with counted as materialized (${totalOf({}, {})}),
    found as materialized (select ${products.id} as found, ${keys} from ${products} where ${isSmall} and ${where})
    select ${namesOfListed}, ${isSmall} as "isSmall", (select count(*) from found)::float8 as total
    from (select 1) as one
      left join (select * from found order by ${inOrder} ${part}) as page on true
      left join lateral (select ${listedAsNamed} from ${products} where ${products.id} = page.found) as listed on true
    order by ${inOrder}`
}
