import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newCustomer, openBrowser } from './browser.ts'
import { startShop, type ShopProcess } from './shop-process.ts'

let shop: ShopProcess
let browser: Browser
before(async () => {
  ;[shop, browser] = await Promise.all([startShop({ RATE_LIMITS: 'off' }), openBrowser()])
})
after(async () => {
  await browser.close()
  await shop.close()
})

test('what somebody points at is read before they press, and not again when they do', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: { width: 1440, height: 900 } })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/products')) asked.push(request.url())
  })
  await page.goto('/shop')
  const cards = page.locator('article')
  await cards.first().waitFor()
  await page.waitForLoadState('networkidle')

  const pointAt = async (action: () => Promise<void>) => {
    const answer = page.waitForResponse((response) => response.url().includes('/api/products'))
    await action()
    await (await answer).finished()
  }
  const next = page.getByRole('button', { name: 'Next' })
  await pointAt(() => next.hover())
  const name = await cards.first().getByRole('link').innerText()
  await next.click()
  await page.waitForURL(/page=2/)
  await page.getByText(name).waitFor({ state: 'detached' })
  assert.equal(asked.filter((each) => each.includes('page=2')).length, 1, 'the page was there')

  await pointAt(() => page.getByRole('radio', { name: 'Grooming' }).locator('xpath=..').hover())
  await pointAt(() => cards.last().getByRole('link').hover())
  const product = await cards.last().getByRole('link').innerText()
  const address = await cards.last().getByRole('link').getAttribute('href')
  await cards.last().getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: product }).waitFor()
  const id = address?.split('/').at(-1) ?? 'none'
  assert.equal(asked.filter((each) => each.endsWith(id)).length, 1, 'the product was there')
  await leave()
})
