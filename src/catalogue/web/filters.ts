import {
  categories,
  colors,
  priceRanges,
  updateCategories,
  type ProductSort,
} from '#shop/catalogue/choices.ts'
import { pageOf } from '#shop/web/ui/page-number.ts'

/** The filters in the shop's URL: empty means no filter, and pages count from 1. */
export type Filters = { category: string; color: string; price: string; sort: ShopSort | ''; page: number }
export type FilterName = 'category' | 'color' | 'price'

/** The orders that shoppers can choose; the default is newest first. */
export const shopSorts = ['price', '-price', '-rating', 'name'] as const satisfies readonly ProductSort[]
type ShopSort = (typeof shopSorts)[number]

type Choice = { value: string; label: string }

const priceChoices: readonly Choice[] = priceRanges.map(({ label, min, max }) => ({
  value: `${min}-${max ?? ''}`,
  label,
}))

type FilterGroup = { name: FilterName; title: string; choices: readonly Choice[] }

const groups: readonly FilterGroup[] = [
  { name: 'category', title: 'Category', choices: withAll(categories) },
  { name: 'color', title: 'Colors', choices: withAll(colors) },
  { name: 'price', title: 'Price Range', choices: priceChoices },
]

/**
 * The choices on offer, and a category that only a URL has chosen: some products are of one that is not on offer.
 */
export function filterGroups({ category }: Filters): readonly FilterGroup[] {
  return groups.map((group) => {
    const isThere = group.choices.some(({ value }) => value === category)
    if (group.name !== 'category' || isThere) return group
    return { ...group, choices: [...group.choices, { value: category, label: category }] }
  })
}

/** Values in a URL that are not known are ignored. */
export function filtersOf(params: URLSearchParams): Filters {
  const known = (name: FilterName, values: readonly string[]) => {
    const value = params.get(name)?.toLowerCase() ?? ''
    return values.includes(value) ? value : ''
  }
  return {
    category: known('category', [...categories, ...updateCategories]),
    color: known('color', colors),
    price: known(
      'price',
      priceChoices.map((choice) => choice.value),
    ),
    sort: shopSorts.find((sort) => sort === params.get('sort')) ?? '',
    page: pageOf(params),
  }
}

/** The query string of these filters, a lone `?` without any; page 1 is left out. */
export function hrefOf({ category, color, price, sort, page }: Filters): string {
  const params = new URLSearchParams()
  if (category) params.set('category', category)
  if (color) params.set('color', color)
  if (price) params.set('price', price)
  if (sort) params.set('sort', sort)
  if (page > 1) params.set('page', String(page))
  const query = params.toString()
  return query ? `?${query}` : '?'
}

/** The chosen filters in words: "red, accessories, $50 - $100"; empty without any. */
export function namesOf({ category, color, price }: Filters): string {
  const range = priceChoices.find(({ value }) => value === price)
  return [color, category, range?.label].filter(Boolean).join(', ')
}

export const pageSize = 8

/** The query for the page of a category: all its products, as far as one response goes. */
export const categoryQuery = (category: string) => ({ category: category.toLowerCase(), page: 1, limit: 100 })

/** The query for a page of the shop with these filters. */
export function queryOf({ category, color, price, sort, page }: Filters) {
  const range = priceRanges[priceChoices.findIndex((choice) => choice.value === price)]
  return {
    category,
    color,
    minPrice: range?.min,
    maxPrice: range?.max ?? undefined,
    sort: sort || undefined,
    page,
    limit: pageSize,
  }
}

export function countChosen({ category, color, price }: Filters): number {
  return [category, color, price].filter(Boolean).length
}

function withAll(values: readonly string[]): Choice[] {
  return [{ value: '', label: 'all' }, ...values.map((value) => ({ value, label: value }))]
}
