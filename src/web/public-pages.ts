import { categories, updateCategories } from '#shop/catalogue/choices.ts'
import type { ProductList } from '#shop/catalogue/web/api.ts'
import { categoryStyles } from '#shop/catalogue/web/category-styles.ts'
import { filtersOf, hrefOf, namesOf, type Filters } from '#shop/catalogue/web/filters.ts'
import { toDisplayableText } from '#shop/contract/displayable-text.ts'
import type { ProductWithReviews } from '#shop/reviews/web/api.ts'
import type { PageFacts } from './head.ts'
import { paths } from './paths.ts'
import { pageOf } from './ui/page-number.ts'
import { breadcrumbs, organization, productData, website } from './structured-data.ts'

/** What the server knows when it describes a page. */
type PageContext = {
  params: Record<string, string | undefined>
  search: URLSearchParams
  publicUrl: string
  /** The queries that the rendering made, in order: those of a page come before those of its parts. */
  answers: readonly { endpointName?: string; data?: unknown }[]
}

export type Page = { pattern: string; file: string; about: (known: PageContext) => PageFacts }

/** The pages that the server renders. All others are rendered by the browser alone, and not indexed. */
export const publicPages: readonly Page[] = [
  { pattern: '/', file: 'src/web/pages/home-page.tsx', about: aboutHome },
  { pattern: '/shop', file: 'src/catalogue/web/shop-page.tsx', about: aboutShop },
  { pattern: '/shop/:id', file: 'src/web/pages/product-page.tsx', about: aboutProduct },
  { pattern: '/categories/:categoryName', file: 'src/catalogue/web/category-page.tsx', about: aboutCategory },
  { pattern: '/search', file: 'src/catalogue/web/search-page.tsx', about: aboutSearch },
  { pattern: '/orders/:orderId', file: 'src/orders/web/order-page.tsx', about: aboutOrder },
  {
    pattern: '/pages',
    file: 'src/web/pages/plain-pages.tsx',
    about: () => ({
      path: paths.pages,
      description:
        'Delivery, returns, payment, sizes and the care of cloth at Haberdash: how things get to you, how they come back, and how to keep them well.',
    }),
  },
  {
    pattern: '/contact',
    file: 'src/web/pages/plain-pages.tsx',
    about: ({ publicUrl }) => ({
      path: paths.contact,
      description:
        'Write to Haberdash, call us, or visit the shop. Most messages are answered within one working day.',
      structured: [organization(publicUrl)],
    }),
  },
]

export const unknownAddress: Page = {
  pattern: '*',
  file: 'src/web/pages/not-found-page.tsx',
  about: () => ({ isMissing: true }),
}

function aboutHome({ publicUrl }: PageContext): PageFacts {
  return {
    path: paths.home,
    description: 'Haberdash: men’s clothing, accessories and grooming, made to be worn for years.',
    structured: [organization(publicUrl), website(publicUrl)],
  }
}

function aboutShop({ search, publicUrl, answers }: PageContext): PageFacts {
  const filters = filtersOf(search)
  const list = answerOf<ProductList>(answers, 'listProducts')
  const addressWith = (change: Partial<Filters>) =>
    paths.shop + hrefOf({ ...filters, ...change }).replace(/^\?$/, '')
  const lastPage = Math.max(1, list?.totalPages ?? filters.page)
  if (filters.page > lastPage) return { movedTo: addressWith({ page: lastPage }) }
  const names = namesOf(filters)
  const productCountText = formatProductCount(list?.totalProducts ?? 0)
  return {
    // Sorted in another way, it is still the same list.
    path: addressWith({ sort: '' }),
    ...(filters.page > 1 && { before: addressWith({ page: filters.page - 1 }) }),
    ...(filters.page < lastPage && { after: addressWith({ page: filters.page + 1 }) }),
    description: `${names ? `${names}: ${productCountText} at Haberdash` : `All of Haberdash: ${productCountText} by category, color and price`}, with free delivery and thirty days to send things back.`,
    structured: [
      breadcrumbs(publicUrl, [
        ['Home', paths.home],
        ['Shop', paths.shop],
      ]),
    ],
  }
}

function aboutProduct({ publicUrl, answers }: PageContext): PageFacts {
  const found = answerOf<ProductWithReviews>(answers, 'getProduct')
  if (!found) return { isMissing: true }
  const { product } = found
  const path = paths.product(product._id)
  return {
    path,
    description: shortenDescription(product.description),
    picture: product.image ? { src: product.image, alt: product.name } : undefined,
    kind: 'product',
    more: { 'product:price:amount': product.price.toFixed(2), 'product:price:currency': 'USD' },
    structured: [
      productData(publicUrl, found),
      breadcrumbs(publicUrl, [
        ['Home', paths.home],
        ['Shop', paths.shop],
        [product.name, path],
      ]),
    ],
  }
}

function aboutCategory({ params: { categoryName = '' }, publicUrl, answers }: PageContext): PageFacts {
  const name = categoryName.toLowerCase()
  const list = answerOf<ProductList>(answers, 'listProducts')
  const isKnown = [...categories, ...updateCategories].some((category) => category === name)
  if (!isKnown && !list?.totalProducts) return { isMissing: true }
  // The category of all products is the shop itself.
  const path = name === 'all' ? paths.shop : paths.category(name)
  const style = categoryStyles.find((category) => category.name === name)
  const picture = style?.picture.replace(/\.webp$/, '-1280.webp')
  return {
    path,
    description:
      `${style?.line ?? ''} ${formatProductCount(list?.totalProducts ?? 0)} in ${name} at Haberdash.`.trim(),
    picture: picture === undefined ? undefined : { src: picture, alt: name },
    structured: [
      breadcrumbs(publicUrl, [
        ['Home', paths.home],
        ['Shop', paths.shop],
        ...(path === paths.shop ? [] : [[name, path] as const]),
      ]),
    ],
  }
}

/** What people search for is private: search engines must not index the page. */
function aboutSearch({ search, answers }: PageContext): PageFacts {
  const list = answerOf<ProductList>(answers, 'listProducts')
  const words = toDisplayableText(search.get('q') ?? '')
  if (list && list.totalPages > 0 && pageOf(search) > list.totalPages) {
    const last = new URLSearchParams({ q: words, page: String(list.totalPages) })
    return { movedTo: `${paths.search}?${last.toString()}` }
  }
  return {
    isPrivate: words !== '',
    path: words === '' ? paths.search : undefined,
    description: 'Find clothing, accessories and grooming at Haberdash by name, color or cloth.',
  }
}

function aboutOrder({ answers }: PageContext): PageFacts {
  return { isPrivate: true, isMissing: !answerOf(answers, 'getOrder') }
}

/** `T` is the type of the endpoint's response, which the caller knows. */
function answerOf<T>(answers: PageContext['answers'], endpoint: string): T | undefined {
  return answers.find(({ endpointName }) => endpointName === endpoint)?.data as T | undefined
}

function formatProductCount(products: number): string {
  return products === 1 ? '1 product' : `${products} products`
}

/** Shortens a text to what search engines show, ending with a whole word. */
function shortenDescription(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const beginning = [...line].slice(0, 160).join('')
  // Some scripts do not separate words, so no more than 30 characters are dropped.
  return beginning === line ? line : `${beginning.replace(/\s+\S{0,30}$/, '')}…`
}
