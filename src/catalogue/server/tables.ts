import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  type ExtraConfigColumn,
} from 'drizzle-orm/pg-core'

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

const downwards = (column: ExtraConfigColumn) => column.desc().nullsFirst()
const newest = (table: { createdAt: ExtraConfigColumn; id: ExtraConfigColumn }) =>
  [downwards(table.createdAt), table.id] as const

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
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** A deleted product leaves the shop; orders and open checkouts still name it. */
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    check('products_price', sql`${table.priceCents} between 1 and 99999999`),
    check('products_old_price', sql`${table.oldPriceCents} between 1 and 99999999`),
    ...[
      index('products_newest').on(...newest(table)),
      index('products_category').on(table.category, ...newest(table)),
      index('products_category_down').on(downwards(table.category), ...newest(table)),
      index('products_color').on(table.color, ...newest(table)),
      index('products_category_color').on(table.category, table.color, ...newest(table)),
      index('products_price').on(table.priceCents, ...newest(table)),
      index('products_price_down').on(downwards(table.priceCents), ...newest(table)),
      index('products_rating').on(table.rating, ...newest(table)),
      index('products_rating_down').on(downwards(table.rating), ...newest(table)),
      index('products_name').on(sql`lower(${table.name})`, ...newest(table)),
      index('products_name_down').on(sql`lower(${table.name}) desc`, ...newest(table)),
    ].map((each) => each.where(sql`${table.deletedAt} is null`)),
  ],
)

/**
 * How many products are for sale, by category, color (empty: any) and price; kept by triggers (see the migrations).
 * Node `n` of level `l` counts those that cost from `n * 100 ** l` cents up to the next; see `nodesOfPrices`.
 */
export const productCounts = pgTable(
  'product_counts',
  {
    category: text('category').notNull(),
    color: text('color').notNull(),
    level: integer('level').notNull(),
    node: integer('node').notNull(),
    products: bigint('products', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.category, table.color, table.level, table.node] })],
)
