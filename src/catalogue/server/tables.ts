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
/**
 * The columns of the filters. With them in an index, what is passed over before a page is not read from the table.
 */
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
    /** Mean of the reviews, updated with each of them; 0 without any. */
    rating: doublePrecision('rating').notNull().default(0),
    authorId: text('author_id'),
    /** Hash of the fields it was created with, to recognize a repeated request. */
    requestHash: text('request_hash'),
    createdAt: now('created_at'),
    updatedAt: now('updated_at'),
    /** A deleted product leaves the shop; orders and open checkouts still name it. */
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    // The API's limits: an import that breaks them is refused, rather than every list with such a product.
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
      // With all else that a short list in a price range is sorted by, so that only the rows of its page are read.
      // In both indexes, or the planner would scan the smaller one backwards and sort equal prices.
      index('products_price').on(
        ...[table.priceCents, ...newest(table), table.category, table.color, table.name, table.rating],
      ),
      index('products_price_down').on(
        ...[downwards(table.priceCents), ...newest(table), table.category, table.color],
        ...[table.name, table.rating],
      ),
      index('products_rating').on(table.rating, ...newest(table), ...filters(table)),
      index('products_rating_down').on(downwards(table.rating), ...newest(table), ...filters(table)),
      // With the name itself, too: for `lower(name)` alone the planner would not read just the index.
      index('products_name').on(
        ...[sql`lower(${table.name})`, ...newest(table), table.name, ...filters(table)],
      ),
      index('products_name_down').on(
        ...[sql`lower(${table.name}) desc`, ...newest(table), table.name, ...filters(table)],
      ),
    ].map((each) => each.where(sql`${table.deletedAt} is null`)),
  ],
)

/** Every word of a product: a part of a word is searched for among these; added by triggers, see `forget-words`. */
export const productWords = pgTable('product_words', { word: text('word').notNull() }, ({ word }) => [
  // Not unique: transactions that add the same word would wait for each other. Some words are there twice.
  index('product_words_word').on(word),
])

/** Words that a product no longer has, noted by a trigger. Others may have them still; see `forget-words`. */
export const lostWords = pgTable('lost_words', { word: text('word').notNull() })

/** What the home page shows first, in its order. A product that has left the shop is passed over. */
export const trendingProducts = pgTable('trending_products', {
  place: integer('place').primaryKey(),
  productId: text('product_id')
    .notNull()
    .references(() => products.id),
})

/**
 * How many products are for sale, by price, category and color; kept by triggers (see the migrations). Node `n` of
 * level `l` counts those that cost from `n * 100 ** l` cents up to the next node; see `nodesOfPrices`. Those of any
 * category and color together are counted too, under '' and ''.
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
 * The prices of all products in a block, in order, for ranges that the shop does not offer. Rows of a single
 * category have them, for each color and for all colors, at any price; in all others they are null.
 */
const prices = integer('prices').array()

/**
 * The list of all products, newest first, in blocks of a few thousand, and how many products of each filtered list
 * lie in each block; kept by triggers, too. Summing over blocks finds a page in the middle of a long list.
 */
export const productBlocks = pgTable(
  'product_blocks',
  {
    /** '' in the lists of all categories; likewise for colors. */
    category: text('category').notNull(),
    color: text('color').notNull(),
    /** One of the ranges that the shop offers, or the one of all prices. */
    minCents: integer('min_cents').notNull(),
    maxCents: integer('max_cents').notNull(),
    /** A block begins at this place in the list, inclusive, and ends where the next block begins. */
    startsAt: moment('starts_at').notNull(),
    startsId: text('starts_id').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
    prices,
  },
  ({ category, color, minCents, maxCents, startsAt, startsId, prices }) => [
    uniqueIndex('product_blocks_in_order').on(
      ...[category, color, minCents, maxCents, downwards(startsAt), startsId],
    ),
    index('product_blocks_prices')
      .on(color, downwards(startsAt), startsId, category)
      .where(isNotNull(prices)),
  ],
)

/** The same for the list by name. A block has the names from its start on, up to the start of the next block. */
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
    index('product_name_blocks_prices').on(color, starts, category).where(isNotNull(prices)),
  ],
)

/**
 * The same for the list by rating, in both directions. Changes are noted first, so that no review waits for
 * another, and added to the blocks now and then. Both together say how many products there are.
 */
export const productRatingBlocks = pgTable(
  'product_rating_blocks',
  {
    /** 1 in the list from the worst to the best, -1 in the reverse. */
    sign: integer('sign').notNull(),
    category: text('category').notNull(),
    color: text('color').notNull(),
    minCents: integer('min_cents').notNull(),
    maxCents: integer('max_cents').notNull(),
    /** A block starts at a place in its list: a rating times the sign, then a date (descending), then an id. */
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
    index('product_rating_blocks_prices')
      .on(sign, color, startsRank, downwards(startsAt), startsId, category)
      .where(isNotNull(prices)),
  ],
)

/** What each statement of a transaction changed in the counts, which are updated once, at its end. */
export const productChanges = pgTable('product_changes', {
  number: bigint('number', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  changes: customType<{ data: string }>({ dataType: () => 'product_change[]' })('changes').notNull(),
})

/** One note for each product that entered a place in a list by rating, or left it. */
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
