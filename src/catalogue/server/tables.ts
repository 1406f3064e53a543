import { sql } from 'drizzle-orm'
import { check, doublePrecision, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

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
    index('products_newest')
      .on(table.createdAt.desc().nullsFirst(), table.id)
      .where(sql`${table.deletedAt} is null`),
    index('products_category')
      .on(table.category, table.createdAt.desc().nullsFirst(), table.id)
      .where(sql`${table.deletedAt} is null`),
    index('products_color')
      .on(table.color, table.createdAt.desc().nullsFirst(), table.id)
      .where(sql`${table.deletedAt} is null`),
  ],
)
