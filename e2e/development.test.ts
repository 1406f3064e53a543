import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#shop/testing/until.ts'
import { newCustomer, waitForHydration } from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'
import { firstProduct } from './shop-calls.ts'

// React's development build reports what its production build tolerates in silence.
const { shop, browser } = await openShop({ RATE_LIMITS: 'off' }, ['--dev'])

test('React’s development build hydrates server-rendered pages without a warning', async () => {
  const addresses = ['/', '/shop?page=2', '/categories/grooming', await firstProduct(shop)]
  // Served from the sources, a page takes long the first time, and the browser then loads it twice.
  const warm = await browser.newPage()
  warm.setDefaultTimeout(120_000)
  for (const address of addresses) {
    await until(() => isRendered(shop.url + address))
    await warm.goto(shop.url + address, { waitUntil: 'networkidle' })
  }
  await warm.close()

  // Redux warns when its own checks take long, which depends on what else the machine does.
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: /StateInvariantMiddleware took/,
    savesData: true,
  })
  for (const address of addresses) {
    await page.goto(address)
    await waitForHydration(page, 'main button')
    assert.ok(await page.getByRole('heading', { level: 1 }).innerText(), address)
  }
  await leave()
})
