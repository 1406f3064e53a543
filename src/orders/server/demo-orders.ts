import { hashOf } from '#shop/platform/ids.ts'

/**
 * Ids of orders that were never paid anywhere: the demo's, and those that fill a shop to try it out. No session at
 * a provider has such an id, so comparisons with the provider can leave them out.
 */
export function demoIds(checkoutId: string, orderId: string): { sessionId: string; paymentId: string } {
  return {
    sessionId: `cs_test_demo${hashOf(checkoutId)}`,
    paymentId: `pi_demo${hashOf(orderId).slice(0, 20)}`,
  }
}

export function isDemoOrder({ sessionId, paymentId }: { sessionId: string; paymentId: string }): boolean {
  return sessionId.startsWith('cs_test_demo') && paymentId.startsWith('pi_demo')
}
