import assert from 'node:assert/strict'
import { submitCard } from '#shop/testing/card-page.ts'
import type { ShopProcess } from './shop-process.ts'

type Product = {
  _id: string
  name: string
  image: string
  color: string
  category: string
  price: number
  oldPrice: number | null
  description: string
}
type Products = { products: Product[]; totalProducts: number; totalPages: number }

/** The shop's list for a query such as `limit=2`. */
export async function listProducts(at: ShopProcess, query: string): Promise<Products> {
  const response = await fetch(`${at.url}/api/products/?${query}`)
  return ((await response.json()) as { data: Products }).data
}

/** The path of the first product that is found. */
export async function firstProduct(at: ShopProcess, search = ''): Promise<string> {
  const { products } = await listProducts(at, `limit=1&search=${encodeURIComponent(search)}`)
  return `/shop/${products[0]?._id}`
}

/** A checkout session for the first products of the list. */
export async function openSession(at: ShopProcess, count = 2): Promise<{ id: string; url: string }> {
  const list = await listProducts(at, `limit=${count}`)
  const products = list.products.map(({ _id, price }) => ({ _id, price, quantity: 1 }))
  const response = await post(at, '/api/orders/create-checkout-session', { products })
  assert.equal(response.status, 201)
  return (await response.json()) as { id: string; url: string }
}

/** Pays on the card page. */
export async function pay(url: string): Promise<void> {
  assert.ok(await submitCard(url))
}

export function confirm(at: ShopProcess, sessionId: string): Promise<Response> {
  return post(at, '/api/orders/confirm-payment', { session_id: sessionId })
}

/** Buys the first products of the list; returns the order's id. */
export async function buy(at: ShopProcess): Promise<string> {
  const { id, url } = await openSession(at)
  await pay(url)
  const { data } = (await (await confirm(at, id)).json()) as { data: { orderId: string } }
  return data.orderId
}

export async function adminHeaders(at: ShopProcess): Promise<{ authorization: string }> {
  const login = await post(at, '/api/auth/login', {
    email: 'admin@haberdash.example',
    password: 'demo-admin-1',
  })
  const { token } = (await login.json()) as { token: string }
  return { authorization: `Bearer ${token}` }
}

export function post(at: ShopProcess, path: string, body: object, headers = {}): Promise<Response> {
  return fetch(at.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
