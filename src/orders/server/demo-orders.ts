import { hashOf } from '#shop/platform/ids.ts'

/**
 * The demo's orders, and those that fill a shop to try it out, were never paid anywhere: their ids say so, and whoever
 * compares orders with the provider leaves them out. No session of a provider has such an id.
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
