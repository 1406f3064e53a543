// Makes a shop large: npm run fill -- --products 10000 --orders 100000 --users 10000
// Adds to the database that `npm start` would use, whether the shop is running or not.
import { parseArgs } from 'node:util'
import { readConfig } from '#shop/platform/config.ts'
import { migrateDatabase } from '#shop/platform/database.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#shop/platform/embedded-postgres.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { fillShop } from '#shop/testing/fill.ts'

const log = (line: string) => console.log(line)

function amountOf(name: string, given: string | undefined): number {
  if (!/^\d{1,8}$/.test(given ?? '0')) throw new StartError(`--${name} must be a whole number`)
  return Number(given ?? 0)
}

async function fill(): Promise<void> {
  const option = { type: 'string' } as const
  const { values } = parseArgs({ options: { products: option, orders: option, users: option } })
  const amounts = {
    products: amountOf('products', values.products),
    orders: amountOf('orders', values.orders),
    users: amountOf('users', values.users),
  }
  const { databaseUrl, dataDir } = readConfig(process.env)
  const running = databaseUrl ? { connectionString: databaseUrl } : await findRunningPostgres(dataDir)
  const own = running ? undefined : await startEmbeddedPostgres({ dataDir, log })
  const connection = running ?? own?.connection
  try {
    if (!connection) throw new StartError('There is no database to fill.')
    await migrateDatabase(connection)
    await fillShop(connection, amounts, log)
  } finally {
    await own?.stop()
  }
}

await fill().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
})
