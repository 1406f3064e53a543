import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ShopError } from '#shop/platform/errors.ts'

/** Every limit of the shop: how many, in how many seconds, by address or by account. */
export const limits = {
  /** Everything that one address, or one account, asks for, whatever it is; and of one call. */
  requests: { max: 12_000, seconds: 60 },
  requestsOfCall: { max: 6000, seconds: 60 },
  /** Pages that are made for one address: beyond, its browsers make them themselves. */
  renderings: { max: 600, seconds: 60 },
  failedLoginsOfAccount: { max: 5, seconds: 900 },
  failedLoginsOfAddress: { max: 20, seconds: 900 },
  /** Passwords that are compared, right ones too: of one address, and the right ones of one account. */
  passwords: { max: 300, seconds: 60 },
  /** No limit: where each account has been signed in to within 30 days. */
  knownHomes: { max: Infinity, seconds: 30 * 86_400 },
  registrations: { max: 20, seconds: 3600 },
  /** After each, what is kept of pages and lists is made anew: it may show who was edited. */
  profileEdits: { max: 300, seconds: 3600 },
  reviewsInARow: { max: 1, seconds: 10 },
  reviewsOfADay: { max: 50, seconds: 86_400 },
  checkouts: { max: 60, seconds: 3600 },
  unknownOrders: { max: 60, seconds: 60 },
  /** That could be the payment provider's, who is asked for each, and answers only so many. */
  unknownSessions: { max: 60, seconds: 60 },
  unpaidSessions: { max: 600, seconds: 60 },
  uploads: { max: 200, seconds: 86_400 },
  /** As sent or as kept, whichever is more; of one account, and of one address. */
  uploadedBytes: { max: 500_000_000, seconds: 86_400 },
}
export type Limits = typeof limits
type LimitName = keyof Limits

export type Limiter = {
  /** Throws 429 once `max` was reached within the window. */
  check(name: LimitName, key: string): void
  countOf(name: LimitName, key: string): number
  count(name: LimitName, key: string, amount?: number): void
  /** Takes back one that turned out not to count. */
  uncount(name: LimitName, key: string): void
  /** Begins anew. */
  reset(name: LimitName, key: string): void
}

type Window = { count: number; endsAt: number }

/**
 * Of each limit, more callers than this within one window are forgotten, oldest first, so that memory stays bounded.
 * Each has its own, or a flood of one kind would make the shop forget the guesses at a password.
 */
const mostWindows = 50_000

/**
 * Counts in the memory of this process. `check` only refuses and `count` only counts, so that a route can count what
 * failed and nothing else: one that calls only one of them has no limit. Unless `isOn`, nobody is refused, and all is
 * counted still.
 */
export function createLimiter(options: { isOn: boolean; limits: Limits; now?: () => number }): Limiter {
  const { limits } = options
  const now = options.now ?? (() => performance.now())
  const windowsOf = new Map<LimitName, Map<string, Window>>()
  const windowsFor = (name: LimitName) => {
    const windows = windowsOf.get(name) ?? new Map<string, Window>()
    windowsOf.set(name, windows)
    return windows
  }
  const current = (name: LimitName, key: string) => {
    const found = windowsFor(name).get(networkOf(key))
    return found && found.endsAt > now() ? found : undefined
  }
  return {
    check(name, key) {
      const found = current(name, key)
      if (!options.isOn || !found || found.count < limits[name].max) return
      throw new ShopError(429, 'too_many', 'Too many attempts. Please wait a little.', {
        title: 'Too many requests',
        retryAfterSeconds: Math.ceil((found.endsAt - now()) / 1000),
      })
    },
    countOf: (name, key) => current(name, key)?.count ?? 0,
    count(name, key, amount = 1) {
      const [windows, id] = [windowsFor(name), networkOf(key)]
      const found = current(name, key)
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
      const found = current(name, key)
      if (found) found.count -= 1
    },
    reset(name, key) {
      windowsFor(name).delete(networkOf(key))
    },
  }
}

/** Whoever asks without end waits, whatever they ask; `key` is their address or their account. */
export function limitRequests(limiter: Limiter, { method, routeOptions }: FastifyRequest, key: string): void {
  const call = `${networkOf(key)} ${method} ${routeOptions.url}`
  limiter.check('requests', key)
  limiter.check('requestsOfCall', call)
  limiter.count('requests', key)
  limiter.count('requestsOfCall', call)
}

/** One household has a whole /64 of IPv6 addresses to choose from: they count as one. Anything else is itself. */
export function networkOf(address: string | undefined): string {
  // Node has no address any more of somebody who has hung up since, whatever the types say.
  if (address === undefined) return 'gone'
  // Some proxies write the port beside the address, which every connection has another of.
  const [, bracketed, dotted] = /^(?:\[(.+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(address) ?? []
  const bare = bracketed ?? dotted
  if (bare !== undefined) return networkOf(bare)
  if (!address.includes(':') || !isIPv6(address)) return address
  // An IPv4 address may come in disguise.
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (ipv4) return ipv4
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter(Boolean)
  const rest = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
