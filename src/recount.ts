import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { PoolConfig } from 'pg'
import { users } from '#shop/accounts/server/tables.ts'
import { recountProducts } from '#shop/catalogue/server/recount-products.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { orders } from '#shop/orders/server/tables.ts'
import { withConnection, type Db } from '#shop/platform/database.ts'
import { recountLists } from '#shop/platform/fold-lists.ts'
import { recountIfReordered } from '#shop/platform/letter-order.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'

/** Counts anew whatever is counted by the sort order of text. Whoever changes rows waits for the end of the transaction. */
export async function recount(tx: Db): Promise<void> {
  await tx.execute(sql`lock table ${products}, ${orders}, ${users} in share row exclusive mode`)
  await recountProducts(tx)
  await recountLists(tx)
}

/** If the database is a copy that was restored into one of another locale. */
export async function recountAfterRestore(
  connection: PoolConfig,
  log: (line: string) => void,
): Promise<void> {
  const say = () =>
    log('This database sorts text differently than the one it comes from: counting its lists anew …')
  await withConnection(withoutBounds(connection), (client) =>
    drizzle(client).transaction((tx) => recountIfReordered(tx, recount, say)),
  )
}
