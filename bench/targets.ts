import { categories, colors, priceRanges } from '#shop/catalogue/choices.ts'

/** Requests like those of shoppers: some pages far more often than others. */
type Query = Record<string, string | number>
const ranges: Query[] = priceRanges.map(({ min, max }) => ({ minPrice: min, ...(max && { maxPrice: max }) }))

export const listOf = (query: Query, path = '/api/products/') =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))}`

/** A few hundred different lists: the first pages, each filter, combinations, later pages, searches. */
export function lists(): string[] {
  const one = [
    ...categories.map((category) => ({ category })),
    ...colors.map((color) => ({ color })),
    ...ranges,
  ]
  const two = categories.flatMap((category) => [
    ...colors.map((color) => ({ category, color })),
    ...ranges.map((range) => ({ category, ...range })),
  ])
  const pages = [1, 2, 3, 5, 8, 12].map((page) => ({ page }))
  const words = ['linen', 'wool shirt', 'blue', 'polo', 'tweed coat'].map((search) => ({ search }))
  const first = Array.from({ length: 20 }, () => ({ page: 1 }))
  const queries: Query[] = [...first, ...pages, ...one, ...one, ...two, ...words]
  return queries.map((query) => listOf({ limit: 8, ...query }))
}

/** The pages that visitors from elsewhere open; the server renders them. */
export function pages(productIds: readonly string[]): string[] {
  const shop = ['', '?page=2', ...categories.map((category) => `?category=${encodeURIComponent(category)}`)]
  return [
    '/',
    '/pages',
    '/contact',
    ...shop.map((query) => `/shop${query}`),
    ...categories.map((category) => `/categories/${encodeURIComponent(category)}`),
    ...productIds.map((id) => `/shop/${id}`),
  ]
}

/** The search with capitals that nobody has typed before, since the words of a search are remembered. */
export function varyCapitals(search: string, times: number): string {
  let place = 0
  return search.replace(/[a-z]/g, (letter) => ((times >> place++) & 1 ? letter.toUpperCase() : letter))
}

/** Every kind of list whose cost might grow with the shop; another limit makes it another list. */
export function listTargets(products: number, limit = 10): { name: string; path: string }[] {
  const lastPage = Math.ceil(products / limit)
  const [category, color] = ['casual dress', 'blue']
  const of = (name: string, query: Query) => ({
    name,
    path: listOf({ limit, ...query }),
  })
  const typed = (search: string) => ({ search: varyCapitals(search, limit) })
  return [
    of('first page', {}),
    of('one category', { category }),
    of('one color', { color }),
    of('category and color', { category, color }),
    of('price range', { minPrice: 50, maxPrice: 100 }),
    of('category and price', { category, minPrice: 200 }),
    of('all three', { category: 'grooming', color, minPrice: 100, maxPrice: 200 }),
    of('one price', { minPrice: 50, maxPrice: 50 }),
    of('page 20', { page: 20 }),
    of('last page', { page: lastPage }),
    of('last of a category', { category, page: Math.ceil(lastPage / 4) }),
    of('a frequent word', typed('linen')),
    of('two words', typed('wool shirt')),
    of('a rare word', { search: `${Math.min(777, products - 100) + limit} of` }),
    of('no such word', typed('zzyzx')),
    of('cheapest', { sort: 'price' }),
    of('dearest in a category', { sort: '-price', category }),
    of('by name', { sort: 'name' }),
    of('best rated', { sort: '-rating' }),
    of('page in the middle', { page: Math.floor(lastPage / 2) }),
    // These lists have a quarter and an eighth of the products.
    of('middle of a category', { category, page: Math.floor(lastPage / 8) }),
    of('middle of a price range', { minPrice: 50, maxPrice: 100, page: Math.floor(lastPage / 16) }),
    of('three words', typed('red wool shirt')),
    of('a word and every filter', {
      ...typed('wool'),
      category: 'grooming',
      color,
      minPrice: 50,
      maxPrice: 66,
    }),
    of('words never together', typed('linen wool')),
    of('two words by price', { ...typed('wool shirt'), sort: 'price' }),
  ]
}
