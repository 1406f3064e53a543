import assert from 'node:assert/strict'
import type { APIRequestContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { demoAdmin } from '#shop/platform/config.ts'
import { newCustomer, type Account } from './browser.ts'
import { openShop } from './open-shop.ts'

export type Json = Record<string, unknown>

/** A shop for the tests of one file, and what they do in it as an admin. */
export async function openAdminShop() {
  const { shop, browser } = await openShop()
  const headers = { origin: shop.url }
  return {
    shop,
    browser,

    /** The admin in a browser of their own, and a client with the same session that sees what the page really did. */
    async newAdmin(allowed?: RegExp, options: BrowserContextOptions = {}) {
      const { page, leave } = await newCustomer(browser, shop.url, {
        ...options,
        ...(allowed && { allowed }),
        as: demoAdmin,
      })
      return { page, leave, calls: page.context().request }
    },

    /** Makes a change as another admin would at the same moment. */
    async change(calls: APIRequestContext, method: 'PATCH' | 'PUT' | 'DELETE', path: string, data?: Json) {
      const answer = await calls.fetch(path, { method, headers, ...(data && { data }) })
      assert.equal(answer.status(), 200, path)
    },

    /** Registers somebody; returns the new user's id. */
    async register(calls: APIRequestContext, data: Account & { username: string }): Promise<string> {
      const answer = await calls.post('/api/auth/register', { data, headers })
      assert.equal(answer.status(), 201)
      return ((await answer.json()) as { data: { _id: string } }).data._id
    },
  }
}

export async function dataOf(calls: APIRequestContext, path: string): Promise<Json> {
  const answer = await calls.get(path)
  assert.equal(answer.status(), 200, path)
  // The cast holds: every successful response of the shop has its result in `data`.
  return ((await answer.json()) as { data: Json }).data
}

/** How many orders wait to be processed. */
export async function countPending(calls: APIRequestContext): Promise<number> {
  const pending = await calls.get('/api/orders/?status=pending&limit=1')
  return Number(pending.headers()['x-total-count'])
}

export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })
