import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { locks } from '#shop/platform/locks.ts'
import { lostWords, productWords } from './tables.ts'

/**
 * Counts anew everything that triggers count of products. Nobody else may change products during the transaction.
 */
export async function recountProducts(tx: Db): Promise<void> {
  // First: whoever forgets words under this lock also waits for the rows that are deleted here.
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${locks.words})`)
  await tx.delete(productWords)
  await tx.delete(lostWords)
  await tx.execute(sql`select recount_products(), collect_product_words()`)
}
