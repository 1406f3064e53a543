import type { FastifyInstance } from 'fastify'
import type { Config } from '#shop/platform/config.ts'

/** Stripe.js may be loaded only from Stripe, and talks to it; see https://docs.stripe.com/security/guide */
const stripe = {
  script: 'https://js.stripe.com',
  frame: 'https://js.stripe.com https://hooks.stripe.com',
  connect: 'https://api.stripe.com',
}

/**
 * What every answer tells the browser: nothing but our own files runs, nobody frames us, nothing is guessed, and the
 * address of a page (an order's is a key) is told to no other site.
 */
export function sendSecurityHeaders(app: FastifyInstance, config: Config, isForDevelopment: boolean): void {
  const isStripe = config.payments.provider === 'stripe'
  const policy = [
    "default-src 'self'",
    `script-src 'self'${isStripe ? ` ${stripe.script}` : ''}`,
    `connect-src 'self'${isStripe ? ` ${stripe.connect}` : ''}`,
    `frame-src ${isStripe ? stripe.frame : "'none'"}`,
    // Products and people may have pictures at any https address; a picture about to be uploaded is a blob.
    "img-src 'self' https: data: blob:",
    // Dialogs and charts place themselves with style attributes.
    "style-src 'self' 'unsafe-inline'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
  const staysSecure = config.publicUrl.startsWith('https:') && {
    'strict-transport-security': 'max-age=31536000',
  }
  const headers = {
    // Hot reload works by scripts that stand in the page.
    ...(!isForDevelopment && { 'content-security-policy': policy }),
    // Unless it says otherwise: nobody guesses how long a redirection to another page, or the sitemap, holds.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    // For what does not know `frame-ancestors`.
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cross-origin-opener-policy': 'same-origin',
    ...staysSecure,
  }
  app.addHook('onRequest', async ({ url, id, is404 }, reply) => {
    // A script or a font obeys the policy of the page that loads it: there the rest would only be weight.
    if (url.startsWith('/assets/') && !is404)
      reply.headers({ 'x-content-type-options': 'nosniff', ...staysSecure })
    else reply.headers(headers).header('x-request-id', id)
  })
}
