import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { isOfPrice, namesOfGiven, totalOf } from './counts.ts'
import { givenOf, keysOf, matching, part } from './matching.ts'
import type { Browsing, List } from './near-pages.ts'
import { hasLetters, hasPart, hasSeenPart, lettersOf } from './search-words.ts'
import { listedAsNamed, namesOfListed, productReply, type ListedRow } from './store.ts'
import { products } from './tables.ts'

/** In a shop of this size all that is found is counted. */
const smallShop = 10_000

type Row = ({ [C in keyof ListedRow]: null } | ListedRow) & { isSmall: boolean; total: number }

/** A page of all products that have every word somewhere; undefined in a larger shop. */
export async function searchSmallShop(
  db: Db,
  { words, filters, sort, page, limit }: Browsing & { words: readonly string[] },
): Promise<List | undefined> {
  const letters = lettersOf('word', words)
  // The index knows three letters.
  const isIndexed = words.some(hasLetters)
  const rows = await ask<Row>(
    db,
    `${words.length} words ${isIndexed ? 'indexed' : 'read'} ${sort} ${namesOfGiven(filters)}`,
    () => {
      const given = givenOf(filters, { isSeen: isOfPrice(filters) })
      const has = Object.keys(letters).map(isIndexed ? hasPart : hasSeenPart)
      return pageOfFound(sql.join([matching(given), ...has], sql` and `), sort)
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
function pageOfFound(where: SQL, sort: Browsing['sort']): SQL {
  const { keys, inOrder } = keysOf(sort)
  return sql`
    with counted as materialized (${totalOf({}, {})}),
    found as materialized (
      select ${listedAsNamed}, ${keys} from ${products}
      where (select "all" from counted) <= ${sql.raw(`${smallShop}`)} and ${where}
    )
    select ${namesOfListed}, (select "all" from counted) <= ${sql.raw(`${smallShop}`)} as "isSmall",
      (select count(*) from found)::float8 as total
    from (select 1) as one left join (select * from found order by ${inOrder} ${part}) as page on true
    order by ${inOrder}`
}
