import { resolve } from 'node:path'
import type { z } from 'zod'
import { Environment, withoutBrackets } from './config-variables.ts'
import { s3From, type S3Settings } from './s3-settings.ts'
import { StartError } from './start-error.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

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
    /** Whether nobody is meant to pay real money: in production this has to be said. */
    isPracticeMeant: boolean
    secretKey: string | undefined
    publishableKey: string | undefined
    /** More than one while a secret is being replaced; the practice provider can have its own. */
    webhookSecrets: string[]
    apiBase: string | undefined
    practicePort: number
    /** Where the practice provider sends its webhook events, if not straight to the shop: a proxy in between. */
    practiceWebhookUrl: string | undefined
  }
  /** The countries shipped to, two letters each; if there are none, nobody is asked for an address. */
  shipTo: string[]
  trustProxy: string[] | undefined
  hasRateLimits: boolean
}

type Variables = Record<string, string | undefined>

/**
 * Reads and checks the settings of a shop that serves customers, from the environment.
 *
 * @throws StartError naming the variable, for a value that cannot be meant, or that such a shop must not have
 */
export function readConfig(environment: Variables): Config {
  const variables = parse(environment)
  const config = configFrom(variables)
  refuseDangerous(config, variables)
  return config
}

/**
 * The same for a program that serves nobody: it runs even with settings that keep the shop from starting.
 *
 * @throws StartError naming the variable, for a value that cannot be meant
 */
export function readSettings(environment: Variables): Config {
  return configFrom(parse(environment))
}

function parse(environment: Variables): z.infer<typeof Environment> {
  // A variable that is set to nothing is as good as not set: compose files and CI systems do that.
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(nonEmpty)
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
    // By the name `localhost` the server would listen at two addresses, but apply its limits and its orderly
    // shutdown at only one of them.
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

/** Also takes an IPv6 address in brackets, as a URL has it. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127\.\d+\.\d+\.\d+)$/.test(host)
}

/** Whether nobody on the way can read what is sent there. */
function isEncryptedOrLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

/** The mode of a Stripe key, if the key says it. */
export const modeOf = (key: string | undefined) => /^\w\w_(test|live)_/.exec(key ?? '')?.[1]

/** @throws StartError when a shop in production would use the practice provider without anybody meaning it to */
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
    throw new StartError(`PRACTICE_PORT must be a different port from PORT, which is ${config.port}`)
  }
  const modes = new Set([payments.publishableKey, payments.secretKey].flatMap((key) => modeOf(key) ?? []))
  if (modes.size > 1) {
    throw new StartError(
      'STRIPE_PUBLISHABLE_KEY must be of the same mode, test or live, as STRIPE_SECRET_KEY',
    )
  }
  if (modeOf(payments.secretKey) === 'live' && payments.apiBase && !isEncryptedOrLoopback(payments.apiBase)) {
    throw new StartError('STRIPE_API_BASE must be https for a live key')
  }
  if (payments.provider === 'stripe' && payments.webhookSecrets.length === 0) {
    throw new StartError('STRIPE_WEBHOOK_SECRET must be set together with STRIPE_SECRET_KEY')
  }
}

/**
 * For the shop's own database: removes what a machine says of its other servers (`PGOPTIONS`, `PGSSLMODE`), which
 * every client would heed. It stays when `DATABASE_URL` names a server, which may need it.
 */
export function removePostgresVariables(): void {
  if (process.env.DATABASE_URL) return
  for (const name of Object.keys(process.env))
    if (/^PG[A-Z]/.test(name)) Reflect.deleteProperty(process.env, name)
}
