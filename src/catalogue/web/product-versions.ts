import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { ProductValues } from './product-form.tsx'

/** The fields of a product that an admin edits, with their names on the screen. */
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

/** The fields as text that can be read and compared. */
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

// Object.keys returns them as plain strings.
const names = Object.keys(productLabels) as FieldName[]
export const productFields = names.map((name) => ({ name, label: productLabels[name], of: texts[name] }))

type Field = (typeof productFields)[number]

/**
 * Whether I left a field as it was `before`. Amounts are compared as numbers: as text, one with half a cent, which
 * the shop would refuse, might look like the old one.
 */
export function isUntouched({ name, of }: Field, before: DatedProduct, mine: ProductValues): boolean {
  const isAmount = name === 'price' || name === 'oldPrice'
  return isAmount ? before[name] === (mine[name] ?? null) : of(before) === of(mine)
}

/** `mine` over `current`: fields that I left as they were in `before` keep what somebody else has saved since. */
export function mergedVersion(
  before: DatedProduct,
  current: DatedProduct,
  mine: ProductValues,
): ProductValues {
  const left = productFields.filter((field) => isUntouched(field, before, mine))
  return { ...mine, ...Object.fromEntries(left.map(({ name }) => [name, current[name]])) }
}
