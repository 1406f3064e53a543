import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ShopError } from '#shop/platform/errors.ts'

/** Every rate limit of the shop: how many, in how many seconds, per address or per account. */
export const limits = {
  /** All requests of one address or one account; and those of them to a single endpoint. */
  requests: { max: 12_000, seconds: 60 },
  requestsOfCall: { max: 6000, seconds: 60 },
  /** Pages rendered for one address; beyond that, its browsers render them. */
  renderings: { max: 600, seconds: 60 },
  /** Files of the API's documentation, whose page has eight: its JSON and YAML take five milliseconds each time. */
  documents: { max: 120, seconds: 60 },
  /** Files with the addresses of all products; of a million there are 23. */
  sitemaps: { max: 120, seconds: 3600 },
  failedLoginsOfAccount: { max: 5, seconds: 900 },
  failedLoginsOfAddress: { max: 20, seconds: 900 },
  /** Password checks: per address all of them, per account only the successful ones. */
  passwords: { max: 300, seconds: 60 },
  /** Not a limit: remembers from which addresses each account was signed in to within the last 30 days. */
  knownHomes: { max: Infinity, seconds: 30 * 86_400 },
  registrations: { max: 20, seconds: 3600 },
  /** Each edit empties the cache of pages and lists, since these may show the edited user. */
  profileEdits: { max: 300, seconds: 3600 },
  reviewsInARow: { max: 1, seconds: 10 },
  reviewsOfADay: { max: 50, seconds: 86_400 },
  checkouts: { max: 60, seconds: 3600 },
  unknownOrders: { max: 60, seconds: 60 },
  /**
   * Session ids that turn out to be unknown: the provider is asked about each, and answers only so many requests.
   */
  unknownSessions: { max: 60, seconds: 60 },
  unpaidSessions: { max: 600, seconds: 60 },
  uploads: { max: 200, seconds: 86_400 },
  /** Of pictures, as sent or as stored, whichever is more; per account and per address. */
  uploadedBytes: { max: 500_000_000, seconds: 86_400 },
}
export type Limits = typeof limits
type LimitName = keyof Limits

export type Limiter = {
  /** Throws 429 once `max` was reached within the window. */
  check(name: LimitName, key: string): void
  countOf(name: LimitName, key: string): number
  count(name: LimitName, key: string, amount?: number): void
  /** Throws like `check`, or else counts one. */
  take(name: LimitName, key: string): void
  /** Takes back a `count` of one that turned out not to apply. */
  uncount(name: LimitName, key: string): void
  /** Forgets what was counted. */
  reset(name: LimitName, key: string): void
}

type Window = { count: number; endsAt: number }

/**
 * How many windows (callers) each limit keeps; beyond that the oldest are forgotten, so that memory stays bounded.
 * Each limit has its own, or a flood of one kind would make the shop forget the guesses at a password.
 */
const mostWindows = 50_000

/**
 * Counts in the memory of this process. `check` only refuses and `count` only counts, so that a route can count
 * failures alone; a route that calls only one of the two has no limit. Unless `isOn`, nothing is refused, but
 * everything is still counted.
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
  const limiter: Limiter = {
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
    take(name, key) {
      limiter.check(name, key)
      limiter.count(name, key)
    },
    uncount(name, key) {
      const found = current(name, key)
      if (found) found.count -= 1
    },
    reset(name, key) {
      windowsFor(name).delete(networkOf(key))
    },
  }
  return limiter
}

/** Applies the limits on requests of any kind; `key` is the client's address or account. */
export function limitRequests(limiter: Limiter, { method, routeOptions }: FastifyRequest, key: string): void {
  const call = `${networkOf(key)} ${method} ${routeOptions.url}`
  limiter.check('requests', key)
  limiter.check('requestsOfCall', call)
  limiter.count('requests', key)
  limiter.count('requestsOfCall', call)
}

/** A household has a whole /64 of IPv6 addresses to choose from, which count as one. Other keys stay as they are. */
export function networkOf(address: string | undefined): string {
  // Once the client has hung up, Node no longer has its address, whatever the types say.
  if (address === undefined) return 'gone'
  // Some proxies append the port, which differs for each connection.
  const [, bracketed, dotted] = /^(?:\[(.+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(address) ?? []
  const bare = bracketed ?? dotted
  if (bare !== undefined) return networkOf(bare)
  if (!address.includes(':') || !isIPv6(address)) return address
  // An IPv4 address may be written as an IPv6 one.
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (ipv4) return ipv4
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter(Boolean)
  const rest = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
