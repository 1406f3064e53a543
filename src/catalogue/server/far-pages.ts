import { sql, type SQL } from 'drizzle-orm'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import type { Db } from '#shop/platform/database.ts'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import { isOffered } from './blocks.ts'
import { countAtAnyPrice, counts, totalCounted } from './counts.ts'
import {
  byDate,
  byName,
  byPrice,
  byRating,
  partStart,
  slicesByCategory,
  partEnd,
  type PartLocator,
} from './far-places.ts'
import { allInRange } from './in-range.ts'
import {
  comparedColumns,
  placeholdersOf,
  inOwnIndex,
  inPriceOrder,
  isByCategory,
  isByDate,
  isByPrice,
  isInOrder,
  hasPriceRange,
  keysOf,
  matching,
  narrowing,
  newestFirst,
  orderBy,
  otherPrices,
  pagePart,
  sorting,
  turn,
  type Filters,
} from './matching.ts'
import { firstOnes, idsOf, readNear } from './near-pages.ts'
import { queryPart, ofIds, shortWalk, type Found, type Part } from './list-part.ts'
import { products } from './tables.ts'

/** A list of up to this length is sorted as a whole for each request. */
const shortList = 1000
/** A page near the start of a longer list is looked for among this many first entries of an index in its order, */
const firstEntries = 2000
/**
 * if it would be among this many in an evenly spread list. Otherwise counts say where it is, as for later pages.
 */
const expectedEntries = 1000

/** A part of a list, in its order, and how long the list is. */
export async function readPart(db: Db, part: Part): Promise<Found> {
  const { filters, sort, before } = part
  const isNear = before <= shortWalk
  if (isNear && isInOrder(filters, sort)) {
    const near = await readNear(db, part)
    if (isComplete(near, part)) return near
  }
  if (isByCategory(sort)) return readByCategory(db, part)
  if (isNear && !isInOrder(filters, sort)) {
    const first = await readFirst(db, part)
    if (isComplete(first, part)) return first
    const isBeforeMiddle = first.total > 2 * before
    if (isBeforeMiddle && isSlowToCount(part)) {
      const near = await readNear(db, part)
      if (isComplete(near, part)) return near
    }
  }
  const locator = locators[sort](part)
  // A page near the end is walked to from there. Counts find all others, and those that the walk does not reach.
  for (const isFromEnd of isWalked(part) ? [true, false] : [false]) {
    const far = await readFrom(db, part, locator, isFromEnd)
    if (isComplete(far, part)) return far
  }
  // A range that is not counted, as one that another version of the shop offers, is walked through from its start.
  return readNear(db, part, true)
}

const isComplete = ({ rows, total }: Found, { before }: Part) => rows.length > 0 || total <= before

const locators: Record<Exclude<ProductSort, 'category' | '-category'>, (part: Part) => PartLocator> = {
  ...{ newest: byDate, oldest: byDate, name: byName, '-name': byName },
  ...{ price: byPrice, '-price': byPrice, rating: byRating, '-rating': byRating },
}

/** Finds a part in a short list, or among the first entries of a longer one. */
function readFirst(db: Db, part: Part): Promise<Found> {
  const { filters, sort, before, limit } = part
  if (before + limit > firstOnes)
    return queryPart(db, part, { name: 'sorted' }, () => ({ page: ofIds(sort, idsOfShortList(part)) }))
  return queryPart(db, part, { name: 'sorted first' }, () => ({
    first: firstOf(filters, sort),
    page: ofIds(
      sort,
      sql`(${idsOfShortList(part)}) union all
        (select unnest(ids[${typedPlaceholder('from', 'int')} + 1:]) from first where cardinality(ids) = ${partEnd})`,
    ),
  }))
}

/**
 * Reads a part anywhere in a long list: counts that triggers keep say where it begins.
 *
 * @param isFromEnd whether a part near the end is reached by a walk from the end
 */
function readFrom(db: Db, part: Part, locator: PartLocator, isFromEnd: boolean): Promise<Found> {
  const name = `from ${isFromEnd ? 'end' : ''} ${isOffered(part.filters) ? '' : 'priced'}`
  return queryPart(db, part, { name, values: locator.values }, () => ({
    page: ofIds(
      part.sort,
      isFromEnd
        ? sql`(${idsFrom(part, locator, sql`not ${isNearEnd}`)}) union all (${idsToEnd(part)})`
        : idsFrom(part, locator, sql`${totalCounted} > ${partStart}`),
    ),
  }))
}

/**
 * Sorts a short list for its page. In a longer one the page consists of slices of the lists of single categories.
 */
