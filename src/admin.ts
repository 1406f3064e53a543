import { isCommonPassword } from '#shop/accounts/server/common-passwords.ts'
import { restoreAdmin } from '#shop/accounts/server/restore-admin.ts'
import { readSettings } from '#shop/platform/config.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { describeFault } from '#shop/platform/errors.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { requireUsableServer } from '#shop/platform/usable-server.ts'
import { reachDatabase } from '#shop/platform/reach-database.ts'
import { StartError } from '#shop/platform/start-error.ts'

/** `ADMIN_EMAIL=… ADMIN_PASSWORD=… npm run admin`: makes this account an admin's, shop running or not. */
const log = (line: string) => console.log(line)

async function restore(): Promise<void> {
  // DEMO is off: if no admin is named, the demo's, whose password everybody knows, must not be taken instead.
  const config = readSettings({ ...process.env, DEMO: '0' })
  const { admin, databaseUrl } = config
  if (!admin) throw new StartError('ADMIN_EMAIL and ADMIN_PASSWORD must be set')
  if (databaseUrl) await requireUsableServer(databaseUrl)
  const { connection, leave } = await reachDatabase(config, log)
  try {
    await migrateDatabase(connection, log)
    const database = openDatabase(connection, log)
    const isNew = await restoreAdmin(database.db, admin).finally(() => database.close())
    log(
      `${admin.email} is ${isNew ? 'a new admin' : 'an admin, logged out everywhere'}, with this ADMIN_PASSWORD`,
    )
  } finally {
    await leave()
  }
  if (isCommonPassword(admin.password))
    log('ADMIN_PASSWORD is one of the most common passwords: choose another')
}

await restore().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : describeFault(error))
  process.exitCode = error instanceof StartError ? error.exitCode : 1
})
