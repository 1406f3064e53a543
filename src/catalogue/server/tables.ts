import { isNotNull, sql } from 'drizzle-orm'
import {
  bigint,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  type ExtraConfigColumn,
} from 'drizzle-orm/pg-core'
import { moment, now } from '#shop/platform/columns.ts'

const downwards = (column: ExtraConfigColumn) => column.desc().nullsFirst()
const newest = (table: { createdAt: ExtraConfigColumn; id: ExtraConfigColumn }) =>
  [downwards(table.createdAt), table.id] as const
/** With what is filtered by, so that what is passed over before a page is not read from the table. */
const filters = (table: Record<'category' | 'color' | 'priceCents', ExtraConfigColumn>) =>
  [table.category, table.color, table.priceCents] as const

export const products = pgTable(
  'products',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    category: text('category').notNull(),
    description: text('description').notNull(),
    priceCents: integer('price_cents').notNull(),
    oldPriceCents: integer('old_price_cents'),
    image: text('image'),
    /** Further pictures, for its own page. */
    views: text('views').array().notNull().default([]),
    color: text('color').notNull(),
    /** Mean of the reviews, kept by them; 0 without any. */
    rating: doublePrecision('rating').notNull().default(0),
    authorId: text('author_id'),
    /** Of what it was made from, to know a repeated call by. */
    requestHash: text('request_hash'),
    createdAt: now('created_at'),
    updatedAt: now('updated_at'),
    /** A deleted product leaves the shop; orders and open checkouts still name it. */
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    // As the calls have them: what an import writes otherwise is refused, and not every list that has it.
    check('products_id', sql`${table.id} ~ '^[!-~]{1,255}$'`),
    check('products_rating', sql`${table.rating} between 0 and 5`),
    check('products_price', sql`${table.priceCents} between 1 and 99999999`),
    check('products_old_price', sql`${table.oldPriceCents} between 1 and 99999999`),
    ...[
      index('products_newest').on(...newest(table), ...filters(table)),
      index('products_category').on(table.category, ...newest(table), table.color, table.priceCents),
      index('products_category_down').on(downwards(table.category), ...newest(table)),
      index('products_color').on(table.color, ...newest(table), table.category, table.priceCents),
      index('products_category_color').on(
        ...[table.category, table.color, ...newest(table), table.priceCents],
      ),
      // With what else a short list of a range is put in order by, so that only the rows of its page are read. Both, or the
      // database would rather read the smaller one for the other, backwards, and put what costs the same in order.
      index('products_price').on(
        ...[table.priceCents, ...newest(table), table.category, table.color, table.name, table.rating],
      ),
      index('products_price_down').on(
        ...[downwards(table.priceCents), ...newest(table), table.category, table.color],
        ...[table.name, table.rating],
      ),
      index('products_rating').on(table.rating, ...newest(table), ...filters(table)),
      index('products_rating_down').on(downwards(table.rating), ...newest(table), ...filters(table)),
      // With the name itself, for the same reason.
      index('products_name').on(
        ...[sql`lower(${table.name})`, ...newest(table), table.name, ...filters(table)],
      ),
      index('products_name_down').on(
        ...[sql`lower(${table.name}) desc`, ...newest(table), table.name, ...filters(table)],
      ),
    ].map((each) => each.where(sql`${table.deletedAt} is null`)),
  ],
)

/** Every word that a product has or once had, so that a part of a word is looked for among words; kept by triggers. */
export const productWords = pgTable('product_words', { word: text('word').notNull() }, ({ word }) => [
  // Not unique: who adds a word would wait for whoever adds it too. Some are there twice.
  index('product_words_word').on(word),
])

/** What the home page shows first, in its order; once a product has left the shop its place is nobody's. */
export const trendingProducts = pgTable('trending_products', {
  place: integer('place').primaryKey(),
  productId: text('product_id')
    .notNull()
    .references(() => products.id),
})

/**
 * How many products are for sale, by price, category and color; kept by triggers (see the migrations). Node `n` of
 * level `l` counts those that cost from `n * 100 ** l` cents up to the next; see `nodesOfPrices`. Those of any category and
 * color together are counted too, under '' and ''.
 */