async function readByCategory(db: Db, part: Part): Promise<Found> {
  const { filters, sort } = part
  const { rows, total, slices } = await queryPart(db, part, { name: 'slices' }, () => ({
    slices: sql`select * from (${slicesByCategory(part)}) as each where ${isLong} offset 0`,
    page: ofIds(sort, idsOfShortList(part)),
  }))
  for (const { inCategory, skipped, some } of slices) {
    const ofCategory = { ...filters, category: inCategory }
    const slice = { filters: ofCategory, sort: 'newest', before: skipped, limit: some } as const
    rows.push(...(await readPart(db, slice)).rows)
  }
  return { rows, total }
}

/** The ids of a page, if its list is short. */
const idsOfShortList = ({ filters, sort }: Part) =>
  sql`select id from (${shortListOf(filters)}) as ${products} order by ${orderBy(sorting[sort])} ${pagePart}`

/** The ids from each place on. Each piece of the index is read in order, and no further than needed. */
function idsFrom(part: Part, { places, pieces }: PartLocator, isThere: SQL): SQL {
  const { filters, sort } = part
  const read = isByDate(sort) ? 'newest' : sort
  const { keys, inOrder } = keysOf(read)
  const matches = matching(placeholdersOf(filters), isByPrice(sort) ? products.priceCents : otherPrices)
  const found = pieces.map(
    (piece) => sql`(select ${products.id} as found, ${keys} from ${products} where ${matches} and ${piece}
      order by ${orderBy(sorting[read])} limit (place.skipped + place.some)::bigint)`,
  )
  // "offset 0" is a fence: without `isThere` no place is looked for at all.
  return sql`
    select found from (select * from (${places()}) as each where ${isThere} offset 0) as place
      cross join lateral (
        select found from (${sql.join(found, sql` union all `)}) as piece
        order by ${inOrder} limit place.some::bigint offset place.skipped::bigint
      ) as piece`
}

/** The ids of a part near the end of the list, by a walk backwards from there. */
function idsToEnd({ filters, sort }: Part): SQL {
  const some = sql`case when ${isNearEnd} then greatest(least(${partEnd}, ${totalCounted}) - ${partStart}, 0) else 0 end`
  const after = sql`greatest(${totalCounted} - ${partEnd}, 0)`
  return idsOf(filters, sort, sorting[sort].map(turn), {
    window: { offset: after, limit: some },
    atAnyCost: false,
  })
}

const isNearEnd = sql`${totalCounted} - ${partEnd} <= ${sql.raw(`${shortWalk}`)}`
const isLong = sql`${totalCounted} > greatest(${partStart}, ${sql.raw(`${shortList}`)})`

/** The first ids of a longer list, up to the end of the page, if its index has these among its first entries. */
function firstOf(filters: Filters, sort: ProductSort): SQL {
  const placeholders = placeholdersOf(filters)
  const inOrder = isByPrice(sort) ? inPriceOrder(placeholders) : matching({})
  const among = isByPrice(sort) && hasPriceRange(filters) ? counts.inRange : sql`(${countAtAnyPrice({})})`
  return sql`
    select array(
      select id from (
        select ${comparedColumns} from ${products} where ${inOrder} order by ${orderBy(sorting[sort])} limit ${sql.raw(`${firstEntries}`)}
      ) as ${products} where ${narrowing(placeholders)} limit ${typedPlaceholder('upTo', 'bigint')}
    ) as ids
    where ${totalCounted} > ${sql.raw(`${shortList}`)}
      and ${partEnd} * ${among} <= ${sql.raw(`${expectedEntries}`)} * ${totalCounted}`
}

/**
 * All products of a short list, and none of a longer one. They are read by the filters: for a list of one product,
 * the database would otherwise read a whole index in the order of the page.
 */
function shortListOf(filters: Filters): SQL {
  const isShort = sql`${totalCounted} <= ${sql.raw(`${shortList}`)}`
  if (hasPriceRange(filters)) return allInRange(filters, isShort)
  const { matches, order } = inOwnIndex(placeholdersOf(filters), newestFirst)
  return sql`select * from ${products} where ${isShort} and ${matches} order by ${orderBy(order)} limit ${sql.raw(`${shortList}`)}`
}

/** Whether to walk: an index has the list in its order, or it takes longer to count where the part lies. */
const isWalked = (part: Part) => isInOrder(part.filters, part.sort) || isSlowToCount(part)
/** In a range that is not offered, the prices in each block have to be counted. Lists by price need no blocks. */
const isSlowToCount = ({ filters, sort }: Part) => !isOffered(filters) && !isByPrice(sort)
