import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { ProductValues } from './product-form.tsx'

const dollars = (amount: ProductValues['oldPrice']) =>
  typeof amount === 'number' ? formatDollars(amount) : ''

type FieldName = keyof ProductValues

const fields: Record<FieldName, { label: string; of: (product: ProductValues) => string }> = {
  name: { label: 'Name', of: ({ name }) => name },
  category: { label: 'Category', of: ({ category }) => category },
  color: { label: 'Color', of: ({ color }) => color },
  price: { label: 'Price', of: ({ price }) => dollars(price) },
  oldPrice: { label: 'Old price', of: ({ oldPrice }) => dollars(oldPrice) },
  description: { label: 'Description', of: ({ description }) => description },
  image: { label: 'Image', of: ({ image }) => image ?? '' },
  views: { label: 'More pictures', of: ({ views = [] }) => views.join('\n') },
}

/** What an admin edits of a product, as text that can be read and compared. */
export const productFields = (Object.keys(fields) as FieldName[]).map((name) => ({ name, ...fields[name] }))

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
