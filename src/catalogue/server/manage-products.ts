import { and, eq, isNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { DatedProduct, ProductFields } from '#shop/catalogue/contract.ts'
import { centsFromDollars } from '#shop/contract/money.ts'
import { laterThan } from '#shop/platform/columns.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { isOutdated, notFound, ShopError, stale } from '#shop/platform/errors.ts'
import { hashOf, idFrom, newId } from '#shop/platform/ids.ts'
import { transaction } from '#shop/platform/statements.ts'
import { datedReply, lockProduct } from './store.ts'
import { products } from './tables.ts'

const keyHours = 24

/**
 * For a day, the same key of the same admin means the same product: a double click, or a retry after a lost
 * response, adds a single one. Its id is made from the key, so that the database lets only one in.
 *
 * @throws ShopError 409 `key_reused` when the key belongs to another product, or to one that has left the shop
 */
export async function createProduct(
  db: Db,
  fields: ProductFields,
  authorId: string,
  key: string | undefined,
): Promise<DatedProduct> {
  const columns = columnsOf(fields)
  // A later version's new column belongs in the hash only if it was given, or retries across the upgrade fail.
  const wanted = { ...columns, authorId, requestHash: hashOf(JSON.stringify(columns)) }
  const id = key === undefined ? newId() : idFrom(`${authorId} ${key}`)
  return createAs(db, id, wanted)
}

type Wanted = Omit<typeof products.$inferInsert, 'id'>

async function createAs(db: Db, id: string, wanted: Wanted): Promise<DatedProduct> {
  const [inserted] = await db
    .insert(products)
    .values({ ...wanted, id })
    .onConflictDoNothing()
    .returning()
  if (inserted) return datedReply(inserted)
  const earlier = onlyRow(await db.select().from(products).where(eq(products.id, id)))
  const isOver = Date.now() - earlier.createdAt.getTime() > keyHours * 3_600_000
  // The day of the key is over: its next product has an id that is made from this one.
  if (isOver) return createAs(db, idFrom(id), wanted)
  if (earlier.deletedAt || earlier.requestHash !== wanted.requestHash) {
    const title = earlier.deletedAt
      ? 'The product of this Idempotency-Key has left the shop'
      : 'This Idempotency-Key belongs to another product'
    throw new ShopError(409, 'key_reused', title, { title })
  }
  return datedReply(earlier)
}

function columnsOf({ name, category, description, color, ...rest }: ProductFields) {
  const { price, oldPrice, image = null, views = [], ...forgotten } = rest
  forgotten satisfies Record<string, never>
  const [priceCents, oldPriceCents] = [centsFromDollars(price), centsOrNone(oldPrice) ?? null]
  return { name, category, description, color, image, views, priceCents, oldPriceCents }
}

/**
 * Changes the given fields and leaves the rest.
 *
 * @param ifMatch the version of the product that the admin looked at
 * @throws ShopError 404, or 412 `stale` when the product has changed since
 */
export async function updateProduct(
  db: NodePgDatabase,
  id: string,
  fields: Partial<ProductFields>,
  ifMatch: string | undefined,
): Promise<DatedProduct> {
  const { name, category, description, color, price, oldPrice, image, views, ...forgotten } = fields
  forgotten satisfies Record<string, never>
  return transaction(db, async (tx) => {
    const before = await lockProduct(tx, id)
    if (!before) throw notFound()
    if (isOutdated(ifMatch, before.updatedAt)) throw stale(datedReply(before))
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
        updatedAt: laterThan(products.updatedAt),
      })
      .where(eq(products.id, id))
      .returning()
    return datedReply(onlyRow(rows))
  })
}

/** False when there is no such product, or it has already left the shop. */
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
