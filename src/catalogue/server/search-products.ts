import { and, inArray, sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Product } from '#shop/catalogue/contract.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { asSql, matching, sorting, type Filters } from './matching.ts'
import { hasBeginning, hasLetters, hasPart, isBeginning, partsToLookFor } from './search-words.ts'
import { productReply } from './store.ts'
import { products } from './tables.ts'

type Search = Filters & {
  words: readonly string[]
  sort: ProductSort
  page: number
  limit: number
}
type Found = { total: number; ids: string[] }

/** So many are listed at most, the first in the order asked for. */
const mostFound = 250
/** So many of the first in that order are looked at, step by step, until enough of them match. */
const nearby = [500, 2500, 10_000]
const enough = 24
/** Of what is frequent, but not there, so many are collected and put in order; reading all of it would take seconds. */
const mostCollected = 5000

/** Ten words say what is looked for; more would only cost time. */
export function wordsOf(search = ''): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, 10)
}

/**
 * Products of a large shop that have every word somewhere in what a shopper knows of them.
 *
 * What is frequent is found among the first products, what is rare by the index of letters. Neither way
 * is quick for both: reading on until something rare appears reads everything, and an index of what is frequent answers
 * with a good part of the shop.
 */
export async function searchProducts(
  db: Db,
  search: Search,
): Promise<{ products: Product[]; totalProducts: number }> {
  const { total, ids } = await find(db, search)
  if (ids.length === 0) return { products: [], totalProducts: total }
  const rows = await db.select().from(products).where(inArray(products.id, ids))
  const byId = new Map(rows.map((row) => [row.id, productReply(row)]))
  return { products: ids.flatMap((id) => byId.get(id) ?? []), totalProducts: total }
}

async function find(db: Db, search: Search): Promise<Found> {
  const { words, sort } = search
  const isIndexed = words.some((word) => hasLetters(word) || isBeginning.test(word))
  let found: Found = { total: 0, ids: [] }
  // What begins a list by name, say, may be all of one kind: what is frequent elsewhere is found among the newest.
  for (const by of isByDate(sort) ? [sort] : [sort, 'newest' as const]) {
    let looked = 0
    for (const near of nearby) {
      // Where a few have it, many will have it further on; what hardly any has is found sooner by the index.
      if (looked > 0 && isIndexed && (found.total * near) / looked < enough) continue
      found = await findNearby(db, search, { by, near, most: mostFound })
      if (found.total >= enough) return found
      looked = near
    }
  }
  return isIndexed ? findAnywhere(db, search) : found
}

const isByDate = (sort: ProductSort) => sort === 'newest' || sort === 'oldest'

/** Among the first so many, as an index has them: what it does not know is compared afterwards. */
function findNearby(
  db: Db,
  search: Search,
  { by, near, most }: { by: ProductSort; near: number; most: number },
): Promise<Found> {
  const { words, category, color, minCents, maxCents } = search
  const isByPrice = by === 'price' || by === '-price'
  const indexed = matching({
    ...(isByDate(by) && { category, color }),
    ...(isByPrice && { minCents, maxCents }),
  })
  return read(db, search, {
    from: sql`${products} where ${indexed} order by ${inOrder(by)} limit ${near}`,
    where: and(matching(search), ...words.map(hasPart)),
    most,
  })
}

/** By the groups of three letters in which the words are indexed; with nothing longer, by how words begin. */
async function findAnywhere(db: Db, search: Search): Promise<Found> {
  const { words } = search
  const isLong = words.some(hasLetters)
  const byIndex = isLong ? (await partsToLookFor(db, words)).map(hasPart) : words.map(hasBeginning)
  // Collected first and put in order then: what is materialized the database does not read in order instead. And
  // "offset 0" keeps it from looking for whole words in the index after all.
  const collected = sql`with collected as materialized (
      select ${columns} from (select * from ${products} where ${and(matching(search), ...byIndex)} offset 0) as ${products}
      where ${and(...words.map(hasPart))}
    ) select * from collected limit ${mostCollected}`
  return read(db, search, { from: sql`(${collected}) as collected`, where: sql`true`, most: mostFound })
}

/** What lists are sorted by. */
const columns = sql`id, created_at, name, price_cents, category, rating`

async function read(
  db: Db,
  { sort, page, limit }: Search,
  { from, where, most }: { from: SQL; where: SQL | undefined; most: number },
): Promise<Found> {
  const { rows } = await db.execute<Found>(sql`
    with found as materialized (
      select id from (select * from ${from}) as ${products} where ${where} order by ${inOrder(sort)} limit ${most}
    )
    select (select count(*) from found)::float8 as total,
      array(select id from found offset ${(page - 1) * limit} limit ${limit}) as ids`)
  return onlyRow(rows)
}

function inOrder(sort: ProductSort): SQL {
  return sql.join(sorting[sort].map(asSql), sql`, `)
}
