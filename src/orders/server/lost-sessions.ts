import type { PaymentProvider } from './stripe.ts'
import type { CheckoutRow } from './tables.ts'

type OpenedSession = { id: string; url: string | null }

/** How far the provider's clock may differ from the database's. */
const clocksDifferMs = 10 * 60_000

/**
 * Finds the sessions of checkouts for which none is recorded: the provider opened one, but its response was lost, or
 * the process that had asked ended. The provider's list is read once, from just before the first checkout that is
 * looked for; for an earlier checkout, or after a failure, it is read again.
 */
export function createLostSessionFinder(
  provider: PaymentProvider,
): (checkout: CheckoutRow) => Promise<OpenedSession | undefined> {
  let listed: { since: number; sessions: ReturnType<typeof mapSessionsByCheckout> } | undefined
  return async ({ id, createdAt }) => {
    const since = Math.min(createdAt.getTime(), Date.now()) - clocksDifferMs
    if (!listed || since < listed.since)
      listed = { since, sessions: mapSessionsByCheckout(provider, new Date(since)) }
    const current = listed
    try {
      return (await current.sessions).get(id)
    } catch (error) {
      // The next lookup asks again.
      if (listed === current) listed = undefined
      throw error
    }
  }
}

async function mapSessionsByCheckout(
  provider: PaymentProvider,
  since: Date,
): Promise<Map<string | null, OpenedSession>> {
  const found = new Map<string | null, OpenedSession>()
  for await (const { checkoutId, id, url } of provider.listOpened(since)) found.set(checkoutId, { id, url })
  return found
}
