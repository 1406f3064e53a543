import { z } from 'zod'
import { endpoint } from '#shop/contract/endpoint.ts'
import { Limit, Page } from '#shop/contract/paging.ts'
import {
  dataReply,
  Dollars,
  Id,
  IdempotencyKeyHeader,
  PictureAddress,
  IfMatchHeader,
  text,
  Timestamp,
} from '#shop/contract/shapes.ts'
import { categories, colors, productSorts, updateCategories } from './choices.ts'

export const Product = z.object({
  _id: Id,
  name: z.string(),
  category: z.string(),
  description: z.string(),
  price: Dollars,
  oldPrice: Dollars.nullable(),
  image: z.string().nullable(),
  color: z.string(),
  rating: z.number().min(0).max(5),
  author: z.string().nullable(),
  createdAt: Timestamp,
})
export type Product = z.infer<typeof Product>

/**
 * One product with its further views (addresses of pictures, as `image`, for its own page) and the moment an admin
 * last changed it (reviews do not count), by which a stale edit is recognized.
 */
export const DatedProduct = Product.extend({ views: z.array(z.string()), updatedAt: Timestamp })
export type DatedProduct = z.infer<typeof DatedProduct>

/** `all` and an empty value both mean: no filter. */
const Choice = text({ max: 1000 })
  .transform((value) => value.toLowerCase())
  .transform((value) => (value === 'all' || value === '' ? undefined : value))
  .optional()

const amount = 'must be an amount of dollars'
const PriceBound = z
  .string()
  .regex(/^(all|\d{1,9}(\.\d{1,2})?)?$/, amount)
  .transform((value) => (value === 'all' || value === '' ? undefined : Number(value)))
  .optional()

export const ProductQuery = z.object({
  category: Choice,
  color: Choice,
  minPrice: PriceBound,
  maxPrice: PriceBound,
  search: text({ max: 200 }).optional(),
  sort: z
    .enum(['', ...productSorts])
    .transform((value) => (value === '' ? undefined : value))
    .optional(),
  page: Page,
  limit: Limit(10),
})

export const listProducts = endpoint({
  method: 'GET',
  path: '/api/products/',
  summary:
    'Products, filtered, in pages, newest first unless sorted otherwise; in a shop of up to ten thousand a search without an order begins with what has all the words in its name, in a larger one any search lists the first 250 in its order at most',
  access: 'anyone',
  query: ProductQuery,
  reply: dataReply(
    z.object({
      products: z.array(Product),
      totalPages: z.number().int(),
      totalProducts: z.number().int(),
      page: z.number().int(),
      limit: z.number().int(),
    }),
  ),
})
export type ListProducts = typeof listProducts

export const listTrending = endpoint({
  method: 'GET',
  path: '/api/products/trending',
  summary: 'Seven products for the home page: those the demo began with, and the newest for what is missing',
  access: 'anyone',
  reply: dataReply(z.object({ products: z.array(Product) })),
})
export type ListTrending = typeof listTrending

const Price = Dollars.refine(
  (value) => value >= 0.01 && value <= 999_999.99,
  'must be from 0.01 to 999999.99',
).meta({ minimum: 0.01, maximum: 999_999.99 })

/** One of the words, in upper or lower case. */
function oneOf<const W extends readonly string[]>(words: W) {
  return text({ max: 100, min: 1 })
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(words, `must be one of: ${words.join(', ')}`))
    .meta({ enum: words })
}

/** An empty string means none: an empty field of a form sends one. */
const optional = <S extends z.ZodType>(field: S, otherwise: string) =>
  z
    .union([z.literal('').transform(() => null), field], otherwise)
    .nullable()
    .optional()

const ProductFields = z.object({
  name: text({ max: 120, min: 1 }),
  category: oneOf([...categories, ...updateCategories]),
  description: text({ max: 5000, min: 1, lines: true }),
  price: Price,
  color: oneOf(colors),
  oldPrice: optional(Price, 'must be a number'),
  image: optional(PictureAddress, 'must be text'),
  /** Further pictures: detail, back, folded. */
  views: z.array(PictureAddress).max(8, 'must have at most 8 URLs').optional(),
})
export type ProductFields = z.output<typeof ProductFields>

export const createProduct = endpoint({
  method: 'POST',
  path: '/api/products/create-product',
  summary:
    'Add a product; its author is the caller; for a day, the same `Idempotency-Key` is the same product',
  access: 'admin',
  headers: IdempotencyKeyHeader,
  body: ProductFields,
  reply: dataReply(DatedProduct),
  status: 201,
  titles: { missing: 'Please fill in all fields.' },
})
export type CreateProduct = typeof createProduct

export const updateProduct = endpoint({
  method: 'PATCH',
  path: '/api/products/update-product/:id',
  summary: 'Change the given fields of a product',
  access: 'admin',
  params: z.object({ id: Id }),
  headers: IfMatchHeader,
  body: ProductFields.partial().extend({
    /** If given, it must be the id of the path. */
    _id: z.unknown().optional(),
    id: z.unknown().optional(),
  }),
  reply: dataReply(DatedProduct),
  titles: { missing: 'Please fill in all fields.' },
})
export type UpdateProduct = typeof updateProduct

export const deleteProduct = endpoint({
  method: 'DELETE',
  path: '/api/products/:id',
  summary: 'Take a product out of the shop; orders keep what was bought',
  access: 'admin',
  params: z.object({ id: Id }),
  reply: dataReply(z.object({ _id: Id })),
})
export type DeleteProduct = typeof deleteProduct
