// Every request of the API but signing in and registering: these take the time of a password's hash, whatever the
// shop's size.
import { openDatabase } from '#shop/platform/database.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { payByCard } from './checkouts.ts'
import {
  filledOrdersCondition,
  orderLists,
  placesIn,
  productLists,
  type Call,
  type Sizes,
  type Samples,
} from './list-calls.ts'
import type { BenchShop } from './shop.ts'
import { listOf } from './targets.ts'

type Customer = { id: string; email: string; authorization: string }

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
  const samples = await readSamples(shop, customer, times)
  const calls = [
    ...productLists(sizes),
    ...orderLists(sizes, samples),
    ...otherReads(sizes, samples, customer),
    ...writes(shop, samples, customer),
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

/** Also gives the customer a hundred orders, and one product a review by every user, up to 10,000. */
async function readSamples({ client }: BenchShop, customer: Customer, times: number): Promise<Samples> {
  await client.query(
    `update orders set user_id = $1 where id in (select id from orders where deleted_at is null order by md5(id) limit 100)`,
    [customer.id],
  )
  const idsOf = async (question: string) =>
    (await client.query<{ id: string }>(`${question} limit ${times + 1}`)).rows.map(({ id }) => id)
  const products = await idsOf('select id from products where deleted_at is null order by md5(id)')
  const muchReviewedProduct = products.pop() ?? ''
  await client.query(
    `insert into reviews (id, product_id, user_id, rating, comment)
      select md5($1 || id), $1, id, 1 + row_number() over () % 5, 'Fits.' from users limit 10000 on conflict do nothing`,
    [muchReviewedProduct],
  )
  // Autovacuum would do so, but not at once.
  await client.query('analyze reviews, orders')
  const orders = await client.query<Samples['orders'][number]>(
    `select id, payment_id as "paymentId", email from orders where deleted_at is null and ${filledOrdersCondition}
      order by md5(id) limit ${times}`,
  )
  const people = await idsOf(
    `select id from users where role = 'user' and id <> '${customer.id}' order by md5(id)`,
  )
  return { products, orders: orders.rows, people, muchReviewedProduct }
}

function otherReads({ users }: Sizes, samples: Samples, customer: Customer): Call[] {
  const { authorization, email, id } = customer
  const own = listOf.bind(undefined, { limit: 20 })
  const call = (name: string, path: string | ((n: number) => string), as?: string): Call => ({
    name,
    makeRequest: (n) => ({
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
    call('one product', (n) => `/api/products/${samples.products[n] ?? ''}`),
    call('one product with many reviews', `/api/products/${samples.muchReviewedProduct}`),
    call('number of reviews', '/api/reviews/total-reviews'),
    call('reviews of a person', own(`/api/reviews/${id}`), authorization),
    call("the shop's numbers", '/api/stats/admin-stats'),
    call("a customer's numbers", `/api/stats/user-stats/${id}`, authorization),
    call("a customer's orders, first", own(`/api/orders/${email}`), authorization),
    call("a customer's orders, middle", `${own(`/api/orders/${email}`)}&page=3`, authorization),
    call("a customer's orders, last", `${own(`/api/orders/${email}`)}&page=5`, authorization),
    call('one order', (n) => `/api/orders/order/${samples.orders[n]?.id ?? ''}`),
    call('one order by its payment', (n) => `/api/orders/order/${samples.orders[n]?.paymentId ?? ''}`),
    call('payments to look at', '/api/orders/breaks'),
  ]
}

function writes(
  shop: BenchShop,
  { products, orders, people, muchReviewedProduct }: Samples,
  customer: Customer,
): Call[] {
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
    makeRequest: (n) => ({
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
      () => ({ ...review, productId: muchReviewedProduct }),
      authorization,
    ),
    change('check out', 'POST', () => checkOut, cart, authorization),
    {
      name: 'confirm a payment',
      makeRequest: async (n) => ({
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
