import { z } from 'zod'
import { DatedProduct } from '#shop/catalogue/contract.ts'
import { endpoint } from '#shop/contract/endpoint.ts'
import { Limit, Page } from '#shop/contract/paging.ts'
import { dataReply, Id, pageReply, text, Timestamp } from '#shop/contract/shapes.ts'
import { maxCommentLength } from './limits.ts'

/** The reviews of a deleted user stay, with a placeholder as their reviewer. */
export const Reviewer = z.object({ _id: Id, username: z.string(), profileImage: z.string().nullable() })

const ratingMessage = 'must be a whole number from 1 to 5'
const Rating = z.number(ratingMessage).int(ratingMessage).min(1, ratingMessage).max(5, ratingMessage)

export const Review = z.object({
  _id: Id,
  comment: z.string(),
  rating: Rating,
  userId: Reviewer,
  productId: Id,
  createdAt: Timestamp,
})
export type Review = z.infer<typeof Review>

/** How many reviews gave how many stars. */
const Count = z.number().int()
export const Distribution = z.object({ 1: Count, 2: Count, 3: Count, 4: Count, 5: Count })
export type Distribution = z.infer<typeof Distribution>

export const getProduct = endpoint({
  method: 'GET',
  path: '/api/products/:id',
  summary: 'One product with its newest reviews, and how many of all gave how many stars',
  access: 'anyone',
  params: z.object({ id: Id }),
  reply: dataReply(z.object({ product: DatedProduct, reviews: z.array(Review), distribution: Distribution })),
})
export type GetProduct = typeof getProduct

export const postReview = endpoint({
  method: 'POST',
  path: '/api/reviews/post-review',
  summary: 'Review a product: 201 for the first, 200 when it replaces your earlier one',
  access: 'user',
  body: z.object({
    productId: z.string().max(1000),
    rating: Rating,
    comment: text({ max: maxCommentLength, lines: true }).default(''),
    /** If given, it must be the user's own id. */
    userId: z.unknown().optional(),
  }),
  reply: dataReply(Review),
  status: 201,
  mayReplace: true,
  titles: { signedOut: 'You must be logged in to post a review.' },
})
export type PostReview = typeof postReview

export const OwnReview = Review.extend({
  /** The reviewer's e-mail; only they and admins get this list. */
  email: z.string(),
  productName: z.string(),
  /** False once the product has left the shop: there is no page to lead to. */
  isForSale: z.boolean(),
})
export type OwnReview = z.infer<typeof OwnReview>

export const listReviewsOfUser = endpoint({
  method: 'GET',
  path: '/api/reviews/:userId',
  summary: 'Reviews of a user, newest first, in pages; the total is in `X-Total-Count`',
  access: { own: 'userId', is: 'id' },
  params: z.object({ userId: Id }),
  query: z.object({ page: Page, limit: Limit(100) }),
  reply: pageReply(OwnReview),
})
export type ListReviewsOfUser = typeof listReviewsOfUser
