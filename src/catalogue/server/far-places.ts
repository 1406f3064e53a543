import { gte, isNull, lt, lte, sql, type SQL } from 'drizzle-orm'
import { typedPlaceholder } from '#shop/platform/statements.ts'
import { blocksOf } from './blocks.ts'
import { countByCategory, countOf, isCounted, nodesOf, totalCounted } from './counts.ts'
import { placeholdersOf, narrowing } from './matching.ts'
import { allPrices, topLevel } from './price-nodes.ts'
import type { Part } from './list-part.ts'
import {
  productBlocks,
  productCounts,
  productNameBlocks,
  productRatingBlocks,
  productRatingChanges,
  products,
} from './tables.ts'

/** How to find a part of a list: one or more places where it begins, and what to read from each of them. */
export type PartLocator = {
  /**
   * Selects the places, within a statement that has `from`, `upTo` and `total`. From each place on, `skipped`
   * entries are passed over, and the next `some` belong to the part.
   */
  places: () => SQL
  /** One condition per index scan for what follows a `place` in its order: a scan cannot follow an "or". */
  pieces: SQL[]
  values?: Record<string, unknown>
}

// The bounds of the part within its list, as placeholders.
export const partStart = typedPlaceholder('from', 'float8')
export const partEnd = typedPlaceholder('upTo', 'float8')

/** How many entries of a place are passed over, and how many are returned. */
const slice = sql`greatest(${partStart} - before, 0) as skipped,
  least(${partEnd} - before, products) - greatest(${partStart} - before, 0) as some`
const hasSome = sql`before < ${partEnd} and before + products > ${partStart}`
const ofPlace = (name: string) => sql`place.${sql.identifier(name)}`
const starts = ofPlace('starts')
/**
 * The whole part, from a single place on. It ends with the list: the oldest are read newest first, so what follows
 * their last page in the index belongs to the page before it.
 */
const whole = sql`least(${partEnd}, ${totalCounted}) - ${partStart} as some`

/** One slice for each category that the part lies in. */
export function slicesByCategory({ filters, sort }: Part): SQL {
  const down = sort === '-category' ? sql`desc` : sql``
  return sql`
    select category as "inCategory", before, ${slice}
    from (
      select *, sum(products) over (order by category ${down}) - products as before
      from (${countByCategory(filters)}) as each
    ) as counted
    where ${hasSome}`
}

/**
 * The price where the part begins. Counts lead down from all prices to a hundredth of them, and so on to one cent.
 */
export function byPrice({ filters, sort }: Part): PartLocator {
  const { minCents = allPrices.minCents, maxCents = allPrices.maxCents } = filters
  const isDown = sort === '-price'
  const down = isDown ? sql`desc` : sql``
  return {
    places: () => {
      const { category, color } = placeholdersOf(filters)
      return sql`
      with recursive place(level, node, skipped) as (
        select ${topLevel}::int, 0, ${partStart} + (${countOf({ category, color }, 'outside')})
        union all
        select level - 1, part.node, skipped - part.before
        from place cross join lateral (
          select inner_one.node, before from (
            select stored.node, (sum(sum(products::int)::int) over (order by stored.node ${down}) - sum(products::int))::float8 as before
            from ${productCounts} as stored
            where stored.level = place.level - 1 and stored.node between place.node * 100 and place.node * 100 + 99
              and ${isCounted({ category, color })}
            group by stored.node
          ) as inner_one
          where before <= place.skipped order by before desc limit 1
        ) as part
        where level > 0
      )
      select node as starts, skipped, ${whole} from place where level = 0`
    },
    // The search starts with all prices, so what is cheaper than the range (dearer, if descending) is skipped,
    // too.
    values: nodesOf(isDown ? { minCents: maxCents + 1 } : { maxCents: minCents - 1 }, 'outside'),
    pieces: [(isDown ? lte : gte)(products.priceCents, starts)],
  }
}

/**
 * One place for each block that the part lies in. Reading on from a single place might pass much of other colors
 * between two blocks that have the color asked for.
 */
