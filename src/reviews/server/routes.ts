import type { FastifyInstance } from 'fastify'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { findUser } from '#shop/accounts/server/store.ts'
import { notAllowed, notFound } from '#shop/platform/errors.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { cachedRoute, requireViewer, route } from '#shop/platform/route.ts'
import * as contract from '#shop/reviews/contract.ts'
import { postReview } from './post-review.ts'
import { findProductWithReviews, listReviewsOfUser } from './store.ts'

type Parts = { db: NodePgDatabase; limiter: Limiter }

export function reviewRoutes(app: FastifyInstance, parts: Parts): void {
  const { db } = parts

  cachedRoute(app, contract.getProduct, async ({ params }) => {
    const data = await findProductWithReviews(db, params.id)
    if (!data) throw notFound()
    return { data }
  })

  route(app, contract.postReview, async ({ body }, request, reply) => {
    const { id } = requireViewer(request)
    const { userId = id, ...post } = body
    if (userId !== id) throw notAllowed()
    const { review, isFirst } = await postReview(parts, { ...post, userId: id })
    reply.status(isFirst ? 201 : 200)
    return { data: review, message: 'Review posted successfully!' }
  })

  route(app, contract.listReviewsOfUser, async ({ params, query }, _request, reply) => {
    if (!(await findUser(db, params.userId))) throw notFound()
    const { reviews, total } = await listReviewsOfUser(db, params.userId, query)
    reply.header('x-total-count', total)
    return { data: reviews }
  })
}
