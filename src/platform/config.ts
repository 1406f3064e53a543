import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { Email } from '#shop/contract/shapes.ts'
import { s3From, s3Variables, type S3Settings } from './s3-settings.ts'
import { StartError } from './start-error.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

const Port = (standard: string) =>
  z
    .string()
    .default(standard)
    .refine((value) => /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535, 'must be a port, 1 to 65535')
    .transform(Number)

/** As browsers write it: without the port that its scheme has anyway, and in lower case. */
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

/** As an address has it that has a port. */
const withoutBrackets = (host: string) => host.replace(/^\[(.+)\]$/, '$1')

const Switch = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1')

const Environment = z.object({
  // A misspelt `production` would be a demo, with passwords that everybody knows and orders for nothing.
  NODE_ENV: z
    .enum(['production', 'development', 'test'], 'must be production, development, test or unset')
    .optional(),
  HOST: Host.default('127.0.0.1'),
  PORT: Port('3000'),
  PUBLIC_URL: Origin.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol),
      'must be an address such as postgres://user:password@host:5432/name',
    )
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
    // What lies beside it on Stripe's pages: the endpoint's own name, and the keys.
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

/** See https://docs.stripe.com/api/checkout/sessions/create; the last line is parts of countries, and no countries. */
const notShippedTo = `AS CX CC CU HM IR KP MH FM NF MP PW SY UM VI
  CP CQ DG EA IC EU EZ QO UN XA XB ZZ`

/** By the name that it has now: the United Kingdom is GB, and UK is nothing to Stripe. */
function isShippedTo(country: string): boolean {
  if (!/^[A-Z]{2}$/.test(country) || notShippedTo.includes(country)) return false
  return regions.of(country) !== undefined && new Intl.Locale(`und-${country}`).region === country
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/')
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most
}

export type Config = {
  host: string
  port: number
  publicUrl: string
  dataDir: string
  databaseUrl: string | undefined
  /** Unset: pictures are kept in `dataDir`. */
  s3: S3Settings | undefined
  isDemo: boolean
  isProduction: boolean
  admin: { email: string; password: string } | undefined
  payments: {
    provider: 'stripe' | 'practice'
    /** In production it has to be said that nobody is to pay real money. */
    isPracticeMeant: boolean
    secretKey: string | undefined
    publishableKey: string | undefined
    /** More than one, separated by commas, while one is being exchanged; the practice provider can have its own. */
    webhookSecrets: string[]
    apiBase: string | undefined
    practicePort: number
    /** Where the practice provider sends its signals when that is not the shop itself; tests put faults there. */
    practiceWebhookUrl: string | undefined
  }
  /** Countries, two letters each, to which parcels go; none: nobody is asked for an address. */
  shipTo: string[]
  trustProxy: string[] | undefined
  hasRateLimits: boolean
}

type Variables = Record<string, string | undefined>

/**
 * The only reader of the environment, for a shop that customers come to.
 *
 * @throws StartError naming the variable, for a value that can not be meant, or must not be here
 */
export function readConfig(environment: Variables): Config {
  const variables = parse(environment)
  const config = configFrom(variables)
  refuseDangerous(config, variables)
  return config
}

/**
 * The same for a program that nobody comes to: it runs where the shop does, and whatever keeps that from starting.
 *
 * @throws StartError naming the variable, for a value that can not be meant
 */
export function readSettings(environment: Variables): Config {
  return configFrom(parse(environment))
}

function parse(environment: Variables): z.infer<typeof Environment> {
  // A variable that is set to nothing is as good as not set: compose files and CI systems do that.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new StartError(`${issue?.path.join('.')} ${issue?.message}`)
  }
  return parsed.data
}

