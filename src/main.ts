import { join, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { PoolConfig } from 'pg'
import { buildApp, usualLimits, type Parts } from './app.ts'
import { recountAfterRestore } from './recount.ts'
import { isCommonPassword } from '#shop/accounts/server/common-passwords.ts'
import { deleteExpiredSessionsHourly } from '#shop/accounts/server/session.ts'
import { ensureAdmin } from '#shop/accounts/server/store.ts'
import { findWellKnownLogins, type Login } from '#shop/accounts/server/well-known-logins.ts'
import { fillDemo } from '#shop/demo.ts'
import { keepWordsForgotten } from '#shop/catalogue/server/forget-words.ts'
import { listProducts } from '#shop/catalogue/server/list-products.ts'
import { startSweep } from '#shop/orders/server/sweep.ts'
import { stripeProvider } from '#shop/orders/server/stripe.ts'
import { isLoopback, modeOf, readConfig, type Config } from '#shop/platform/config.ts'
import { lockDataDir } from '#shop/platform/data-dir-lock.ts'
import { makeDataDir } from '#shop/platform/data-dir.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { damageOf } from '#shop/platform/database-errors.ts'
import { codeOf } from '#shop/platform/error-code.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { findConnectionLimit } from '#shop/platform/open-files.ts'
import { requireUsableServer } from '#shop/platform/usable-server.ts'
import { fullDiskOf, reservedBytesOf } from '#shop/platform/room-on-disk.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'
import { startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { readTables } from '#shop/platform/postgres/read-tables.ts'
import { practiceWebhookSecret, startPracticeProvider } from '#shop/platform/practice-process.ts'
import { describeFault, ShopError } from '#shop/platform/errors.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { buildWeb, builtPage } from '#shop/platform/web/web-build.ts'
import { builtWebFiles, type WebFiles } from '#shop/platform/web/web-files.ts'
import { keepListsFolded } from '#shop/platform/fold-lists.ts'
import { warmScenes } from '#shop/uploads/server/scenes.ts'
import { openS3Storage } from '#shop/uploads/server/s3-storage.ts'
import { openLocalStorage } from '#shop/uploads/server/storage.ts'
import { warmPictures } from '#shop/uploads/server/variants.ts'

const log = (line: string) => console.log(line)

/** Closes each part that has been started; in the order of starting, and called in reverse. */
const closing: (() => Promise<void>)[] = []

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const isDevelopment = process.argv.includes('--dev')
  const bucket = config.s3 && (await openS3Storage(config.s3, log))
  const [connection, webFiles] = await Promise.all([startDatabase(config), openWebFiles(isDevelopment)])
  const payments = await startPayments(config)
  await migrateDatabase(connection, log)
  await recountAfterRestore(connection, log)
  const database = openDatabase(connection, log)
  closing.push(() => database.close())
  const uploads = join(config.dataDir, 'uploads')
  const pictures = {
    storage: bucket ?? (await openLocalStorage(uploads)),
    scenesFolder: resolve(import.meta.dirname, '../demo/pictures/scenes'),
  }
  // The demo's pictures are few, so they may use the space that other pictures must leave free for orders.
  const roomy = bucket ?? (await openLocalStorage(uploads, reservedBytesOf))
  if (config.isDemo && config.admin) await fillWithDemo(connection, config.admin, roomy)
  if (!(await ensureAdmin(database.db, config.admin))) {
    const reason = config.admin
      ? `ADMIN_EMAIL ${config.admin.email} belongs to a customer`
      : 'ADMIN_EMAIL and ADMIN_PASSWORD are not set'
    log(`${reason}: the shop has no admin yet; npm run admin makes one`)
  }
  if (config.admin && isCommonPassword(config.admin.password)) {
    log('ADMIN_PASSWORD is one of the most common passwords: if it is still the admin’s, change it')
  }

  const provider = stripeProvider({ ...config, ...payments, log })
  const app = await buildApp({
    config,
    database,
    provider,
    log,
    requestLog: process.stdout,
    ...usualLimits,
    mostConnections: findConnectionLimit(log),
    webFiles,
    pictures,
  })
  closing.push(() => app.close())
  const [logins] = await Promise.all([findWellKnownLogins(database.db, config, log), payments.ready()])
  await listen(app, config)
  // If the shop was asked to end meanwhile, what the rest needs is closed.
  if (isEnding) return
  const sweep = startSweep({ db: database.db, provider, log })
  const lists = keepListsFolded(database, log)
  const words = keepWordsForgotten(database, log)
  const sessions = deleteExpiredSessionsHourly(database, log)
  const warming = new AbortController()
  // Together, so that waiting for the sweep takes no time from the requests in flight. Pictures that are made in
  // advance are not waited for.
  closing.push(async () => {
    warming.abort()
    await Promise.all([sweep.stop(), lists.stop(), words.stop(), sessions.stop(), app.close()])
  })
  void warmFirstPictures(database.db, pictures, warming.signal)
  announce(config, logins)
}

async function fillWithDemo(
  connection: PoolConfig,
  admin: NonNullable<Config['admin']>,
  storage: Parts['pictures']['storage'],
): Promise<void> {
  // A shop that is asked to end stops its database without waiting for the demo: that connection is no loss.
  const database = openDatabase(withoutBounds(connection), (line) => {
    if (!isEnding) log(line)
  })
  try {
    await fillDemo(database.db, admin, storage)
  } finally {
    await database.close()
  }
}

/** Makes the pictures of the first pages before anybody requests them; all others are made on request. */
async function warmFirstPictures(
  db: Parts['database']['db'],
  { storage, scenesFolder }: Parts['pictures'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await warmScenes(storage, scenesFolder, signal)
    const { products } = await listProducts(db, { page: 1, limit: 24 })
    const images = products.map(({ image }) => image ?? '')
    await warmPictures(storage, images, signal)
  } catch (error) {
    if (!signal.aborted) log(`Pictures could not be prepared and are made when asked for: ${String(error)}`)
  }
}

async function openWebFiles(isDevelopment: boolean): Promise<WebFiles> {
  // Imported only here: whoever runs the shop need not have installed what only development needs.
  if (isDevelopment) return (await import('#shop/platform/web/web-dev.ts')).webFilesForDevelopment()
  const building = new AbortController()
  closing.push(async () => building.abort())
  await buildWeb(log, building.signal)
  return builtWebFiles(builtPage)
}

async function startDatabase(config: Config): Promise<PoolConfig> {
  if (config.databaseUrl) {
    await requireUsableServer(config.databaseUrl)
    return { connectionString: config.databaseUrl }
  }
  const { dataDir } = config
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  closing.push(() => embedded.stop())
  await readTables(embedded.connection)
  return embedded.connection
}

/**
 * The address and the secrets of the payment provider: Stripe's own, or those of the practice provider beside the
 * shop, which starts while the shop does; `ready` waits for it.
 */
async function startPayments(config: Config) {
  const { secretKey, apiBase, webhookSecrets, provider } = config.payments
  if (provider === 'stripe' && secretKey) {
    return { secretKey, apiBase, webhookSecrets, ready: () => Promise.resolve() }
  }
  // The embedded database has locked the folder already.
  if (config.databaseUrl) await holdDataDir(config.dataDir)
  const secret = webhookSecrets[0] ?? (await practiceWebhookSecret(config.dataDir))
  const practice = startPracticeProvider(config, secret, log)
  closing.push(() => practice.stop())
  return {
    secretKey: 'sk_test_practice',
    apiBase: apiBase ?? practice.url,
    webhookSecrets: webhookSecrets.length ? webhookSecrets : [secret],
    ready: () => practice.ready(),
  }
}

/** Locks the data folder: two practice providers on one store would lose each other's sessions, even paid ones. */
async function holdDataDir(dataDir: string): Promise<void> {
  await makeDataDir(dataDir)
  const lock = await lockDataDir(dataDir)
  closing.push(async () => lock.release())
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') throw new StartError(`PORT ${port} is already in use`)
    if (code === 'EACCES')
      throw new StartError(`PORT ${port} can only be used by root: choose one above 1023`)
    throw new StartError(`HOST ${host} cannot be used to listen on (${code})`)
  }
}

