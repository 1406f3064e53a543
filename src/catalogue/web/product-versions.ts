import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { productFields, type ProductValues } from './product-fields.ts'

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
