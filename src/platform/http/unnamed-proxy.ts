import type { FastifyInstance } from 'fastify'

/**
 * Says once that somebody speaks for others and is not believed. Behind a proxy that `TRUST_PROXY` does not name all
 * customers have one address, and what is allowed to an address is soon used up by so many.
 */
export function tellUnnamedProxy(app: FastifyInstance, log: (line: string) => void): void {
  let isTold = false
  app.addHook('onRequest', async ({ headers, ip, ips = [], raw }) => {
    const isBelieved = ips.length > 1
    // Who has hung up has no address any more.
    if (isTold || headers['x-forwarded-for'] === undefined || isBelieved || raw.socket.destroyed) return
    isTold = true
    log(
      `TRUST_PROXY does not name ${ip}, which sends X-Forwarded-For: if that is your proxy, all customers count as one`,
    )
  })
}
