// Makes a shop large: npm run fill -- --products 10000 --orders 100000 --users 10000
// Adds to the database that `npm start` would use, whether the shop is running or not.
import { z } from 'zod'
import { readSettings } from '#shop/platform/config.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { fillShop } from '#shop/testing/fill.ts'
import { Amount, readOptions } from '#shop/testing/options.ts'

const log = (line: string) => console.log(line)

async function fill(): Promise<void> {
  const none = Amount.default(0)
  const amounts = readOptions(z.object({ products: none, orders: none, users: none }))
  if (!Object.values(amounts).some(Boolean))
    throw new StartError('Say how many: --products 1000, --orders 1000 or --users 1000')
  const { databaseUrl, dataDir } = readSettings(process.env)
  const running = databaseUrl ? { connectionString: databaseUrl } : await findRunningPostgres(dataDir)
  const own = running ? undefined : await startEmbeddedPostgres({ dataDir, log })
  const connection = running ?? own?.connection
  try {
    if (!connection) throw new StartError('There is no database to fill.')
    await migrateDatabase(connection, log)
    await fillShop(connection, amounts, log)
  } finally {
    await own?.stop()
  }
}

await fill().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
})
