import type { FastifyInstance } from 'fastify'
import * as contract from '#shop/orders/contract.ts'
import type { Config } from '#shop/platform/config.ts'
import { notFound, ShopError } from '#shop/platform/errors.ts'
import { coalesceRuns } from '#shop/platform/coalesce-runs.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { originOf } from '#shop/platform/http/same-origin.ts'
import { route } from '#shop/platform/route.ts'
import { listStatusChanges } from './manage-orders.ts'
import { openCheckout } from './open-checkout.ts'
import { settle, waitForSettling, type Settlement, type SettlementParts } from './settle.ts'
import { findOrder, findOrderOfSession, linesOf, orderReply, type OrderRow } from './store.ts'
import { longestAddress } from './stripe-mapping.ts'

type Parts = SettlementParts & { config: Config; limiter: Limiter }

export function orderRoutes(app: FastifyInstance, parts: Parts): void {
  const { db, limiter, config } = parts

  route(app, contract.getShopConfig, async () => {
    const { provider, publishableKey } = config.payments
    return {
      data: { paymentProvider: provider, publishableKey: (provider === 'stripe' && publishableKey) || null },
    }
  })

  route(app, contract.createCheckoutSession, async ({ body, headers }, request) => {
    limiter.take('checkouts', request.ip)
    return openCheckout(parts, {
      lines: body.products,
      userId: request.viewer?.id ?? null,
      key: headers['idempotency-key'],
      returnTo: shopUrlOf(body.returnTo, originOf(request, config)),
      shipTo: config.shipTo,
    })
  })

  route(app, contract.confirmPayment, async ({ body }, request) => {
    const sessionId = body.session_id
    // The id becomes part of a request URL at the provider: only what can be an id of theirs is sent.
    if (!/^cs_(test_|live_)?[A-Za-z0-9]{10,247}$/.test(sessionId)) throw notFound()
    // The provider's webhook event mostly arrives a moment before, so the order may just be in the making.
    await waitForSettling(parts, sessionId)
    const row =
      (await findOrderOfSession(db, sessionId)) ?? orderOf(await settleWithinLimits(sessionId, request.ip))
    if (row.deletedAt) {
      const title = 'This order was deleted'
      throw new ShopError(410, 'order_deleted', title, { title })
    }
    // A session's id reveals no more than the id of its order does.
    return { data: { ...orderReply(row, await linesOf(db, row.id)), ...hidden } }
  })

  /**
   * Each invented session id costs a request to the provider. It counts as a guess from the start, so that it also
   * counts when the provider fails to answer.
   */
  const settleCounted = coalesceRuns(async (sessionId: string, address: string): Promise<Settlement> => {
    limiter.count('unknownSessions', address)
    const settlement = await settle(parts, sessionId)
    if (settlement.outcome !== 'unknown') limiter.uncount('unknownSessions', address)
    return settlement
  })

  async function settleWithinLimits(sessionId: string, address: string): Promise<Settlement> {
    limiter.check('unknownSessions', address)
    limiter.check('unpaidSessions', address)
    const settlement = await settleCounted(sessionId, address)
    if (settlement.outcome !== 'ordered') limiter.count('unpaidSessions', address)
    return settlement
  }

  route(app, contract.getOrder, async ({ params }, request) => {
    const { viewer } = request
    const checkGuesses = () => limiter.check('unknownOrders', request.ip)
    if (!viewer) checkGuesses()
    const found = await findOrder(db, params.id)
    const isAdmin = viewer?.role === 'admin'
    const isTheirs = viewer !== null && viewer.id === found?.row.userId
    // Those who may see it anyway have guessed nothing: others at the same address do not keep them out.
    if (viewer && !isAdmin && !isTheirs) checkGuesses()
    if (!found) {
      limiter.count('unknownOrders', request.ip)
      throw notFound()
    }
    const order = orderReply(found.row, found.lines)
    if (isAdmin) return { data: { ...order, history: await listStatusChanges(db, found.row.id) } }
    return { data: isTheirs ? order : { ...order, ...hidden } }
  })
}

/**
 * Resolves a path to a URL of this shop. What leads to another site, or is too long for the provider, becomes the
 * home page: a link of ours must not lead customers away.
 */
export function shopUrlOf(path: string | undefined, origin: string): string {
  const home = new URL(origin)
  if (!path || !URL.canParse(path, home)) return home.href
  const url = new URL(path, home)
  if (url.href.length > longestAddress) return home.href
  // Not the origin: that of `blob:https://shop.example/` is the shop's as well.
  return url.protocol === home.protocol && url.host === home.host
    ? home.origin + url.pathname + url.search
    : home.href
}

function orderOf(settlement: Settlement): OrderRow {
  switch (settlement.outcome) {
    case 'ordered':
      return settlement.order
    case 'unknown':
      throw notFound('No checkout of this shop has such a session.')
    case 'review':
      throw new ShopError(
        409,
        'payment_needs_review',
        'What was paid is not what was ordered: we are looking into it.',
        {
          title: 'Payment needs review',
        },
      )
    case 'pending':
      throw new ShopError(
        402,
        'payment_pending',
        'The payment is on its way: there will be an order once it has arrived.',
        {
          title: 'Payment not completed',
        },
      )
    case 'unpaid':
    case 'expired':
      throw new ShopError(402, 'not_paid', 'This checkout has not been paid.', {
        title: 'Payment not completed',
      })
  }
}

/** Fields hidden from those who have an order's link but are not its customer. */
const hidden = { email: undefined, userId: undefined, shippingAddress: undefined }
