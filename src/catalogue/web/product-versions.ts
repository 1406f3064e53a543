import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { ProductValues } from './product-form.tsx'

const dollars = (amount: ProductValues['oldPrice']) =>
  typeof amount === 'number' ? formatDollars(amount) : ''

/** What an admin edits of a product, as text that can be read and compared. */
export const productFields: {
  name: keyof ProductValues
  label: string
  of: (product: ProductValues) => string
}[] = [
  { name: 'name', label: 'Name', of: ({ name }) => name },
  { name: 'category', label: 'Category', of: ({ category }) => category },
  { name: 'color', label: 'Color', of: ({ color }) => color },
  { name: 'price', label: 'Price', of: ({ price }) => dollars(price) },
  { name: 'oldPrice', label: 'Old price', of: ({ oldPrice }) => dollars(oldPrice) },
  { name: 'description', label: 'Description', of: ({ description }) => description },
  { name: 'image', label: 'Image', of: ({ image }) => image ?? '' },
  { name: 'views', label: 'More pictures', of: ({ views = [] }) => views.join('\n') },
]

type Field = (typeof productFields)[number]

/** Whether I left a field as it was `before`; an amount that the shop would refuse is none that it had. */
export function isLeft({ name, of }: Field, before: DatedProduct, mine: ProductValues): boolean {
  const isAmount = name === 'price' || name === 'oldPrice'
  return isAmount ? before[name] === (mine[name] ?? null) : of(before) === of(mine)
}

/** `mine` over `current`: what I left as it was in `before` stays as somebody else has made it since. */
export function mergedVersion(
  before: DatedProduct,
  current: DatedProduct,
  mine: ProductValues,
): ProductValues {
  const left = productFields.filter((field) => isLeft(field, before, mine))
  return { ...mine, ...Object.fromEntries(left.map(({ name }) => [name, current[name]])) }
}
