import type { PaymentProvider } from './stripe.ts'
import type { CheckoutRow } from './tables.ts'

type OpenedSession = { id: string; url: string | null }

/** The provider's clock is another than the database's. */
const clocksDifferMs = 10 * 60_000

/**
 * Finds the sessions of checkouts that never heard of theirs: the provider opened it, and its answer was lost, or
 * this process with it. The provider is asked once, for those opened since the first checkout that is looked for.
 */
export function lostSessions(
  provider: PaymentProvider,
): (checkout: CheckoutRow) => Promise<OpenedSession | undefined> {
  let listed: { since: number; sessions: ReturnType<typeof byCheckout> } | undefined
  return async ({ id, createdAt }) => {
    const since = Math.min(createdAt.getTime(), Date.now()) - clocksDifferMs
    if (!listed || since < listed.since) listed = { since, sessions: byCheckout(provider, new Date(since)) }
    const own = listed
    try {
      return (await own.sessions).get(id)
    } catch (error) {
      // The next one asks anew.
      if (listed === own) listed = undefined
      throw error
    }
  }
}

async function byCheckout(
  provider: PaymentProvider,
  since: Date,
): Promise<Map<string | null, OpenedSession>> {
  const found = new Map<string | null, OpenedSession>()
  for await (const { checkoutId, id, url } of provider.listOpened(since)) found.set(checkoutId, { id, url })
  return found
}
