import { and, asc, count, desc, eq, gte, ilike, inArray, isNull, lte, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { DatedProduct, Product, ProductQuery } from '#shop/catalogue/contract.ts'
import type { ProductSort } from '#shop/catalogue/choices.ts'
import { centsFromDollars, dollarsFromCents } from '#shop/contract/money.ts'
import { literally, type Db } from '#shop/platform/database.ts'
import { products } from './tables.ts'

export type ProductRow = typeof products.$inferSelect

export async function listProducts(
  db: Db,
  query: z.output<typeof ProductQuery>,
): Promise<{ products: Product[]; totalProducts: number }> {
  const matches = matching(query)
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(products)
      .where(matches)
      .orderBy(...sorting[query.sort ?? 'newest'])
      .limit(query.limit)
      .offset((query.page - 1) * query.limit),
    db.select({ all: count() }).from(products).where(matches),
  ])
  return { products: rows.map(productReply), totalProducts: total[0]?.all ?? 0 }
}

const newestFirst = [desc(products.createdAt), asc(products.id)]
const sorting: Record<ProductSort, SQL[]> = {
  newest: newestFirst,
  oldest: [asc(products.createdAt), desc(products.id)],
  name: [asc(sql`lower(${products.name})`), ...newestFirst],
  '-name': [desc(sql`lower(${products.name})`), ...newestFirst],
  price: [asc(products.priceCents), ...newestFirst],
  '-price': [desc(products.priceCents), ...newestFirst],
  category: [asc(products.category), ...newestFirst],
  '-category': [desc(products.category), ...newestFirst],
  rating: [asc(products.rating), ...newestFirst],
  '-rating': [desc(products.rating), ...newestFirst],
}

function matching(query: z.output<typeof ProductQuery>): SQL | undefined {
  const { category, color, minPrice, maxPrice, search } = query
  return and(
    isNull(products.deletedAt),
    category === undefined ? undefined : eq(products.category, category),
    color === undefined ? undefined : eq(products.color, color),
    minPrice === undefined ? undefined : gte(products.priceCents, centsFromDollars(minPrice)),
    maxPrice === undefined ? undefined : lte(products.priceCents, centsFromDollars(maxPrice)),
    ...wordsOf(search).map(containsWord),
  )
}

/** Ten words say what is looked for; more would only cost time. */
function wordsOf(search = ''): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, 10)
}

/** Every word somewhere in what a shopper knows of a product; `%` and `_` mean themselves. */
function containsWord(word: string): SQL | undefined {
  const pattern = `%${literally(word)}%`
  const { name, description, category, color } = products
  return or(...[name, description, category, color].map((column) => ilike(column, pattern)))
}

export async function findProduct(db: Db, id: string): Promise<DatedProduct | undefined> {
  const rows = await db
    .select()
    .from(products)
    .where(and(eq(products.id, id), isNull(products.deletedAt)))
  return rows[0] && datedReply(rows[0])
}

/** As they are kept, prices in cents; those that are gone are missing. */
export async function findProducts(db: Db, ids: string[]): Promise<ProductRow[]> {
  return db
    .select()
    .from(products)
    .where(and(inArray(products.id, ids), isNull(products.deletedAt)))
}

/** Serialises everything that changes one product; undefined when it has left the shop. */
export async function lockProduct(tx: Db, id: string): Promise<ProductRow | undefined> {
  const rows = await tx
    .select()
    .from(products)
    .where(and(eq(products.id, id), isNull(products.deletedAt)))
    .for('no key update')
  return rows[0]
}

/** What the reviews say of it; no admin's edit, so `updatedAt` stays. Take `lockProduct` first. */
export async function keepRating(tx: Db, id: string, rating: number): Promise<void> {
  await tx.update(products).set({ rating }).where(eq(products.id, id))
}

export function datedReply(row: ProductRow): DatedProduct {
  return { ...productReply(row), views: row.views, updatedAt: row.updatedAt.toISOString() }
}

export function productReply(row: ProductRow): Product {
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
