import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { holdUser } from '#shop/accounts/server/store.ts'
import { saveRating, lockProduct } from '#shop/catalogue/server/store.ts'
import { Id } from '#shop/contract/shapes.ts'
import { notFound, notSignedIn } from '#shop/platform/errors.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { newId } from '#shop/platform/ids.ts'
import type { Review } from '#shop/reviews/contract.ts'
import { transaction } from '#shop/platform/statements.ts'
import { meanRating, reviewReply, upsertReview } from './store.ts'

type PostReviewParts = { db: NodePgDatabase; limiter: Limiter }
type Post = { userId: string; productId: string; rating: number; comment: string }

/** Stores the user's only review of a product and, in the same transaction, the product's rating. */
export async function postReview(
  { db, limiter }: PostReviewParts,
  post: Post,
): Promise<{ review: Review; isFirst: boolean }> {
  const limits = ['reviewsInARow', 'reviewsOfADay'] as const
  for (const name of limits) limiter.check(name, post.userId)
  // Counted before it succeeds, so that many at once cannot pass the check together.
  for (const name of limits) limiter.count(name, post.userId)
  try {
    return await saveReview(db, post)
  } catch (error) {
    for (const name of limits) limiter.uncount(name, post.userId)
    throw error
  }
}

async function saveReview(db: NodePgDatabase, post: Post): Promise<{ review: Review; isFirst: boolean }> {
  const { userId, productId } = post
  if (!Id.safeParse(productId).success) throw notFound()
  const id = newId()
  return transaction(db, async (tx) => {
    const user = await holdUser(tx, userId)
    if (!user) throw notSignedIn()
    // Other reviews of the product wait for this lock, and then count what this one has written.
    if (!(await lockProduct(tx, productId))) throw notFound('There is no such product.')
    const review = await upsertReview(tx, { id, ...post })
    await saveRating(tx, productId, await meanRating(tx, productId))
    const { username, profileImage } = user
    const reviewer = { _id: user.id, username, profileImage }
    return { review: reviewReply({ review, reviewer }), isFirst: review.id === id }
  })
}
