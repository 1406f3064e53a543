import { ShopError } from './errors.ts'

/** Every limit of the shop: how many, in how many seconds, by address or by account. */
export const limits = {
  failedLoginsOfAccount: { max: 5, seconds: 900 },
  failedLoginsOfAddress: { max: 20, seconds: 900 },
  registrations: { max: 20, seconds: 3600 },
  reviewsInARow: { max: 1, seconds: 10 },
  reviewsOfADay: { max: 50, seconds: 86_400 },
  checkouts: { max: 60, seconds: 3600 },
  unknownOrders: { max: 60, seconds: 60 },
  uploads: { max: 200, seconds: 86_400 },
  uploadedBytes: { max: 500_000_000, seconds: 86_400 },
} as const
export type LimitName = keyof typeof limits

export type Limiter = {
  /** Throws 429 once `max` was reached within the window. */
  check(name: LimitName, key: string): void
  count(name: LimitName, key: string, amount?: number): void
  /** Takes back one that turned out not to count. */
  uncount(name: LimitName, key: string): void
  /** Begins anew. */
  reset(name: LimitName, key: string): void
}

type Window = { count: number; endsAt: number }

/** More callers than this within one window are forgotten oldest first, so that memory stays bounded. */
const mostWindows = 100_000

export function createLimiter(options: { isOn: boolean; now?: () => number }): Limiter {
  const now = options.now ?? (() => performance.now())
  const windows = new Map<string, Window>()
  const current = (id: string) => {
    const found = windows.get(id)
    return found && found.endsAt > now() ? found : undefined
  }
  return {
    check(name, key) {
      const found = current(`${name} ${key}`)
      if (!options.isOn || !found || found.count < limits[name].max) return
      throw new ShopError(429, 'too_many', 'Too many attempts. Please wait a little.', {
        title: 'Too many requests',
        retryAfterSeconds: Math.ceil((found.endsAt - now()) / 1000),
      })
    },
    count(name, key, amount = 1) {
      const id = `${name} ${key}`
      const found = current(id)
      if (found) {
        found.count += amount
        return
      }
      // Deleted first, so that a renewed window goes to the end of the map's order.
      windows.delete(id)
      windows.set(id, { count: amount, endsAt: now() + limits[name].seconds * 1000 })
      const oldest = windows.size > mostWindows ? windows.keys().next().value : undefined
      if (oldest !== undefined) windows.delete(oldest)
    },
    uncount(name, key) {
      const found = current(`${name} ${key}`)
      if (found) found.count -= 1
    },
    reset(name, key) {
      windows.delete(`${name} ${key}`)
    },
  }
}
