import { avg, count, desc, eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import type { Distribution, OwnReview, Review, Reviewer } from '#shop/reviews/contract.ts'
import { reviews } from './tables.ts'

const mostShown = 100

const withReviewer = {
  review: reviews,
  reviewer: { _id: users.id, username: users.username, profileImage: users.profileImage },
}
type ReviewRow = { review: typeof reviews.$inferSelect; reviewer: z.infer<typeof Reviewer> | null }

export async function listReviewsOfProduct(db: Db, productId: string): Promise<Review[]> {
  const rows = await db
    .select(withReviewer)
    .from(reviews)
    .leftJoin(users, eq(users.id, reviews.userId))
    .where(eq(reviews.productId, productId))
    .orderBy(desc(reviews.createdAt), reviews.id)
    .limit(mostShown)
  return rows.map(reviewReply)
}

export async function countStars(db: Db, productId: string): Promise<Distribution> {
  const rows = await db
    .select({ rating: reviews.rating, all: count() })
    .from(reviews)
    .where(eq(reviews.productId, productId))
    .groupBy(reviews.rating)
  const of = (stars: number) => rows.find(({ rating }) => rating === stars)?.all ?? 0
  return { 1: of(1), 2: of(2), 3: of(3), 4: of(4), 5: of(5) }
}

export async function listReviewsOfUser(
  db: Db,
  userId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ reviews: OwnReview[]; total: number }> {
  const [rows, total] = await Promise.all([
    db
      .select({ ...withReviewer, productName: products.name, deletedAt: products.deletedAt })
      .from(reviews)
      .innerJoin(users, eq(users.id, reviews.userId))
      .innerJoin(products, eq(products.id, reviews.productId))
      .where(eq(reviews.userId, userId))
      .orderBy(desc(reviews.createdAt), reviews.id)
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ all: count() }).from(reviews).where(eq(reviews.userId, userId)),
  ])
  const found = rows.map(({ productName, deletedAt, ...row }) => ({
    ...reviewReply(row),
    productName,
    isForSale: deletedAt === null,
  }))
  return { reviews: found, total: total[0]?.all ?? 0 }
}

/** The user's only review of this product: a second one takes the place of the first, and its date. */
export async function upsertReview(
  tx: Db,
  review: { id: string; productId: string; userId: string; rating: number; comment: string },
): Promise<ReviewRow['review']> {
  const { rating, comment } = review
  const rows = await tx
    .insert(reviews)
    .values(review)
    .onConflictDoUpdate({
      target: [reviews.productId, reviews.userId],
      set: { rating, comment, createdAt: sql`now()` },
    })
    .returning()
  return onlyRow(rows)
}

export async function meanRating(tx: Db, productId: string): Promise<number> {
  const rows = await tx
    .select({ mean: avg(reviews.rating).mapWith(Number) })
    .from(reviews)
    .where(eq(reviews.productId, productId))
  return rows[0]?.mean ?? 0
}

export function reviewReply({ review, reviewer }: ReviewRow): Review {
  return {
    _id: review.id,
    comment: review.comment,
    rating: review.rating,
    userId: reviewer ?? { _id: 'deleted', username: 'Deleted user', profileImage: null },
    productId: review.productId,
    createdAt: review.createdAt.toISOString(),
  }
}
