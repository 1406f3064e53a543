import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp, { type Stats } from 'sharp'
import { demoCustomer } from '#shop/platform/config.ts'
import { desktop, layoutShift, newCustomer, phone } from './browser.ts'
import { openShop } from './open-shop.ts'
import { openSession } from './shop-calls.ts'

const { shop, browser } = await openShop()

async function addToCart(page: Page, position: number): Promise<string> {
  await page.goto('/shop')
  const link = page.getByRole('main').getByRole('article').nth(position).getByRole('link').first()
  const name = await link.innerText()
  await link.click()
  // The list has buttons of the same name.
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await page.getByText('Product added successfully!').waitFor()
  return name
}

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Email').fill('guest@example.com')
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12 / 40')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Gus Guest')
  await page.getByRole('button', { name: /^Pay \$/ }).click()
}

async function checkout(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.getByRole('dialog', { name: 'Cart' }).getByRole('button', { name: 'Checkout' }).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
}

for (const { viewport } of [desktop, phone]) {
  test(`a guest buys two products at ${viewport.width} px after a declined card, and opens the order`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { viewport })
    const names = [await addToCart(page, 0), await addToCart(page, 1)]
    await checkout(page)
    const total = (await page.getByRole('button', { name: /^Pay \$/ }).innerText()).replace('Pay ', '')

    await fillCard(page, '4000 0000 0000 0002')
    await page.getByText('Your card was declined.').waitFor()
    await fillCard(page, '4242 4242 4242 4242')

    await page.waitForURL(`${shop.url}/success?session_id=**`)
    await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
    await page.getByText(`You have paid ${total}.`).waitFor()
    assert.equal(await page.locator('[aria-current="step"]').count(), 1)
    assert.match(await page.locator('[aria-current="step"]').innerText(), /Pending/)

    await page.getByRole('link', { name: 'See your order' }).click()
    await page.waitForURL(`${shop.url}/orders/pi_**`)
    // The URL is that of the order before its page is there.
    const main = page.getByRole('main')
    for (const name of names) await main.getByText(name).first().waitFor()
    await main.getByRole('heading', { name: 'Payment pending' }).waitFor()
    assert.ok((await main.innerText()).includes(total), total)

    await page.getByRole('button', { name: /^Cart/ }).click()
    await page.getByText('Your cart is empty.').waitFor()
    await leave()
  })
}

test('a guest can copy the link of the order; a customer is led to the orders of the account', async () => {
  const guest = await newCustomer(browser, shop.url, { permissions: ['clipboard-read', 'clipboard-write'] })
  await addToCart(guest.page, 0)
  await checkout(guest.page)
  await fillCard(guest.page, '4242 4242 4242 4242')
  const copy = guest.page.getByRole('button', { name: 'Copy the link' })
  await copy.click()
  await guest.page.getByText('Link copied').waitFor()
  const orderPage = await guest.page.getByRole('link', { name: 'See your order' }).getAttribute('href')
  assert.equal(await guest.page.evaluate(() => navigator.clipboard.readText()), `${shop.url}${orderPage}`)
  const successPage = guest.page.url()
  await guest.page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await copy.click()
  await guest.page
    .getByText('The link was not copied. Please open your order and keep its address.')
    .waitFor()
  await guest.leave()

  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  // What was bought as a guest is in no account.
  await page.goto(successPage)
  await page.getByRole('button', { name: 'Copy the link' }).waitFor()
  await addToCart(page, 0)
  await checkout(page)
  await fillCard(page, '4242 4242 4242 4242')
  await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  const orderId = (await page.getByRole('link', { name: 'See your order' }).getAttribute('href'))?.split(
    '/',
  )[2]
  assert.equal(await page.getByRole('button', { name: 'Copy the link' }).count(), 0)
  await page.getByRole('link', { name: 'your orders' }).click()
  await page.waitForURL('**/dashboard/orders')
  await page.getByRole('link', { name: `View order ${orderId}` }).waitFor()
  await leave()
})

test('returning without paying keeps the cart, and the same cart leads to the same payment session', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const name = await addToCart(page, 2)
  const from = page.url()
  await checkout(page)
  const first = page.url()
  await page.getByRole('link', { name: /Haberdash/ }).click()
  await page.waitForURL(from)
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.getByRole('dialog', { name: 'Cart' }).getByText(name).waitFor()
  await page.getByRole('button', { name: 'Checkout' }).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  assert.equal(page.url(), first)
  await leave()
})

test('on a phone, the card page shows a long order in full', async () => {
  const { url } = await openSession(shop, 12)
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: phone.viewport })
  await page.goto(url)
  const order = page.getByRole('list', { name: 'Order' })
  assert.equal(await order.getByRole('listitem').count(), 12)
  const hidden = await order.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
  assert.equal(hidden, 0)
  await leave()
})

test('a picture that cannot be loaded leaves a plain square on the card page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /404/ })
  const { url } = await openSession(shop, 1)
  const squareOf = async () => {
    await page.goto(url)
    const picture = await page.getByRole('list', { name: 'Order' }).locator('li > :first-child').screenshot()
    return sharp(await sharp(picture).extract({ left: 6, top: 6, width: 32, height: 32 }).toBuffer()).stats()
  }
  const isPlain = (stats: Stats) => stats.channels.every(({ stdev }) => stdev < 1)
  assert.equal(isPlain(await squareOf()), false)
  await page.route(/uploads|pictures/, (route) => route.fulfill({ status: 404 }))
  assert.equal(isPlain(await squareOf()), true)
  await leave()
})

test('a card that requires authorization can be authorized and pays', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await addToCart(page, 3)
  await checkout(page)
  await fillCard(page, '4000 0025 0000 3155')
  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  await leave()
})

test('/success without a payment says so, shows no order and keeps the cart', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /404|402/ })
  await addToCart(page, 0)
  for (const address of ['/success', `/success?session_id=cs_test_${'a'.repeat(60)}`]) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1, name: /^(No payment to show|Payment not found)$/ }).waitFor()
    assert.equal(await page.getByText('Order Id').count(), 0)
    const shift = await layoutShift(page)
    assert.ok(shift < 0.02, `${address}: shifted by ${shift}`)
  }
  await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
  await leave()
})

test('opening another customer’s success page removes only what they bought from the cart', async () => {
  const buyer = await newCustomer(browser, shop.url)
  const bought = await addToCart(buyer.page, 5)
  await checkout(buyer.page)
  await fillCard(buyer.page, '4242 4242 4242 4242')
  await buyer.page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  const thanks = buyer.page.url()
  await buyer.leave()

  const { page, leave } = await newCustomer(browser, shop.url)
  await addToCart(page, 5)
  const kept = await addToCart(page, 6)
  await page.goto(thanks)
  await page.getByRole('button', { name: 'Cart, 1 item' }).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText(kept).waitFor()
  assert.equal(await cart.getByText(bought).count(), 0)
  await leave()
})

test('the order is there even if the shop is killed and restarted before the customer returns from paying', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await addToCart(page, 4)
  await checkout(page)
  // The shop is killed and started again before the customer's return reaches it.
  const charged = page.waitForRequest(`${shop.url}/success?**`)
  await page.route(`${shop.url}/success?**`, async (route) => {
    await shop.kill()
    await shop.start()
    await route.continue()
  })
  await fillCard(page, '4242 4242 4242 4242')
  await charged
  await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  await leave()
})
