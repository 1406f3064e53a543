import type { FastifyInstance } from 'fastify'
import type { Config } from '#shop/platform/config.ts'

/** Stripe.js may be loaded only from Stripe, and talks to it; see https://docs.stripe.com/security/guide */
const stripe = {
  script: 'https://js.stripe.com',
  frame: 'https://js.stripe.com https://hooks.stripe.com',
  connect: 'https://api.stripe.com',
}

/**
 * The security headers of every response: only our own files run, nobody frames us, no content type is guessed,
 * and no other site learns the address of a page (an order's is a key). Data and pictures get only those that mean
 * something for them: of a short answer, the headers are the larger part.
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
  const transportSecurity = config.publicUrl.startsWith('https:') && {
    'strict-transport-security': 'max-age=31536000',
  }
  const everywhere = {
    // Where the response sets nothing else: no cache is to guess for how long a redirect or the sitemap holds.
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    // For browsers that do not know `frame-ancestors`.
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...transportSecurity,
  }
  const forPages = {
    // Hot reload needs scripts inside the page.
    ...(!isForDevelopment && { 'content-security-policy': policy }),
    'cross-origin-opener-policy': 'same-origin',
    ...everywhere,
  }
  const forData = {
    'content-security-policy':
      "default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ...everywhere,
  }
  app.addHook('onRequest', async ({ url, id, is404, routeOptions }, reply) => {
    // A script or a font obeys the policy of the page that loads it: the other headers would only add bytes.
    if (url.startsWith('/assets/') && !is404)
      reply.headers({ 'x-content-type-options': 'nosniff', ...transportSecurity })
    else reply.headers(isForData(routeOptions.url ?? url) ? forData : forPages).header('x-request-id', id)
  })
}

/** By the route, which an address like `/api/%64ocs` has too. The API's documentation is a page. */
const isForData = (route: string) => /^\/(api|uploads|pictures)\/(?!docs)/.test(route)
