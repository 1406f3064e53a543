import type { CreateProduct } from '#shop/catalogue/contract.ts'
import type { Body } from '#shop/contract/endpoint.ts'
import { formatDollars } from '#shop/contract/money.ts'

export type ProductValues = Body<CreateProduct>

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
