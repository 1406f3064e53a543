import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { ProductValues } from './product-form.tsx'

/** What an admin edits of a product, as it is called on the screen. */
export const productLabels = {
  name: 'Name',
  category: 'Category',
  color: 'Color',
  price: 'Price',
  oldPrice: 'Old price',
  description: 'Description',
  image: 'Image',
  views: 'More pictures',
} as const satisfies Record<keyof ProductValues, string>

export type FieldName = keyof typeof productLabels

const dollars = (amount: ProductValues['oldPrice']) =>
  typeof amount === 'number' ? formatDollars(amount) : ''

/** As text that can be read and compared. */
const texts: Record<FieldName, (product: ProductValues) => string> = {
  name: ({ name }) => name,
  category: ({ category }) => category,
  color: ({ color }) => color,
  price: ({ price }) => dollars(price),
  oldPrice: ({ oldPrice }) => dollars(oldPrice),
  description: ({ description }) => description,
  image: ({ image }) => image ?? '',
  views: ({ views = [] }) => views.join('\n'),
}

// Object.keys forgets which names they are.
const names = Object.keys(productLabels) as FieldName[]
export const productFields = names.map((name) => ({ name, label: productLabels[name], of: texts[name] }))

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