function configFrom(env: z.infer<typeof Environment>): Config {
  const isProduction = env.NODE_ENV === 'production'
  const isDemo = env.DEMO ?? !isProduction
  return {
    // By its name the server would listen at two addresses, and keep its limits and its end in order at one of them.
    host: env.HOST === 'localhost' ? '127.0.0.1' : withoutBrackets(env.HOST),
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ?? new URL(`http://localhost:${env.PORT}`).origin,
    dataDir: resolve(projectFolder, env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    s3: s3From(env),
    isDemo,
    isProduction,
    admin: adminFrom(env, isDemo),
    payments: {
      provider: env.STRIPE_SECRET_KEY ? 'stripe' : 'practice',
      isPracticeMeant: !isProduction || env.PAYMENTS === 'practice',
      secretKey: env.STRIPE_SECRET_KEY,
      publishableKey: env.STRIPE_PUBLISHABLE_KEY,
      webhookSecrets: env.STRIPE_WEBHOOK_SECRET ?? [],
      apiBase: env.STRIPE_API_BASE,
      practicePort: env.PRACTICE_PORT,
      practiceWebhookUrl: env.PRACTICE_WEBHOOK_URL,
    },
    shipTo: env.SHIP_TO ?? [],
    trustProxy: env.TRUST_PROXY,
    hasRateLimits: env.RATE_LIMITS === 'on',
  }
}

export const demoAdmin = { email: 'admin@haberdash.example', password: 'demo-admin-1' }
export const demoCustomer = { email: 'customer@haberdash.example', password: 'demo-customer-1' }

function adminFrom(env: z.infer<typeof Environment>, isDemo: boolean): Config['admin'] {
  if (isDemo) {
    return {
      email: env.ADMIN_EMAIL ?? demoAdmin.email,
      password: env.ADMIN_PASSWORD ?? demoAdmin.password,
    }
  }
  if (!env.ADMIN_EMAIL || !env.ADMIN_PASSWORD) return undefined
  return { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Nobody on the way can read it. */
function isSafeWay(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

/** Of a key of Stripe's that says it. */
export const modeOf = (key: string | undefined) => /^\w\w_(test|live)_/.exec(key ?? '')?.[1]

/** @throws StartError where a shop in production would practise without knowing it */
export function requireProvider({ provider, isPracticeMeant }: Config['payments']): void {
  if (provider === 'practice' && !isPracticeMeant) {
    throw new StartError(
      'STRIPE_SECRET_KEY must be set in production (or PAYMENTS=practice, if no real payments are wanted)',
    )
  }
}

function refuseDangerous(config: Config, env: z.infer<typeof Environment>): void {
  const { payments } = config
  if (env.ADMIN_EMAIL && !env.ADMIN_PASSWORD && !config.isDemo) {
    throw new StartError('ADMIN_PASSWORD must be set together with ADMIN_EMAIL')
  }
  if (env.ADMIN_PASSWORD && !env.ADMIN_EMAIL && !config.isDemo) {
    throw new StartError('ADMIN_EMAIL must be set together with ADMIN_PASSWORD')
  }
  if (config.isDemo && !isLoopback(config.host)) {
    throw new StartError(
      `HOST ${config.host} would show the demo's well-known passwords to others: set DEMO=0, or HOST=127.0.0.1`,
    )
  }
  if (!config.hasRateLimits && !isLoopback(config.host)) {
    throw new StartError('RATE_LIMITS may be off only while HOST is a loopback address')
  }
  requireProvider(payments)
  if (payments.provider === 'practice' && payments.practicePort === config.port) {
    throw new StartError(`PRACTICE_PORT must be another port than PORT, which is ${config.port}`)
  }
  const modes = new Set([payments.publishableKey, payments.secretKey].flatMap((key) => modeOf(key) ?? []))
  if (modes.size > 1) {
    throw new StartError(
      'STRIPE_PUBLISHABLE_KEY must be of the same mode, test or live, as STRIPE_SECRET_KEY',
    )
  }
  if (modeOf(payments.secretKey) === 'live' && payments.apiBase && !isSafeWay(payments.apiBase)) {
    throw new StartError('STRIPE_API_BASE must be https for a live key')
  }
  if (payments.provider === 'stripe' && payments.webhookSecrets.length === 0) {
    throw new StartError('STRIPE_WEBHOOK_SECRET must be set together with STRIPE_SECRET_KEY')
  }
}
