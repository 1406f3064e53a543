import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { productWords } from './tables.ts'

/** For a transaction in which nobody else changes them, where what was counted does not hold any more. */
export async function recountProducts(tx: Db): Promise<void> {
  await tx.delete(productWords)
  await tx.execute(sql`select recount_products(), collect_product_words()`)
}
