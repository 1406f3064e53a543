import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { checkAccessibility } from './accessibility.ts'
import { desktop, newCustomer, phone } from './browser.ts'
import { openShop } from './open-shop.ts'
import { firstProduct } from './shop-calls.ts'

const { shop, browser } = await openShop({})

const name = 'Navy Hopsack Blazer'
const screens: [string, BrowserContextOptions][] = [
  ['on a phone', phone],
  ['on a desktop', desktop],
]

for (const [where, options] of screens) {
  test(`a product’s pictures can be browsed by scrolling, arrow keys and links, ${where}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, options)
    await page.goto(await firstProduct(shop, name))
    const gallery = page.getByRole('group', { name: 'Pictures' })
    const strip = gallery.getByRole('list', { name: 'Pictures, side by side' })
    const link = (index: number) => gallery.getByRole('link', { name: `${name}, picture ${index + 1} of` })
    const waitUntilShown = (index: number) =>
      page.waitForFunction((at) => {
        const links = [...document.querySelectorAll('[aria-label=Pictures] a')]
        const list = document.querySelector('[aria-label="Pictures, side by side"]')
        const isThere = list && Math.abs(list.scrollLeft - at * list.clientWidth) < 2
        return isThere && links.findIndex((each) => each.ariaCurrent === 'true') === at
      }, index)
    await waitUntilShown(0)
    // From then on, everything further down has its true height.
    await page.waitForSelector('.laid-out')
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await checkAccessibility(page, where)

    await link(1).click()
    await waitUntilShown(1)
    assert.equal(new URL(page.url()).hash, '')
    await strip.focus()
    await page.keyboard.press('ArrowLeft')
    await waitUntilShown(0)
    await strip.evaluate((list) => list.scrollBy({ left: list.clientWidth * 0.7 }))
    await waitUntilShown(1)
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height)
    await leave()
  })
}

test('a product with a single picture has no gallery', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await page.goto(await firstProduct(shop, 'Aluminum Beard Comb'))
  await page.getByRole('img', { name: 'Aluminum Beard Comb' }).waitFor()
  assert.equal(await page.getByRole('group', { name: 'Pictures' }).count(), 0)
  await leave()
})
