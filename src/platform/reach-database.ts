import type { PoolConfig } from 'pg'
import type { Config } from './config.ts'
import { findRunningPostgres, hasDatabase, startEmbeddedPostgres } from './postgres/embedded-postgres.ts'
import { StartError } from './start-error.ts'

type ReachedDatabase = {
  connection: PoolConfig
  /** Whether nobody else can use the folder until `leave`. */
  holdsDataDir: boolean
  leave(): Promise<void>
}

/**
 * The database of a shop, whether the shop is running or not.
 *
 * @throws StartError where there is none
 */
export async function reachDatabase(
  { databaseUrl, dataDir }: Config,
  log: (line: string) => void,
): Promise<ReachedDatabase> {
  const others = { holdsDataDir: false, leave: () => Promise.resolve() }
  if (databaseUrl) return { ...others, connection: { connectionString: databaseUrl } }
  // First, so that a mistyped folder is left as it is.
  if (!(await hasDatabase(dataDir))) throw new StartError(`DATA_DIR ${dataDir} has no shop's database`)
  const running = await findRunningPostgres(dataDir)
  if (running) return { ...others, connection: running }
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, log })
  return { connection, holdsDataDir: true, leave: stop }
}
