import { isIP } from 'node:net'
import { z } from 'zod'
import { Email } from '#shop/contract/shapes.ts'
import { s3Variables } from './s3-settings.ts'

const Port = (standard: string) =>
  z
    .string()
    .default(standard)
    .refine((value) => /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535, 'must be a port, 1 to 65535')
    .transform(Number)

/** An origin as browsers write it: in lower case, without the default port of its scheme. */
const Origin = z
  .string()
  .refine((value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined
    return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !/[?#@]/.test(value)
  }, 'must be an origin such as https://shop.example, without a path')
  .transform((value) => new URL(value).origin)

const Host = z.string().refine((value) => {
  if (isIP(withoutBrackets(value)) === 6) return true
  const address = `http://${value}`
  return URL.canParse(address) && new URL(address).hostname === value.toLowerCase()
}, 'must be an address or a name of this machine, without a port')

/** Removes the brackets that a URL has around an IPv6 address. */
export const withoutBrackets = (host: string) => host.replace(/^\[(.+)\]$/, '$1')

const Switch = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1')

/**
 * The driver treats these modes as `verify-full`, and prints eight lines at every start to say that this will change.
 * Whoever wants the weaker checks of other clients asks for them with `uselibpqcompat`.
 */
function withExplicitSslMode(address: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(address)) return address
  return address.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=[&#]|$)/g, '$1verify-full')
}

/** What each variable may be, and its default. */
export const Environment = z.object({
  // A misspelt `production` would be a demo, with passwords that everybody knows and orders for nothing.
  NODE_ENV: z
    .enum(['production', 'development', 'test'], 'must be production, development, test or unset')
    .optional(),
  HOST: Host.default('127.0.0.1'),
  PORT: Port('3000'),
  PUBLIC_URL: Origin.optional(),
  DATA_DIR: z
    .string()
    // Quotes and ~ remain when no shell has read them: the data would lie where nobody looks for it.
    .refine(
      (value) => /^[^\s"'~]/.test(value) && !/[\s"']$/.test(value),
      'must be a path, without quotes, blanks around it or ~',
    )
    .default('./data'),
  DATABASE_URL: z
    .string()
    .trim()
    .refine(
      (value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol),
      'must be an address such as postgres://user:password@host:5432/name',
    )
    .transform(withExplicitSslMode)
    .optional(),
  DEMO: Switch.optional(),
  ADMIN_EMAIL: Email.optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(256, 'must have at most 256 characters')
    .optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[!-~]+$/, 'must begin with sk_ or rk_ and have no spaces')
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().regex(/^pk_/, 'must begin with pk_').optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .transform((value) => value.split(',').map((secret) => secret.trim()))
    .refine((secrets) => secrets.every(({ length }) => length >= 8), 'must have at least 8 characters')
    // Refuses what stands beside it on Stripe's pages: the endpoint's id and the keys.
    .refine((secrets) => !secrets.some((secret) => /^(we|[sr]k|pk)_/.test(secret)), 'must begin with whsec_')
    .optional(),
  STRIPE_API_BASE: Origin.optional(),
  PAYMENTS: z.enum(['practice'], "must be 'practice' or unset").optional(),
  SHIP_TO: z
    .string()
    .transform((value) => [...new Set(value.split(',').map((country) => country.trim().toUpperCase()))])
    .refine(
      (countries) => countries.every(isShippedTo),
      'must be countries that Stripe ships to, two letters each, such as US,GB',
    )
    .optional(),
  TRUST_PROXY: z
    .string()
    .transform((value) => value.split(',').map((address) => address.trim()))
    .refine(
      (addresses) => addresses.every(isAddressOrRange),
      'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    )
    .optional(),
  RATE_LIMITS: z.enum(['on', 'off'], "must be 'on' or 'off'").default('on'),
  PRACTICE_PORT: Port('3001'),
  PRACTICE_WEBHOOK_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  ...s3Variables,
})

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** See https://docs.stripe.com/api/checkout/sessions/create; the last line has codes of no whole country. */
const notShippedTo = `AS CX CC CU HM IR KP MH FM NF MP PW SY UM VI
  CP CQ DG EA IC EU EZ QO UN XA XB ZZ`

/** By its current code alone: the United Kingdom is GB, and UK is nothing to Stripe. */
function isShippedTo(country: string): boolean {
  if (!/^[A-Z]{2}$/.test(country) || notShippedTo.includes(country)) return false
  return regions.of(country) !== undefined && new Intl.Locale(`und-${country}`).region === country
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/')
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most
}
