import { parseArgs } from 'node:util'
import { describeReport, reconcile } from '#shop/orders/server/reconcile.ts'
import { stripeProvider } from '#shop/orders/server/stripe.ts'
import { readSettings, requireProvider, type Config } from '#shop/platform/config.ts'
import { lockDataDir } from '#shop/platform/data-dir-lock.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { describeFault } from '#shop/platform/errors.ts'
import { requireCurrentDatabase } from '#shop/platform/migrations.ts'
import {
  isPracticeProviderAt,
  practiceWebhookSecret,
  startPracticeProvider,
} from '#shop/platform/practice-process.ts'
import { reachDatabase } from '#shop/platform/reach-database.ts'

/**
 * `npm run reconcile [-- --repair]`: compares the provider's sessions with the shop's orders, whether or not the
 * shop is running. Exits with 0 when nothing differs, 1 when a difference is left, 2 when it could not compare.
 */
const closing: (() => Promise<void>)[] = []
const log = (line: string) => console.log(line)

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { repair: { type: 'boolean', default: false } } })
  const config = readSettings(process.env)
  requireProvider(config.payments)
  const { connection, holdsDataDir, leave } = await reachDatabase(config, log)
  closing.push(leave)
  // Without its unique indexes, a repair could make a second order of one payment.
  if (values.repair) await requireCurrentDatabase(connection)
  const database = openDatabase(connection, log)
  closing.push(() => database.close())
  const reached = await reachProvider(config, holdsDataDir)
  // No customer waits for this, and the provider is slow with a page of a list that has everything expanded.
  const provider = stripeProvider({ ...config, ...reached, answerMs: 30_000, log })
  const report = await reconcile({ db: database.db, provider, log }, { repairs: values.repair })
  for (const line of describeReport(report)) log(line)
  return report.differences.length ? 1 : 0
}

async function reachProvider(config: Config, holdsDataDir: boolean) {
  const { secretKey, apiBase, practicePort } = config.payments
  const options = { secretKey: secretKey ?? 'sk_test_practice', apiBase, webhookSecrets: [] }
  if (secretKey || apiBase) return options
  const url = `http://127.0.0.1:${practicePort}`
  if (!(await isPracticeProviderAt(url))) {
    // A running shop has its practice provider at another address, and two would destroy each other's store.
    if (!holdsDataDir) await lockDataDir(config.dataDir)
    const practice = startPracticeProvider(config, await practiceWebhookSecret(config.dataDir), log)
    closing.push(() => practice.stop())
    await practice.ready()
  }
  return { ...options, apiBase: url }
}

/** The reasons, from what could not be done down to its cause. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  const reason = error.message.split('\n', 1)[0] || ('code' in error ? String(error.code) : error.name)
  return error.cause === undefined ? [reason] : [reason, ...reasonsOf(error.cause)]
}

try {
  process.exitCode = await run()
} catch (error) {
  process.exitCode = 2
  console.error(`Nothing was compared: ${reasonsOf(error).join(': ')}`)
} finally {
  for (const end of closing.reverse())
    await end().catch((error: unknown) => console.error(describeFault(error)))
}
