import { submitCard } from '#shop/testing/card-page.ts'
import { makeBreak, makeOrder, makeProduct } from '#shop/testing/factories.ts'
import { openSession } from '#shop/testing/payments.ts'
import type { TestApp } from '#shop/testing/test-app.ts'
import { newPerson, password, type Person } from './callers.ts'

/** One request that succeeds when the caller may make it. */
type Call = { url: string; payload?: Record<string, unknown>; status?: number }
type MakeCall = (shop: TestApp, owner: Person) => Promise<Call>

/** A red dot. */
export const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

export const profile = { username: 'N', profileImage: 'https://example.com/a.png', bio: 'B', profession: 'P' }
const product = { name: 'Tie', category: 'formal dress', description: 'Silk.', price: 12.5, color: 'red' }
const newProduct = async ({ database }: TestApp) => makeProduct(database.db)
const newOrder = async ({ database }: TestApp, owner?: Person) =>
  makeOrder(database.db, { userId: owner?.user.id ?? null, email: owner?.user.email ?? null })

/** For every route of the shop, by method and address, a request about things of `owner`. */
export const calls: Record<string, MakeCall> = {
  'POST /api/auth/register': async (_shop, { user }) => ({
    url: '/api/auth/register',
    payload: { username: 'N', email: `new-${user.email}`, password },
    status: 201,
  }),
  'POST /api/auth/login': async (_shop, { user }) => ({
    url: '/api/auth/login',
    payload: { email: user.email, password },
  }),
  'POST /api/auth/logout': async () => ({ url: '/api/auth/logout' }),
  'GET /api/auth/me': async () => ({ url: '/api/auth/me' }),
  'POST /api/auth/change-password': async () => ({
    url: '/api/auth/change-password',
    payload: { currentPassword: password, newPassword: 'brand new teapot' },
  }),
  'PATCH /api/auth/edit-profile/:id': async (_shop, { user }) => ({
    url: `/api/auth/edit-profile/${user.id}`,
    payload: { ...profile, userId: user.id },
  }),
  'GET /api/auth/users': async () => ({ url: '/api/auth/users' }),
  'PUT /api/auth/users/:userId': async (shop) => ({
    url: `/api/auth/users/${(await newPerson(shop)).user.id}`,
    payload: { role: 'admin' },
  }),
  'DELETE /api/auth/users/:userId': async (shop) => ({
    url: `/api/auth/users/${(await newPerson(shop)).user.id}`,
  }),

  'GET /api/products/': async () => ({ url: '/api/products/?page=1&limit=8' }),
  'GET /api/products/trending': async () => ({ url: '/api/products/trending' }),
  'GET /api/products/:id': async (shop) => ({ url: `/api/products/${(await newProduct(shop)).id}` }),
  'POST /api/products/create-product': async () => ({
    url: '/api/products/create-product',
    payload: product,
    status: 201,
  }),
  'PATCH /api/products/update-product/:id': async (shop) => ({
    url: `/api/products/update-product/${(await newProduct(shop)).id}`,
    payload: { ...product, name: 'Other' },
  }),
  'DELETE /api/products/:id': async (shop) => ({ url: `/api/products/${(await newProduct(shop)).id}` }),

  'POST /api/reviews/post-review': async (shop) => ({
    url: '/api/reviews/post-review',
    payload: { productId: (await newProduct(shop)).id, rating: 4, comment: 'Good.' },
    status: 201,
  }),
  'GET /api/reviews/total-reviews': async () => ({ url: '/api/reviews/total-reviews' }),
  'GET /api/reviews/:userId': async (_shop, { user }) => ({ url: `/api/reviews/${user.id}` }),

  'GET /api/stats/user-stats/:userId': async (_shop, { user }) => ({
    url: `/api/stats/user-stats/${user.id}`,
  }),
  'GET /api/stats/admin-stats': async () => ({ url: '/api/stats/admin-stats' }),

  'GET /api/config': async () => ({ url: '/api/config' }),
  'POST /api/orders/create-checkout-session': async (shop) => ({
    url: '/api/orders/create-checkout-session',
    payload: { products: [{ _id: (await newProduct(shop)).id, quantity: 1 }] },
    status: 201,
  }),
  'POST /api/orders/confirm-payment': async (shop) => {
    const session = await openSession(shop, [{ _id: (await newProduct(shop)).id, quantity: 1 }])
    await submitCard(session.url)
    return { url: '/api/orders/confirm-payment', payload: { session_id: session.id } }
  },
  'GET /api/orders/order/:id': async (shop, owner) => ({
    url: `/api/orders/order/${(await newOrder(shop, owner)).id}`,
  }),
  'GET /api/orders/:email': async (shop, owner) => {
    await newOrder(shop, owner)
    return { url: `/api/orders/${owner.user.email}` }
  },
  'GET /api/orders/': async () => ({ url: '/api/orders/' }),
  'GET /api/orders/breaks': async () => ({ url: '/api/orders/breaks' }),
  'POST /api/orders/breaks/:sessionId/close': async ({ database }) => ({
    url: `/api/orders/breaks/${await makeBreak(database.db)}/close`,
  }),
  'PATCH /api/orders/update-order-status/:id': async (shop, owner) => ({
    url: `/api/orders/update-order-status/${(await newOrder(shop, owner)).id}`,
    payload: { status: 'shipped' },
  }),
  'DELETE /api/orders/delete-order/:id': async (shop, owner) => ({
    url: `/api/orders/delete-order/${(await newOrder(shop, owner)).id}`,
  }),

  'POST /uploadImage': async () => ({ url: '/uploadImage', payload: { image: picture } }),
  'POST /api/payments/webhook': async () => ({ url: '/api/payments/webhook', payload: { type: 'x' } }),
}

/** For a route without an entry above, which responds the same to everybody: a URL that matches it. */
export function fileCall(url: string): Call {
  return { url: url.replace('*', 'x').replaceAll(/:\w+/g, 'x') }
}
