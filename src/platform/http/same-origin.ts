import type { FastifyRequest } from 'fastify'
import { isLoopback, type Config } from '#shop/platform/config.ts'
import { ShopError } from '#shop/platform/errors.ts'

/** Methods that only read; see https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods */
export const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A page of another site must not act in a customer's name. Browsers say where a request comes from; programs,
 * which do not, carry no customer's cookie by accident.
 */
export function requireSameOrigin(request: FastifyRequest, config: Config): void {
  if (safeMethods.has(request.method)) return
  const site = request.headers['sec-fetch-site']
  const { origin } = request.headers
  const isOwn = site
    ? site === 'same-origin' || site === 'none'
    : origin === undefined || isOwnOrigin(origin, config)
  if (isOwn) return
  const title = 'Cross-site request refused'
  throw new ShopError(403, 'cross_site', title, { title })
}

/**
 * The origin at which the client has the shop open: a demo has several names on its own machine, each with its own
 * cookies and carts.
 */
export function originOf({ headers: { origin } }: Pick<FastifyRequest, 'headers'>, config: Config): string {
  return origin !== undefined && isOwnOrigin(origin, config) ? origin : config.publicUrl
}

function isOwnOrigin(origin: string, config: Config): boolean {
  if (origin === config.publicUrl) return true
  if (!config.isDemo || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return (
    url.protocol === 'http:' &&
    isLoopback(url.hostname) &&
    // A URL leaves out the default port of its scheme.
    (url.port || '80') === `${config.port}`
  )
}
