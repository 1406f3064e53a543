import type { FastifyInstance } from 'fastify'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import * as contract from '#shop/catalogue/contract.ts'
import { invalidInput, notFound, unavailable } from '#shop/platform/errors.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { cachedRoute, requireViewer, route } from '#shop/platform/route.ts'
import { TurnRefused, type Turns } from '#shop/platform/turns.ts'
import { createProduct, deleteProduct, updateProduct } from './manage-products.ts'
import { listProducts } from './list-products.ts'
import { listTrending } from './list-trending.ts'

type Parts = { db: NodePgDatabase; limiter: Limiter; listTurns: Turns }

/**
 * Lists and searches that are not cached use at most this many of the ten connections to the database, which leaves
 * the others to orders: otherwise fifty new searches a second for what no index has would make everybody wait.
 */
export const listLimits = { most: 6, patienceMs: 2000 }

export function catalogueRoutes(app: FastifyInstance, { db, limiter, listTurns }: Parts): void {
  cachedRoute(
    app,
    contract.listProducts,
    async ({ query }) => {
      const { page, limit } = query
      const { products, totalProducts } = await listProducts(db, query)
      const totalPages = Math.ceil(totalProducts / limit)
      return { data: { products, totalPages, totalProducts, page, limit } }
    },
    // Clients with the fewest requests come first, so those who send them without end wait for each other.
    (work, { ip }) => listTurns(work, limiter.countOf('requests', ip)).catch(refuseTooLate),
  )

  cachedRoute(app, contract.listTrending, async () => ({ data: { products: await listTrending(db) } }))

  route(app, contract.createProduct, async ({ body, headers }, request) => {
    const product = await createProduct(db, body, requireViewer(request).id, headers['idempotency-key'])
    return { data: product, message: 'Product added successfully!' }
  })

  route(app, contract.updateProduct, async ({ params, body, headers }) => {
    const { _id = params.id, id = params.id, ...fields } = body
    if (_id !== params.id || id !== params.id) {
      const path = _id === params.id ? 'id' : '_id'
      throw invalidInput([{ path, message: 'must be the id in the address' }])
    }
    const product = await updateProduct(db, params.id, fields, headers['if-match'])
    return { data: product, message: 'Product updated successfully!' }
  })

  route(app, contract.deleteProduct, async ({ params }) => {
    if (!(await deleteProduct(db, params.id))) throw notFound()
    return { data: { _id: params.id }, message: 'Product deleted successfully!' }
  })
}

function refuseTooLate(error: unknown): never {
  if (!(error instanceof TurnRefused)) throw error
  throw unavailable(
    'overloaded',
    'Too many people are looking for something right now. Please try again in a moment.',
    1,
  )
}
