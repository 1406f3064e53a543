import { productSorts, type ProductSort } from '#shop/catalogue/choices.ts'
import type { ListAddress } from '#shop/web/ui/list-address.ts'

/** The names of the orders on the screen. */
export const sortLabels: Record<ProductSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  price: 'Price, lowest first',
  '-price': 'Price, highest first',
  category: 'Category, A to Z',
  '-category': 'Category, Z to A',
  rating: 'Rating, lowest first',
  '-rating': 'Rating, highest first',
}

/** The order that the URL asks for; newest first if it is none of the shop's. */
export function sortOf(address: ListAddress): ProductSort {
  const wanted = address.get('sort')
  return productSorts.find((sort) => sort === wanted) ?? 'newest'
}

type SortedBy = { up: ProductSort; down: ProductSort; first: 'up' | 'down' }

/** Where the heading of a column links to: the direction that is more useful first, then the other. */
export function headingSort(address: ListAddress, { up, down, first }: SortedBy) {
  const now = sortOf(address)
  const is = now === up ? ('ascending' as const) : now === down ? ('descending' as const) : undefined
  const initial = first === 'up' ? up : down
  const next = now === initial ? (first === 'up' ? down : up) : initial
  return { is, href: address.hrefWith({ sort: next }) }
}
