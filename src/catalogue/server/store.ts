import { and, eq, gt, isNull, lte, sql, type Column, type SQL } from 'drizzle-orm'
import type { DatedProduct, Product } from '#shop/catalogue/contract.ts'
import { dollarsFromCents } from '#shop/contract/money.ts'
import type { Db } from '#shop/platform/database.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
import { topLevel } from './price-nodes.ts'
import { productCounts, products } from './tables.ts'

export type ProductRow = typeof products.$inferSelect

/** The columns that a list shows of each product. */
const listedColumns = {
  id: products.id,
  name: products.name,
  category: products.category,
  description: products.description,
  priceCents: products.priceCents,
  oldPriceCents: products.oldPriceCents,
  image: products.image,
  color: products.color,
  rating: products.rating,
  authorId: products.authorId,
  createdAt: products.createdAt,
}
export type ListedRow = Pick<ProductRow, keyof typeof listedColumns>
/** A row of a list, or the row of nulls with which an empty page still says how long the list is. */
export type NoneOr<Row> = Row | { [C in keyof Row]: null }
export const listedAsNamed = columnsAsNamed(listedColumns)
export const namesOfListed = sql.join(
  Object.keys(listedColumns).map((name) => sql.identifier(name)),
  sql`, `,
)

/** The columns that a product's own page shows. */
const datedColumns = { ...listedColumns, views: products.views, updatedAt: products.updatedAt }
export type DatedRow = Pick<ProductRow, keyof typeof datedColumns>
export const datedAsNamed = columnsAsNamed(datedColumns)

function columnsAsNamed(columns: Record<string, Column>): SQL {
  return sql.join(
    Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`),
    sql`, `,
  )
}

/** How many products are for sale, as a subquery. */
export const countOfProducts = sql`(select coalesce(sum(${productCounts.products}), 0)::float8 from ${productCounts}
  where ${productCounts.level} = ${topLevel} and ${productCounts.category} = '' and ${productCounts.color} = '')`

/**
 * The ids that cut all products into parts of `partSize`: each part ends with one of them, and the last part is
 * open. Deleted products count too, since the index only knows ids. They make a part a little smaller.
 */
export async function findBounds(db: Db, partSize: number): Promise<string[]> {
  const bounds: string[] = []
  for (;;) {
    const rows = await db
      .select({ id: products.id })
      .from(products)
      .where(gt(products.id, bounds.at(-1) ?? ''))
      .orderBy(products.id)
      .offset(partSize - 1)
      .limit(1)
    if (!rows[0]) return bounds
    bounds.push(rows[0].id)
  }
}

/** Products in order of their ids, after `after` and up to `upTo`, inclusive. */
export async function listAddresses(
  db: Db,
  { after, upTo, limit }: { after: string; upTo: string | undefined; limit: number },
): Promise<{ id: string; updatedAt: Date }[]> {
  const { id, updatedAt, deletedAt } = products
  return db
    .select({ id, updatedAt })
    .from(products)
    .where(and(gt(id, after), upTo === undefined ? undefined : lte(id, upTo), isNull(deletedAt)))
    .orderBy(id)
    .limit(limit)
}

/** Whole rows, with prices in cents; deleted products are left out. */
export async function findProducts(db: Db, ids: string[]): Promise<ProductRow[]> {
  return prepareOnce(db, 'find_products', (name) => {
    const isOne = sql`${products.id} = any(${sql.placeholder('ids')})`
    return db
      .select()
      .from(products)
      .where(and(isOne, isNull(products.deletedAt)))
      .prepare(name)
  }).execute({ ids })
}

/** Serializes all changes of one product; undefined when it has left the shop. */
export async function lockProduct(tx: Db, id: string): Promise<ProductRow | undefined> {
  const rows = await tx
    .select()
    .from(products)
    .where(and(eq(products.id, id), isNull(products.deletedAt)))
    .for('no key update')
  return rows[0]
}

/** Stores the mean of its reviews. This is no edit by an admin, so `updatedAt` stays. Take `lockProduct` first. */
export async function saveRating(tx: Db, id: string, rating: number): Promise<void> {
  await tx.update(products).set({ rating }).where(eq(products.id, id))
}

export function datedReply(row: DatedRow): DatedProduct {
  return { ...productReply(row), views: row.views, updatedAt: row.updatedAt.toISOString() }
}

export const rowsOf = (page: readonly NoneOr<ListedRow>[]): ListedRow[] =>
  page.filter((row) => row.id !== null)

export function productReply(row: ListedRow): Product {
  return {
    _id: row.id,
    name: row.name,
    category: row.category,
    description: row.description,
    price: dollarsFromCents(row.priceCents),
    oldPrice: row.oldPriceCents === null ? null : dollarsFromCents(row.oldPriceCents),
    image: row.image,
    color: row.color,
    rating: row.rating,
    author: row.authorId,
    createdAt: row.createdAt.toISOString(),
  }
}
