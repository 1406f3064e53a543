import { and, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { ask } from '#shop/platform/statements.ts'
import { namesOfGiven, totalOf } from './counts.ts'
import { givenOf, isOfPrice, keysOf, matching, pagePart } from './matching.ts'
import type { Found } from './read-on.ts'
import type { Search } from './search-products.ts'
import { hasLetters, hasPart, hasSeenPart, isNamed, lettersOf } from './search-words.ts'
import { listedAsNamed, namesOfListed, rowsOf, type ListedRow, type NoneOr } from './store.ts'
import { products } from './tables.ts'

type Row = NoneOr<ListedRow> & { inShop: number; total: number }

/** A shop that was so large is not asked again for a while whether it is small. */
const sizes = new WeakMap<Db, { inShop: number; askedAt: number }>()
const keptForMs = 60_000

function isKnownLarge(db: Db, most: number): boolean {
  const size = sizes.get(db)
  // Twice as many are not gone in a minute; and if they are, they are found all the same.
  return size !== undefined && size.inShop > 2 * most && performance.now() - size.askedAt < keptForMs
}

/**
 * A page of all products that match and have every word somewhere; undefined in a shop of more than `most` products.
 *
 * @param isByName first what has every word in its name
 */
export async function readSmallShop(
  db: Db,
  { words, filters, sort, before, limit }: Search,
  { most, isByName }: { most: number; isByName: boolean },
): Promise<Found | undefined> {
  if (isKnownLarge(db, most)) return undefined
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
    { ...filters, ...letters, offset: before, limit },
  )
  const [first] = rows
  if (!first) return undefined
  const { inShop, total } = first
  sizes.set(db, { inShop, askedAt: performance.now() })
  if (inShop > most) return undefined
  return { rows: rowsOf(rows), total }
}

type Question = { where: SQL; named: SQL | undefined; sort: ProductSort; most: number }

/** In the order of its page, and one row of nothing when there is nothing on it: how much there is it always says. */
function pageOfFound({ where, named = sql`true`, sort, most }: Question): SQL {
  const { keys, inOrder: inSort } = keysOf(sort)
  const inOrder = sql`named desc, ${inSort}`
  const isSmall = sql`(select "all" from counted) <= ${sql.raw(`${most}`)}`
  return sql`
    with counted as materialized (${totalOf({}, {})}),
    found as materialized (select ${products.id} as found, ${named} as named, ${keys} from ${products} where ${isSmall} and ${where})
    select ${namesOfListed}, (select "all" from counted) as "inShop", (select count(*) from found)::float8 as total
    from (select 1) as one
      left join (select * from found order by ${inOrder} ${pagePart}) as page on true
      left join lateral (select ${listedAsNamed} from ${products} where ${products.id} = page.found) as listed on true
    order by ${inOrder}`
}
