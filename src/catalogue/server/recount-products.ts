import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { productWords } from './tables.ts'

/**
 * Counts anew everything that triggers count of products. Nobody else may change products during the transaction.
 */
export async function recountProducts(tx: Db): Promise<void> {
  await tx.delete(productWords)
  await tx.execute(sql`select recount_products(), collect_product_words()`)
}
