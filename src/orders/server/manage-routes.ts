import type { FastifyInstance } from 'fastify'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { normalizeEmail } from '#shop/contract/shapes.ts'
import { findUserByEmail } from '#shop/accounts/server/store.ts'
import * as contract from '#shop/orders/contract.ts'
import { notFound } from '#shop/platform/errors.ts'
import { requireViewer, route } from '#shop/platform/route.ts'
import { changeStatus, deleteOrder } from './manage-orders.ts'
import { listOrders, listOrdersOfUser } from './order-lists.ts'
import { closeBreak, listBreaks } from './payment-breaks.ts'

/** Routes for what customers and admins do with existing orders. */
export function manageOrderRoutes(app: FastifyInstance, db: NodePgDatabase): void {
  route(app, contract.listOrdersOfUser, async ({ params, query }, _request, reply) => {
    const user = await findUserByEmail(db, normalizeEmail(params.email))
    if (!user) throw notFound()
    const { orders, total } = await listOrdersOfUser(db, user.id, query)
    reply.header('x-total-count', total)
    return { data: orders }
  })

  route(app, contract.listOrders, async ({ query }, _request, reply) => {
    const { orders, total } = await listOrders(db, query)
    reply.header('x-total-count', total)
    return { data: orders }
  })

  route(app, contract.listPaymentBreaks, async ({ query }, _request, reply) => {
    const { breaks, total } = await listBreaks(db, query)
    reply.header('x-total-count', total)
    return { data: breaks }
  })

  route(app, contract.closePaymentBreak, async ({ params }, request) => {
    const closed = await closeBreak(db, params.sessionId, requireViewer(request).id)
    return { data: closed, message: 'The payment is marked as settled' }
  })

  route(app, contract.updateOrderStatus, async ({ params, body, headers }, request) => {
    const adminId = requireViewer(request).id
    const order = await changeStatus(db, params.id, { ...body, adminId, ifMatch: headers['if-match'] })
    return { data: order, message: 'Updated order status' }
  })

  route(app, contract.deleteOrder, async ({ params }) => {
    const order = await deleteOrder(db, params.id)
    if (!order) throw notFound()
    return { data: order, message: `Order ${order.orderId} was deleted` }
  })
}
