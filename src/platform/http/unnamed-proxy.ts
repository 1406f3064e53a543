import type { FastifyInstance } from 'fastify'

/**
 * Logs once that somebody who is no trusted proxy sends `X-Forwarded-For`. Behind a proxy that `TRUST_PROXY` does
 * not name, all customers have one address, and soon use up the limits of that address.
 */
export function logUnnamedProxy(app: FastifyInstance, log: (line: string) => void): void {
  let isLogged = false
  app.addHook('onRequest', async ({ headers, ip, ips = [], raw }) => {
    const isTrusted = ips.length > 1
    // A client that has hung up no longer has an address.
    if (isLogged || headers['x-forwarded-for'] === undefined || isTrusted || raw.socket.destroyed) return
    isLogged = true
    log(
      `TRUST_PROXY does not name ${ip}, which sends X-Forwarded-For: if that is your proxy, all customers count as one`,
    )
  })
}
