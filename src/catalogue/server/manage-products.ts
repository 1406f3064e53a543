import { and, eq, isNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { DatedProduct, ProductFields } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { notFound, stale } from '#shop/platform/errors.ts'
import { newId } from '#shop/platform/ids.ts'
import { datedReply, lockProduct } from './store.ts'
import { products } from './tables.ts'

export async function createProduct(db: Db, fields: ProductFields, authorId: string): Promise<DatedProduct> {
  const { name, category, description, color, price, oldPrice, image = null, views } = fields
  const rows = await db
    .insert(products)
    .values({
      id: newId(),
      name,
      category,
      description,
      color,
      image,
      views,
      authorId,
      priceCents: centsFromDollars(price),
      oldPriceCents: centsOrNone(oldPrice) ?? null,
    })
    .returning()
  return datedReply(onlyRow(rows))
}

/**
 * Changes what is given and leaves the rest.
 *
 * @param seenAt the `updatedAt` of the product that the admin looked at
 * @throws ShopError 404, or 409 `stale` when it is another one by now
 */
export async function updateProduct(
  db: NodePgDatabase,
  id: string,
  fields: Partial<ProductFields>,
  seenAt: string | undefined,
): Promise<DatedProduct> {
  const { name, category, description, color, price, oldPrice, image, views } = fields
  return db.transaction(async (tx) => {
    const before = await lockProduct(tx, id)
    if (!before) throw notFound()
    if (seenAt && Date.parse(seenAt) !== before.updatedAt.getTime()) throw stale(datedReply(before))
    const rows = await tx
      .update(products)
      .set({
        name,
        category,
        description,
        color,
        image,
        views,
        priceCents: centsOrNone(price) ?? undefined,
        oldPriceCents: centsOrNone(oldPrice),
        // Always later than before, in the milliseconds that callers see.
        updatedAt: sql`greatest(clock_timestamp(), ${products.updatedAt} + interval '1 ms')`,
      })
      .where(eq(products.id, id))
      .returning()
    return datedReply(onlyRow(rows))
  })
}

/** False when there is none, or none any more. */
export async function deleteProduct(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .update(products)
    .set({ deletedAt: sql`now()` })
    .where(and(eq(products.id, id), isNull(products.deletedAt)))
    .returning({ id: products.id })
  return rows.length > 0
}

/** Null takes a price away, undefined leaves it. */
function centsOrNone(price: number | null | undefined): number | null | undefined {
  return typeof price === 'number' ? centsFromDollars(price) : price
}