export function byName({ filters, sort }: Part): PartLocator {
  const isDown = sort === '-name'
  const down = isDown ? sql`desc` : sql``
  const name = sql`lower(${products.name})`
  // If descending, a block is read from the start of the next one, and the last block from the end of the list.
  const ends = sql`(select min(starts) from whole_name_blocks as next where next.starts > block.starts)`
  return {
    places: () => sql`
      select ${isDown ? ends : sql`starts`} as starts, ${slice}
      from (
        select starts, products, until - products as before
        from (
          select *, sum(products) over (order by starts ${down} rows unbounded preceding) as until
          from (${blocksOf(productNameBlocks, { starts: sql`starts`, inOrder: sql`starts ${down}` }, filters)}) as each
        ) as counted
        where until > ${partStart} and products > 0
        order by starts ${down} limit (${partEnd} - ${partStart})::bigint
      ) as block
      where ${hasSome}`,
    pieces: isDown ? [lt(name, starts), isNull(starts)] : [gte(name, starts)],
  }
}

/** Products with the date of the start, from its id on; and then older ones. */
const fromDate = [
  sql`created_at = ${ofPlace('starts_at')} and id >= ${ofPlace('starts_id')}`,
  sql`created_at < ${ofPlace('starts_at')}`,
]

/** The start of the block in which the part begins. Both orders read the blocks newest first. */
export function byDate({ filters, sort }: Part): PartLocator {
  const first = sort === 'oldest' ? sql`greatest(${totalCounted} - ${partEnd}, 0)` : partStart
  return {
    places: () => sql`
      select starts_at, starts_id, ${first} - (until - products) as skipped, ${whole}
      from (
        select *, sum(products) over (order by starts_at desc, starts_id rows unbounded preceding) as until
        from (${blocksOf(productBlocks, { starts: sql`starts_at, starts_id`, inOrder: sql`starts_at desc, starts_id` }, filters)}) as each
      ) as block
      where until > ${first} order by starts_at desc, starts_id limit 1`,
    pieces: fromDate,
  }
}

/**
 * One place for each block, as by name. Changes since the blocks were counted belong to the block start before
 * them. Those before the first start form a slice of their own, from the start of the list.
 */
export function byRating({ filters, sort }: Part): PartLocator {
  const sign = sort === '-rating' ? sql`-1` : sql`1`
  const starts = sql`starts_rank, starts_at, starts_id`
  const startsInOrder = sql`starts_rank, starts_at desc, starts_id`
  const inOrder = sql`rank, created_at desc, id, kind`
  const isSame = sql`rating = ${ofPlace('rating')}`
  return {
    places: () => sql`
      select ${sign} * rank as rating, created_at as starts_at, id as starts_id, ${slice}
      from (
        select * from (
          select *, coalesce(lead(before) over (order by ${inOrder}) - before, 'infinity') as products
          from (
            select *, (sum(change) over (order by ${inOrder} rows unbounded preceding) - change)::float8 as before
            from (
              select '-infinity'::float8 as rank, 'infinity'::timestamptz as created_at, '' as id, 0 as change, 0 as kind
              union all
              select ${starts}, products, 1
              from (${blocksOf(productRatingBlocks, { starts, inOrder: startsInOrder }, filters, sql`sign = ${sign}`)}) as each
              union all
              select rank, created_at, id, change, 2
              from ${productRatingChanges} as ${products}
              where sign = ${sign} and ${narrowing(placeholdersOf(filters))}
            ) as each
          ) as summed where kind < 2
        ) as counted
        where before + products > ${partStart} and products > 0
        order by ${inOrder} limit (${partEnd} - ${partStart})::bigint
      ) as block
      where ${hasSome}`,
    pieces: [
      ...fromDate.map((piece) => sql`${isSame} and ${piece}`),
      sort === 'rating' ? sql`rating > ${ofPlace('rating')}` : sql`rating < ${ofPlace('rating')}`,
    ],
  }
}
