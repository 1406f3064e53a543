// Lists as admins and customers turn them, and what changes something. Signing in and registering are missing: theirs
// is the time of a password's hash, whatever the shop's size.
import { productSorts } from '#shop/catalogue/choices.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { payByCard } from './checkouts.ts'
import type { BenchShop } from './shop.ts'
import { listOf } from './targets.ts'

export type Ask = { path: string; method?: string; body?: unknown; authorization?: string }
export type Call = { name: string; ask: (n: number) => Ask | Promise<Ask> }

type Sizes = { products: number; orders: number; users: number }
type Customer = { id: string; email: string; authorization: string }
/** What is asked about: one thing of each kind for each time. */
type Things = {
  products: string[]
  orders: { id: string; paymentId: string; email: string }[]
  people: string[]
  /** Has many reviews. */
  loved: string
}

export async function prepareCalls(
  shop: BenchShop,
  times: number,
): Promise<{ calls: Call[]; authorization: string }> {
  const database = openDatabase({ ...shop.connection, max: 1 }, console.error)
  const admin = await makeUser(database.db, { role: 'admin' })
  const { user, headers } = await makeUser(database.db)
  await database.close()
  const customer = { id: user.id, email: user.email, ...headers }
  const sizes = await sizesOf(shop)
  const things = await thingsOf(shop, customer, times)
  const calls = [
    ...productLists(sizes),
    ...orderLists(sizes, things),
    ...otherReads(sizes, things, customer),
    ...writes(shop, things, customer),
  ]
  return { calls, ...admin.headers }
}

async function sizesOf({ client }: BenchShop): Promise<Sizes> {
  const { rows } = await client.query<Sizes>(`select
    (select count(*)::int from products where deleted_at is null) as products,
    (select count(*)::int from orders where deleted_at is null) as orders,
    (select count(*)::int from users) as users`)
  return rows[0] ?? { products: 0, orders: 0, users: 0 }
}

/** Also gives the customer a hundred orders, and one product a review by every person, up to 10,000. */
async function thingsOf({ client }: BenchShop, customer: Customer, times: number): Promise<Things> {
  await client.query(
    `update orders set user_id = $1 where id in (select id from orders where deleted_at is null order by md5(id) limit 100)`,
    [customer.id],
  )
  const idsOf = async (question: string) =>
    (await client.query<{ id: string }>(`${question} limit ${times + 1}`)).rows.map(({ id }) => id)
  const products = await idsOf('select id from products where deleted_at is null order by md5(id)')
  const loved = products.pop() ?? ''
  await client.query(
    `insert into reviews (id, product_id, user_id, rating, comment)
      select md5($1 || id), $1, id, 1 + row_number() over () % 5, 'Fits.' from users limit 10000 on conflict do nothing`,
    [loved],
  )
  const orders = await client.query<Things['orders'][number]>(
    `select id, payment_id as "paymentId", email from orders where deleted_at is null and email is not null
      order by md5(id) limit ${times}`,
  )
  const people = await idsOf(
    `select id from users where role = 'user' and id <> '${customer.id}' order by md5(id)`,
  )
  return { products, orders: orders.rows, people, loved }
}

type Place = [name: string, page: number]
const placesIn = (rows: number, limit: number): Place[] => {
  const last = Math.max(1, Math.ceil(rows / limit))
  return [
    ['first', 1],
    ['middle', Math.ceil(last / 2)],
    ['last', last],
  ]
}

