import {
  categories,
  colors,
  priceRanges,
  updateCategories,
  type ProductSort,
} from '#shop/catalogue/choices.ts'
import { pageOf } from '#shop/web/ui/page-number.ts'

/** What the shop's address says: empty means no filter, the page counts from 1. */
export type Filters = { category: string; color: string; price: string; sort: ShopSort | ''; page: number }
export type FilterName = 'category' | 'color' | 'price'

/** What a shopper sorts by; without a word it is newest first. */
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

/** What is offered, and a category that only an address has chosen: some products are of one that is not offered. */
export function filterGroups({ category }: Filters): readonly FilterGroup[] {
  return groups.map((group) => {
    const isThere = group.choices.some(({ value }) => value === category)
    if (group.name !== 'category' || isThere) return group
    return { ...group, choices: [...group.choices, { value: category, label: category }] }
  })
}

/** Anything odd in an address counts as if it were not there. */
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

/** The address of these filters, beginning with `?` or empty; page 1 goes without saying. */
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

/** What is chosen, in words: "red, accessories, $50 - $100"; empty without a filter. */
export function namesOf({ category, color, price }: Filters): string {
  const range = priceChoices.find(({ value }) => value === price)
  return [color, category, range?.label].filter(Boolean).join(', ')
}

export const pageSize = 8

/** What the page of a category asks for: all of it, as far as one answer goes. */
export const categoryQuery = (category: string) => ({ category: category.toLowerCase(), page: 1, limit: 100 })

/** What a page of the shop asks for with these filters. */
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
