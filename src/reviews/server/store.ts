import { desc, eq, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import { users } from '#shop/accounts/server/tables.ts'
import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { datedAsNamed, datedReply, type DatedRow } from '#shop/catalogue/server/store.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { queryPrepared, typedPlaceholder } from '#shop/platform/statements.ts'
import type { Distribution, OwnReview, Review, Reviewer } from '#shop/reviews/contract.ts'
import { reviewStars, reviews } from './tables.ts'

const mostShown = 100

const withReviewer = {
  review: reviews,
  reviewer: { _id: users.id, username: users.username, profileImage: users.profileImage },
}
type Reviewed = { reviewer: z.infer<typeof Reviewer> | null }
type ReviewRow = Reviewed & { review: Omit<typeof reviews.$inferSelect, 'userId'> }
type NestedReview = Reviewed & { id: string; comment: string; rating: number; createdAt: string }

/** A product with its newest reviews and its counts by stars, in one query; undefined if it is not for sale. */
export async function findProductWithReviews(
  db: Db,
  productId: string,
): Promise<{ product: DatedProduct; reviews: Review[]; distribution: Distribution } | undefined> {
  const rows = await queryPrepared<DatedRow & { reviews: NestedReview[]; stars: Partial<Distribution> }>(
    db,
    'product with reviews',
    productWithReviews,
    { productId },
  )
  return (
    rows[0] && {
      product: datedReply(rows[0]),
      reviews: rows[0].reviews.map(({ reviewer, createdAt, ...review }) =>
        reviewReply({ review: { ...review, productId, createdAt: new Date(createdAt) }, reviewer }),
      ),
      distribution: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, ...rows[0].stars },
    }
  )
}

function productWithReviews(): SQL {
  const productId = typedPlaceholder('productId', 'text')
  const reviewer = sql`json_build_object(
    '_id', ${users.id}, 'username', ${users.username}, 'profileImage', ${users.profileImage})`
  // The join comes after the limit, so only the reviewers of what is shown are looked up.
  const newest = sql`
    select ${reviews.id}, ${reviews.comment}, ${reviews.rating}, ${reviews.createdAt} as "createdAt",
      case when ${users.id} is not null then ${reviewer} end as reviewer
    from (
      select * from ${reviews} where ${reviews.productId} = ${productId}
      order by ${reviews.createdAt} desc, ${reviews.id} limit ${sql.raw(`${mostShown}`)}
    ) as ${reviews} left join ${users} on ${users.id} = ${reviews.userId}`
  return sql`
    select ${datedAsNamed},
      (select coalesce(json_agg(newest order by "createdAt" desc, id), '[]') from (${newest}) as newest) as reviews,
      (select coalesce(json_object_agg(rating, reviews), '{}')
        from ${reviewStars} where ${reviewStars.productId} = ${productId}) as stars
    from ${products}
    where ${products.id} = ${productId} and ${products.deletedAt} is null`
}

export async function listReviewsOfUser(
  db: Db,
  userId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ reviews: OwnReview[]; total: number }> {
  const [rows, total] = await Promise.all([
    db
      .select({
        ...withReviewer,
        email: users.email,
        productName: products.name,
        deletedAt: products.deletedAt,
      })
      .from(reviews)
      .innerJoin(users, eq(users.id, reviews.userId))
      .innerJoin(products, eq(products.id, reviews.productId))
      .where(eq(reviews.userId, userId))
      .orderBy(desc(reviews.createdAt), reviews.id)
      .limit(limit)
      .offset((page - 1) * limit),
    db.$count(reviews, eq(reviews.userId, userId)),
  ])
  const found = rows.map(({ email, productName, deletedAt, ...row }) => ({
    ...reviewReply(row),
    email,
    productName,
    isForSale: deletedAt === null,
  }))
  return { reviews: found, total }
}

/** The user's only review of this product: a second one replaces the first, and its date. */
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

/** Of a product that has a review. */
export async function meanRating(tx: Db, productId: string): Promise<number> {
  const { rating, reviews } = reviewStars
  const rows = await tx
    .select({ mean: sql<number>`sum(${rating} * ${reviews})::float8 / sum(${reviews})` })
    .from(reviewStars)
    .where(eq(reviewStars.productId, productId))
  return onlyRow(rows).mean
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
