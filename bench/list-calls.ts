// Lists of products and of orders, in each order and at three places.
import { productSorts } from '#shop/catalogue/choices.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { listOf, varyCapitals } from './targets.ts'

export type CallRequest = { path: string; method?: string; body?: unknown; authorization?: string }
export type Call = { name: string; makeRequest: (n: number) => CallRequest | Promise<CallRequest> }

/** Selects the orders that were filled in. Those bought before are all of one customer. */
export const filledOrdersCondition = "session_id like 'cs_test_demo%'"

export type Sizes = { products: number; orders: number; users: number }
/** What the requests are about: one of each kind for each request. */
export type Samples = {
  products: string[]
  orders: { id: string; paymentId: string; email: string }[]
  people: string[]
  /** A product with many reviews. */
  muchReviewedProduct: string
}

type Place = [name: string, page: number]
export const placesIn = (rows: number, limit: number): Place[] => {
  const last = Math.max(1, Math.ceil(rows / limit))
  return [
    ['first', 1],
    ['middle', Math.ceil(last / 2)],
    ['last', last],
  ]
}

/** Lists as the page of all products requests them, and as the shop does with a filter. */
export function productLists({ products }: Sizes): Call[] {
  const limit = 12
  const call = (name: string, query: Record<string, string | number>) => ({
    name,
    makeRequest: () => ({ path: listOf({ limit, ...query }) }),
  })
  return [
    ...productSorts.flatMap((sort, index) => [
      ...placesIn(products, limit).map(([place, page]) => call(`products ${sort}, ${place}`, { sort, page })),
      ...placesIn(products / 28, limit)
        .slice(1)
        .map(([place, page]) =>
          call(`blue grooming ${sort}, ${place}`, { sort, page, category: 'grooming', color: 'blue' }),
        ),
      call(`from 50 to 100 ${sort}, middle`, {
        sort,
        minPrice: 50,
        maxPrice: 100,
        page: Math.ceil(products / 16 / limit),
      }),
      {
        name: `search ${sort}`,
        makeRequest: (n: number) => {
          const search = varyCapitals('wool shirt', productSorts.length * n + index)
          return { path: listOf({ limit, sort, search }) }
        },
      },
    ]),
    ...(['newest', 'name', 'rating'] as const).map((sort) =>
      call(`from 12.34 to 234.56 ${sort}, middle`, {
        sort,
        minPrice: 12.34,
        maxPrice: 234.56,
        page: Math.ceil(products / 4 / limit),
      }),
    ),
    call('a category of 100', { category: 'grooming', limit: 100 }),
  ]
}

export function orderLists({ orders }: Sizes, samples: Samples): Call[] {
  const limit = 20
  const call = (name: string, query: (n: number) => Record<string, string | number>) => ({
    name: `orders ${name}`,
    makeRequest: (n: number) => ({ path: listOf({ limit, ...query(n) }, '/api/orders/') }),
  })
  const of = (n: number) => samples.orders[n % samples.orders.length]
  return [
    ...placesIn(orders, limit).map(([place, page]) => call(place, () => ({ page }))),
    ...orderStatuses.flatMap((status) => [
      call(`${status}, first`, () => ({ status })),
      // By far the most orders are completed.
      ...(status === 'completed'
        ? placesIn(orders * 0.98, limit)
            .slice(1)
            .map(([place, page]) => call(`${status}, ${place}`, () => ({ status, page })))
        : []),
    ]),
    call('by order id', (n) => ({ search: of(n)?.paymentId ?? '' })),
    call('by e-mail', (n) => ({ search: of(n)?.email ?? '' })),
    call('by the begin of an e-mail', () => ({ search: 'shopper-77' })),
    call('by a frequent begin', () => ({ search: 'shopper' })),
    call('by a frequent begin, last', () => ({ search: 'shopper', page: 25 })),
    call('by nothing known', () => ({ search: 'nobody@' })),
    call('by e-mail, pending', (n) => ({ search: of(n)?.email ?? '', status: 'pending' })),
    call('by a frequent begin, pending', () => ({ search: 'shopper', status: 'pending' })),
  ]
}