/** As the page of all products asks for them, and the shop with a filter. */
function productLists({ products }: Sizes): Call[] {
  const limit = 12
  const call = (name: string, query: Record<string, string | number>) => ({
    name,
    ask: () => ({ path: listOf({ limit, ...query }) }),
  })
  return [
    ...productSorts.flatMap((sort) => [
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
      call(`search ${sort}`, { sort, search: 'wool shirt' }),
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

function orderLists({ orders }: Sizes, things: Things): Call[] {
  const limit = 20
  const call = (name: string, query: (n: number) => Record<string, string | number>) => ({
    name: `orders ${name}`,
    ask: (n: number) => ({ path: listOf({ limit, ...query(n) }, '/api/orders/') }),
  })
  const of = (n: number) => things.orders[n % things.orders.length]
  return [
    ...placesIn(orders, limit).map(([place, page]) => call(place, () => ({ page }))),
    ...orderStatuses.flatMap((status) => [
      call(`${status}, first`, () => ({ status })),
      // By far the most are completed.
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

function otherReads({ users }: Sizes, things: Things, customer: Customer): Call[] {
  const { authorization, email, id } = customer
  const own = listOf.bind(undefined, { limit: 20 })
  const call = (name: string, path: string | ((n: number) => string), as?: string): Call => ({
    name,
    ask: (n) => ({
      path: typeof path === 'string' ? path : path(n),
      ...(as !== undefined && { authorization: as }),
    }),
  })
  const people = (query: Record<string, string | number>) =>
    listOf({ limit: 20, ...query }, '/api/auth/users')
  return [
    ...placesIn(users, 20).map(([place, page]) => call(`users, ${place}`, people({ page }))),
    call('users by a rare part', people({ search: 'shopper 77' })),
    call('users by a frequent part', people({ search: 'shopper' })),
    call('users by one letter', people({ search: 'z' })),
    call('users by nothing known', people({ search: 'nobody@' })),
    call('one product', (n) => `/api/products/${things.products[n] ?? ''}`),
    call('one product with many reviews', `/api/products/${things.loved}`),
    call('number of reviews', '/api/reviews/total-reviews'),
    call('reviews of a person', own(`/api/reviews/${id}`), authorization),
    call("the shop's numbers", '/api/stats/admin-stats'),
    call("a customer's numbers", `/api/stats/user-stats/${id}`, authorization),
    call("a customer's orders, first", own(`/api/orders/${email}`), authorization),
    call("a customer's orders, middle", `${own(`/api/orders/${email}`)}&page=3`, authorization),
    call("a customer's orders, last", `${own(`/api/orders/${email}`)}&page=5`, authorization),
    call('one order', (n) => `/api/orders/order/${things.orders[n]?.id ?? ''}`),
    call('one order by its payment', (n) => `/api/orders/order/${things.orders[n]?.paymentId ?? ''}`),
    call('payments to look at', '/api/orders/breaks'),
  ]
}

function writes(shop: BenchShop, { products, orders, people, loved }: Things, customer: Customer): Call[] {
  const { authorization } = customer
  const name = 'Linen Coat'
  const product = { name, category: 'grooming', color: 'blue', description: 'Made to be timed.', price: 42 }
  const cart = (n: number) => ({ products: [{ _id: products[n], quantity: 1 }] })
  const checkOut = '/api/orders/create-checkout-session'
  const review = { rating: 4, comment: 'Fits.' }
  const change = (
    name: string,
    method: string,
    path: (n: number) => string,
    body?: (n: number) => unknown,
    as?: string,
  ): Call => ({
    name,
    ask: (n) => ({
      method,
      path: path(n),
      ...(body && { body: body(n) }),
      ...(as !== undefined && { authorization: as }),
    }),
  })
  const reviews = '/api/reviews/post-review'
  return [
    change(
      'add a product',
      'POST',
      () => '/api/products/create-product',
      () => product,
    ),
    change(
      'new price',
      'PATCH',
      (n) => `/api/products/update-product/${products[n] ?? ''}`,
      () => ({ price: 77 }),
    ),
    change(
      'new text',
      'PATCH',
      (n) => `/api/products/update-product/${products[n] ?? ''}`,
      () => ({ name }),
    ),
    change(
      'a review',
      'POST',
      () => reviews,
      (n) => ({ ...review, productId: products[n] }),
      authorization,
    ),
    change(
      'one of many reviews',
      'POST',
      () => reviews,
      () => ({ ...review, productId: loved }),
      authorization,
    ),
    change('check out', 'POST', () => checkOut, cart, authorization),
    {
      name: 'confirm a payment',
      ask: async (n) => ({
        method: 'POST',
        path: '/api/orders/confirm-payment',
        body: { session_id: await payByCard(`http://127.0.0.1:${shop.port}`, cart(n).products) },
      }),
    },
    change(
      'state of an order',
      'PATCH',
      (n) => `/api/orders/update-order-status/${orders[n]?.id ?? ''}`,
      () => ({ status: 'shipped' }),
    ),
    change('delete an order', 'DELETE', (n) => `/api/orders/delete-order/${orders[n]?.id ?? ''}`),
    change('delete a product', 'DELETE', (n) => `/api/products/${products[n] ?? ''}`),
    change(
      'role of a user',
      'PUT',
      (n) => `/api/auth/users/${people[n] ?? ''}`,
      () => ({ role: 'admin' }),
    ),
    change('delete a user', 'DELETE', (n) => `/api/auth/users/${people[n] ?? ''}`),
  ]
}