export const productCounts = pgTable(
  'product_counts',
  {
    level: integer('level').notNull(),
    node: integer('node').notNull(),
    category: text('category').notNull(),
    color: text('color').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.node, table.category, table.color] })],
)

/**
 * What each product of a block costs, in order: for ranges that the shop does not offer. In the lists of one category, of
 * one color or of all, at any price; null in all others.
 */
const prices = integer('prices').array()

/**
 * The list of all products, newest first, in blocks of a few thousand, and how many of each filter's list lie in which
 * block; kept by triggers, too. A page in the middle of a long list is found by summing over blocks.
 */
export const productBlocks = pgTable(
  'product_blocks',
  {
    /** '' in the lists of any category; of colors the same. */
    category: text('category').notNull(),
    color: text('color').notNull(),
    /** One of the ranges that the shop offers, or the one of all prices. */
    minCents: integer('min_cents').notNull(),
    maxCents: integer('max_cents').notNull(),
    /** A block has what comes after this place in the list, this included, up to the next block. */
    startsAt: moment('starts_at').notNull(),
    startsId: text('starts_id').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
    prices,
  },
  ({ category, color, minCents, maxCents, startsAt, startsId, prices }) => [
    uniqueIndex('product_blocks_in_order').on(
      ...[category, color, minCents, maxCents, downwards(startsAt), startsId],
    ),
    index('product_blocks_prices').on(color, category).where(isNotNull(prices)),
  ],
)

/** The same of the list by name. A block has what is called so or comes after, up to where the next block starts. */
export const productNameBlocks = pgTable(
  'product_name_blocks',
  {
    category: text('category').notNull(),
    color: text('color').notNull(),
    minCents: integer('min_cents').notNull(),
    maxCents: integer('max_cents').notNull(),
    /** A name in lower case; the first block starts with ''. */
    starts: text('starts').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
    prices,
  },
  ({ category, color, minCents, maxCents, starts, prices }) => [
    uniqueIndex('product_name_blocks_in_order').on(category, color, minCents, maxCents, starts),
    index('product_name_blocks_prices').on(color, category).where(isNotNull(prices)),
  ],
)

/**
 * The same of the list by rating, upwards and downwards. What changes is noted first, so that no review waits for
 * another, and added to the blocks now and then: both together say how many there are.
 */
export const productRatingBlocks = pgTable(
  'product_rating_blocks',
  {
    /** 1 in the list from the worst to the best, -1 in the other one. */
    sign: integer('sign').notNull(),
    category: text('category').notNull(),
    color: text('color').notNull(),
    minCents: integer('min_cents').notNull(),
    maxCents: integer('max_cents').notNull(),
    /** A block starts at a place in its list: a rating times the sign, then a date, downwards, and an id. */
    startsRank: doublePrecision('starts_rank').notNull(),
    startsAt: moment('starts_at').notNull(),
    startsId: text('starts_id').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
    prices,
  },
  ({ sign, category, color, minCents, maxCents, startsRank, startsAt, startsId, prices }) => [
    uniqueIndex('product_rating_blocks_in_order').on(
      ...[sign, category, color, minCents, maxCents, startsRank, downwards(startsAt), startsId],
    ),
    index('product_rating_blocks_prices').on(sign, color, category).where(isNotNull(prices)),
  ],
)

/** What each statement of a transaction has changed of what is counted, which is counted once, at its end. */
export const productChanges = pgTable('product_changes', {
  number: bigint('number', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  changes: customType<{ data: string }>({ dataType: () => 'product_change[]' })('changes').notNull(),
})

/** Of each product that came to a place in a list by rating, or left it. */
export const productRatingChanges = pgTable('product_rating_changes', {
  number: bigint('number', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  sign: integer('sign').notNull(),
  rank: doublePrecision('rank').notNull(),
  createdAt: moment('created_at').notNull(),
  id: text('id').notNull(),
  category: text('category').notNull(),
  color: text('color').notNull(),
  priceCents: integer('price_cents').notNull(),
  change: integer('change').notNull(),
})
