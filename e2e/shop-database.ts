import type pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { findRunningPostgres } from '#shop/platform/postgres/embedded-postgres.ts'
import type { ShopProcess } from './shop-process.ts'

/** Queries the shop's own database, bypassing the shop. */
export async function inDatabase<T>(
  { dataDir }: ShopProcess,
  ask: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const connection = await findRunningPostgres(dataDir)
  if (!connection) throw new Error('The database is not running.')
  return withConnection(connection, ask)
}
