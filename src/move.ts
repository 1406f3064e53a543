import { getTableName } from 'drizzle-orm'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { checkouts } from '#shop/orders/server/tables.ts'
import { readSettings } from '#shop/platform/config.ts'
import { inUseExitCode } from '#shop/platform/data-dir-lock.ts'
import { damageOf } from '#shop/platform/database-errors.ts'
import { reasonOf } from '#shop/platform/errors.ts'
import { moveDatabase } from '#shop/platform/move-database.ts'
import { requireUsableServer } from '#shop/platform/usable-server.ts'
import { hasDatabase, startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { recount } from './recount.ts'

/** `DATABASE_URL=postgres://… npm run move`: moves the embedded database to a separate server, all or nothing. */
const log = (line: string) => console.log(line)

async function move(): Promise<void> {
  const { databaseUrl, dataDir } = readSettings(process.env)
  if (!databaseUrl) throw new StartError('DATABASE_URL must be set: it says where the shop moves to')
  if (!(await hasDatabase(dataDir))) throw new StartError(`DATA_DIR ${dataDir} has no shop's database`)
  await requireUsableServer(databaseUrl)
  // This locks the folder, so that no shop starts on it meanwhile.
  const embedded = await startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => {
    const isInUse = error instanceof StartError && error.exitCode === inUseExitCode
    throw isInUse ? new StartError(`Stop the shop on DATA_DIR ${dataDir} first`, inUseExitCode) : error
  })
  try {
    log('Copying …')
    const { version, tables, rows } = await moveDatabase({
      from: embedded.connection,
      to: { connectionString: databaseUrl },
      // There is no order without a checkout.
      emptyTables: [users, products, checkouts].map(getTableName),
      recount,
    })
    log(`${rows} rows of ${tables} tables are on the PostgreSQL ${version} of DATABASE_URL`)
    log(`Start the shop with it, and with this DATA_DIR: ${dataDir}`)
  } finally {
    await embedded.stop()
  }
}

await move().catch((error: unknown) => {
  const isSaid = error instanceof StartError
  console.error(isSaid ? error.message : `The move failed: ${damageOf(error) ?? reasonOf(error)}`)
  process.exitCode = isSaid ? error.exitCode : 1
})
