import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import { checkAccessibility } from './accessibility.ts'
import { newCustomer, phone } from './browser.ts'
import { openShop } from './open-shop.ts'

const { shop, browser } = await openShop({ RATE_LIMITS: 'off', SHIP_TO: 'US,DE' })

test('a delivery address from the card page is shown with the order to its customer and admins only', async () => {
  const viewport = phone.viewport
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport,
    allowed: /ERR_FAILED/,
    as: demoCustomer,
  })
  await page.goto('/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await page.getByText('Product added successfully!').waitFor()
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.getByRole('button', { name: 'Checkout' }).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)

  await page.getByLabel('Email').fill('customer@haberdash.example')
  await page.getByLabel('Full name').fill('Carl Customer')
  await page.getByLabel('Street and number').fill('Lange Straße 5')
  await page.getByLabel('City').fill('Leipzig')
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByLabel('Expiry').fill('12 / 40')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('C. Customer')
  await page.getByRole('button', { name: /^Pay \$/ }).click()
  await page.getByRole('alert').getByText('Choose a country.').waitFor()
  await checkAccessibility(page, 'the card page with a delivery address')
  await page.getByLabel('Country').selectOption('Germany')
  await page.getByLabel('Card number').fill('4000 0000 0000 0002')
  // The page never contains the code again, so it is typed once more.
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('button', { name: /^Pay \$/ }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'Your card was declined.' })
  const { y = -1 } = (await refusal.boundingBox()) ?? {}
  assert.ok(y >= 0 && y < viewport.height, `why the card was refused is in view, not at ${y}`)
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('button', { name: /^Pay \$/ }).click()

  await page.waitForURL(`${shop.url}/success?session_id=**`)
  await page.getByRole('link', { name: 'See your order' }).click()
  const address = page.getByRole('region', { name: 'Delivery address' })
  await address.getByText('Lange Straße 5').waitFor()
  await page.reload()
  assert.match(await address.innerText(), /Carl Customer\nLange Straße 5\nLeipzig\nGermany/)
  const link = page.url()
  await page.route('**/api/orders/order/**', (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/orders/order/'))
  await page.reload()
  await failed
  await page.getByText('What you bought').waitFor()
  assert.equal(await page.getByText('Error loading order details.').count(), 0)
  await leave()

  const stranger = await newCustomer(browser, shop.url)
  await stranger.page.goto(link)
  await stranger.page.getByText('What you bought').waitFor()
  assert.doesNotMatch(await stranger.page.content(), /Leipzig/)
  await stranger.leave()

  const admin = await newCustomer(browser, shop.url, { as: demoAdmin })
  await admin.page.goto('/dashboard/manage-orders')
  await admin.page.getByRole('button', { name: /^View/ }).first().click()
  await admin.page.getByRole('dialog').getByText('Lange Straße 5').waitFor()
  await admin.leave()
})