function announce(config: Config, logins: readonly Login[]): void {
  log(`Haberdash  ${config.publicUrl}`)
  if (config.payments.provider === 'practice') {
    log(`Payments   http://localhost:${config.payments.practicePort}  (practice: no card is charged)`)
  } else if (config.isProduction && modeOf(config.payments.secretKey) === 'test') {
    log('Payments   Stripe in test mode: no card is charged')
  }
  const isForOthers =
    !isLoopback(config.host) || (config.isProduction && config.payments.provider === 'stripe')
  if (isForOthers && isLoopback(new URL(config.publicUrl).hostname)) {
    log(
      `PUBLIC_URL ${config.publicUrl} can be reached from this machine only: nobody else can log in, or come back from paying`,
    )
  }
  for (const { email, password, role } of logins) {
    log(`${role === 'admin' ? 'Admin   ' : 'Customer'}   ${email} / ${password}`)
  }
}

/** Closes everything in reverse order of starting. A part that fails to close does not keep the others open. */
async function close(): Promise<void> {
  for (const end of closing.splice(0).reverse())
    await end().catch((error: unknown) => console.error(describeFault(error)))
}

let isEnding = false

async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  // Requests in flight have ten seconds, and what is closed after them five. Then the process exits regardless.
  setTimeout(() => process.exit(code), 15_000).unref()
  await close()
  process.exit(code)
}

// Whatever reads our output may be gone, or its disk may be full: the shop goes on.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

// SIGHUP is sent when its terminal is closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0))
// After such a fault the process's state is unknown: whoever runs the shop starts it again.
for (const fault of ['uncaughtException', 'unhandledRejection']) {
  process.on(fault, (error: unknown) => {
    console.error(`The shop is stopping because of a fault of its own: ${describeFault(error)}`)
    void end(70)
  })
}

await start().catch((error: unknown) => {
  // If it was asked to end while starting, this error only says that something is closed already.
  if (isEnding) return
  const explanation = error instanceof StartError ? error.message : (damageOf(error) ?? fullDiskOf(error))
  const reason = explanation ?? (error instanceof ShopError ? error.message : undefined)
  console.error(reason === undefined ? describeFault(error) : `The shop cannot start: ${reason}`)
  return end(error instanceof StartError ? error.exitCode : 1)
})
