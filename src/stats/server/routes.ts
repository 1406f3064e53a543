import type { FastifyInstance } from 'fastify'
import { findUser } from '#shop/accounts/server/store.ts'
import type { Db } from '#shop/platform/database.ts'
import { notFound } from '#shop/platform/errors.ts'
import { cachedRoute, route } from '#shop/platform/route.ts'
import { countRows } from '#shop/platform/row-counts.ts'
import * as contract from '#shop/stats/contract.ts'
import { adminStats, userStats } from './store.ts'

export function statsRoutes(app: FastifyInstance, db: Db): void {
  route(app, contract.getUserStats, async ({ params }) => {
    if (!(await findUser(db, params.userId))) throw notFound()
    return { data: await userStats(db, params.userId) }
  })

  route(app, contract.getAdminStats, async () => ({ data: await adminStats(db) }))

  cachedRoute(app, contract.getTotalReviews, async () => ({
    data: { totalReviews: await countRows(db, 'reviews') },
  }))
}
