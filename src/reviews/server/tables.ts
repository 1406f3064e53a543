import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { now } from '#shop/platform/columns.ts'

export const reviews = pgTable(
  'reviews',
  {
    id: text('id').primaryKey(),
    productId: text('product_id')
      .notNull()
      .references(() => products.id),
    /** Null once the user is deleted: the review stays. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    rating: integer('rating').notNull(),
    comment: text('comment').notNull(),
    createdAt: now('created_at'),
  },
  (table) => [
    unique('reviews_one_per_user').on(table.productId, table.userId),
    check('reviews_rating', sql`${table.rating} between 1 and 5`),
    index('reviews_product').on(table.productId, table.createdAt.desc().nullsFirst(), table.id),
    index('reviews_user').on(table.userId, table.createdAt.desc().nullsFirst()),
  ],
)

/** How many reviews have given a product how many stars; kept by a trigger (see the migrations). May be 0. */
export const reviewStars = pgTable(
  'review_stars',
  {
    productId: text('product_id').notNull(),
    rating: integer('rating').notNull(),
    reviews: integer('reviews').notNull(),
  },
  (table) => [primaryKey({ columns: [table.productId, table.rating] })],
)
