import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { holdRequests, newCustomer, openHydrated, stopTimers, waitForPaint } from './browser.ts'
import { openShop } from './open-shop.ts'
import { adminHeaders, pay } from './shop-calls.ts'
import { startShop } from './shop-process.ts'

const { shop, browser } = await openShop()

const sessions = '**/api/orders/create-checkout-session'
const cart = (page: Page) => page.getByRole('dialog', { name: 'Cart' })
const total = (page: Page) => cart(page).getByText('Total', { exact: true }).locator('..')
const checkoutButton = (page: Page) => cart(page).getByRole('button', { name: 'Checkout' })

/** Adds the product at this position of the shop's list; returns its id and name. */
async function addToCart(page: Page, position: number): Promise<{ id: string; name: string }> {
  await openHydrated(page, '/shop')
  const item = page.getByRole('main').getByRole('article').nth(position)
  const link = item.getByRole('link').first()
  const found = {
    id: (await link.getAttribute('href'))?.split('/').at(-1) ?? '',
    name: await link.innerText(),
  }
  await item.getByRole('button', { name: 'Add to Cart' }).click()
  await page.getByText('Product added successfully!').waitFor()
  return found
}

async function openCart(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Cart/ }).click()
  await cart(page).waitFor()
}

/** Makes a change as an admin, while the customer looks at the cart. */
async function change(method: 'PATCH' | 'DELETE', id: string, body?: object): Promise<void> {
  const path = method === 'PATCH' ? 'update-product/' : ''
  const response = await fetch(`${shop.url}/api/products/${path}${id}`, {
    method,
    headers: { ...(await adminHeaders(shop)), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  assert.equal(response.status, 200)
}

test('a changed price, an unavailable product and the new total are shown before payment', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /409|Error creating checkout/ })
  const dearer = await addToCart(page, 0)
  const gone = await addToCart(page, 1)
  await openCart(page)
  await change('PATCH', dearer.id, { price: 123.45 })
  await change('DELETE', gone.id)
  await checkoutButton(page).click()
  await cart(page).getByText('Now $123.45').waitFor()
  await cart(page).getByText('No longer available').waitFor()
  await cart(page)
    .getByRole('alert')
    .getByText('Your cart has changed: look at the marked lines, then update the cart to go on.')
    .waitFor()
  await total(page).getByText('$123.45', { exact: true }).waitFor()
  assert.equal(await checkoutButton(page).getAttribute('aria-disabled'), 'true')
  const update = cart(page).getByRole('button', { name: 'Update cart' })
  await update.press('Enter')
  await update.waitFor({ state: 'detached' })
  // The second press must not start the payment yet.
  await page.keyboard.press('Enter')
  assert.equal(await checkoutButton(page).getAttribute('aria-busy'), null)
  assert.equal(await cart(page).getByText(gone.name).count(), 0)
  // The list behind the cart changes, too; otherwise the product could be added again.
  const articles = page.locator('main article')
  await articles.filter({ hasText: gone.name }).waitFor({ state: 'detached' })
  await articles.filter({ hasText: dearer.name }).getByText('$123.45').waitFor()
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await page.getByRole('button', { name: 'Pay $123.45' }).waitFor()
  await leave()
})

const failures: [fail: (route: Route) => Promise<void>, sentence: RegExp][] = [
  [(route) => route.fulfill({ status: 503 }), /^Paying is not possible right now\./],
  [(route) => route.fulfill({ status: 429 }), /^That was a lot of attempts in a short time\./],
  [(route) => route.fulfill({ status: 400 }), /^This cart cannot be paid for as it is\./],
  [(route) => route.fulfill({ status: 500 }), /^The checkout could not be opened\./],
  [(route) => route.fulfill({ status: 201 }), /^The checkout could not be opened\./],
  [(route) => route.abort(), /^The shop could not be reached\./],
]
test('a failed checkout explains why, keeps the cart and can be retried', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: /create-checkout-session|Error (creating|redirecting to) checkout/,
  })
  const { name: kept } = await addToCart(page, 2)
  await openCart(page)
  for (const [fail, sentence] of failures) {
    await page.route(sessions, fail)
    await checkoutButton(page).click()
    await cart(page).getByRole('alert').getByText(sentence).waitFor()
    await cart(page).getByText(kept).waitFor()
    await page.unroute(sessions)
  }
  // The page gives up a key that stands for another cart.
  await page.route(sessions, (route) => route.fulfill({ status: 409, json: { code: 'key_reused' } }), {
    times: 1,
  })
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await leave()
})

test('a payment from a demo opened under another host name returns to that name and empties the cart there', async () => {
  const here = shop.url.replace('localhost', '127.0.0.1')
  assert.notEqual(here, shop.url)
  const { page, leave } = await newCustomer(browser, here)
  await addToCart(page, 0)
  await openCart(page)
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await pay(page.url())
  await page.goto(page.url())
  await page.waitForURL(`${here}/success?session_id=*`)
  await page.getByRole('heading', { level: 1, name: 'Payment pending' }).waitFor()
  await page.getByRole('button', { name: 'Cart, 0 items' }).waitFor()
  await leave()
})

test('a customer who returns without paying can open the cart from the message and check out again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /402/ })
  const { name } = await addToCart(page, 3)
  await openCart(page)
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await page.goto(`${shop.url}/success?session_id=${page.url().split('/').at(-1)}`)
  await page.getByRole('heading', { name: 'Payment not completed' }).waitFor()
  await page.getByRole('button', { name: 'Open the cart' }).click()
  await cart(page).getByText(name).waitFor()
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await leave()
})

test('the success page explains why a payment cannot be checked, and retries on demand and by itself', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /confirm-payment/ })
  // By itself it would try again after as many seconds as the shop asks for, or five.
  await stopTimers(page, 5000)
  const confirmations = '**/api/orders/confirm-payment'
  for (const [fail, sentence] of [
    [(route: Route) => route.fulfill({ status: 503 }), /^The payment provider cannot be reached right now\./],
    [
      (route: Route) => route.fulfill({ status: 429 }),
      /^This page was asked for too often in a short time\./,
    ],
    [(route: Route) => route.fulfill({ status: 500 }), /^Something went wrong on our side\./],
    [(route: Route) => route.abort(), /^The shop cannot be reached right now\./],
  ] as const) {
    await page.route(confirmations, fail)
    await page.goto(`${shop.url}/success?session_id=cs_test_1`)
    await page.getByRole('status').getByText(sentence).getByText('Nothing is lost').waitFor()
    await page.unroute(confirmations)
  }
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Payment not found' }).waitFor()

  await page.addInitScript(() => {
    const { setTimeout } = window
    const sooner = (act: TimerHandler, ms?: number) => setTimeout(act, ms === 7000 ? 0 : ms)
    Object.assign(window, { setTimeout: sooner })
  })
  const busy = { status: 503, headers: { 'retry-after': '7' } }
  await page.route(confirmations, (route) => route.fulfill(busy), { times: 1 })
  await page.goto(`${shop.url}/success?session_id=cs_test_1`)
  await page.getByRole('heading', { name: 'Payment not found' }).waitFor()
  await leave()
})

test('the success page shows each payment state, and a pending payment drops the stored checkout key', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /confirm-payment/ })
  await page.goto('/contact')
  await page.evaluate(() => localStorage.setItem('checkout-key', '{"key":"k","cart":"c"}'))
  const isKept = () => localStorage.getItem('checkout-key') !== null
  for (const [status, code, heading] of [
    [409, 'payment_mismatch', 'We are looking at your payment'],
    [410, 'gone', 'This order was withdrawn'],
    [402, 'not_paid', 'Payment not completed'],
    [402, 'payment_pending', 'Your payment is on its way'],
  ] as const) {
    assert.ok(await page.evaluate(isKept))
    await page.route('**/api/orders/confirm-payment', (route) => route.fulfill({ status, json: { code } }), {
      times: 1,
    })
    await page.goto('/success?session_id=cs_test_1')
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  // Somebody who buys the same again on purpose pays on a new page.
  await page.waitForFunction(() => localStorage.getItem('checkout-key') === null)
  await leave()
})

test('a cart changed in another window while checkout opens is reported instead of leaving for payment', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await addToCart(page, 2)
  const other = await page.context().newPage()
  await openCart(page)
  const held = await holdRequests(page, sessions)
  await checkoutButton(page).click()
  await held.requested
  const { name: added } = await addToCart(other, 3)
  await cart(page).getByText(added).waitFor()
  held.release()
  await cart(page)
    .getByRole('alert')
    .getByText('Your cart was changed in another window. Please look at it once more.')
    .waitFor()
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await page.getByRole('list', { name: 'Order' }).getByText(added).waitFor()
  await leave()
})

test('closing the cart while checkout opens cancels it, and checkout can be started again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await addToCart(page, 2)
  await openCart(page)
  const left: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(shop.practiceUrl)) left.push(request.url())
  })
  const held = await holdRequests(page, /create-checkout-session/)
  await checkoutButton(page).click()
  await held.requested
  await page.keyboard.press('Escape')
  await cart(page).waitFor({ state: 'hidden' })
  const answered = page.waitForResponse(sessions)
  held.release()
  await (await answered).finished()
  await waitForPaint(page)
  await openCart(page)
  assert.equal(await checkoutButton(page).getAttribute('aria-busy'), null)
  assert.deepEqual(left, [])
  await page.unroute(/create-checkout-session/)
  await checkoutButton(page).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await leave()
})

test('the cart is locked while the payment page opens, and Checkout is usable again on a restored page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  // Otherwise it could also be pressed again because twenty seconds have passed.
  await stopTimers(page, 20_000)
  await addToCart(page, 2)
  await openCart(page)
  // The tests' browser has no back/forward cache. A 204 leaves the page as it is, as if it had come back.
  await page.route(`${shop.practiceUrl}/pay/**`, (route) => route.fulfill({ status: 204 }))
  const cardPage = page.waitForResponse(`${shop.practiceUrl}/pay/**`)
  await checkoutButton(page).click()
  await cardPage
  await cart(page).getByText('Opening our payment provider’s page…').waitFor()
  for (const name of ['Increase quantity', 'Remove', 'Clear cart']) {
    await cart(page).getByRole('button', { name }).dispatchEvent('click')
    assert.equal(await cart(page).getByText('Quantity: 1', { exact: true }).count(), 1, name)
  }
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await cart(page).getByText('Opening our payment provider’s page…').waitFor({ state: 'detached' })
  assert.equal(await checkoutButton(page).getAttribute('aria-disabled'), null)
  await leave()
})

test('with real Stripe, its script for detecting fraud is loaded once the cart is opened', async (t) => {
  const real = await startShop({
    STRIPE_SECRET_KEY: 'sk_test_practice',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_practice',
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
    STRIPE_API_BASE: shop.practiceUrl,
  })
  t.after(() => real.close())
  const { page, leave } = await newCustomer(browser, real.url)
  const loaded: string[] = []
  await page.route('https://js.stripe.com/**', (route) => {
    loaded.push(route.request().url())
    return route.fulfill({ contentType: 'text/javascript', body: 'window.stripeIsHere = true' })
  })
  await addToCart(page, 1)
  assert.deepEqual(loaded, [])
  await openCart(page)
  await page.waitForFunction(() => 'stripeIsHere' in window)
  assert.deepEqual(loaded, ['https://js.stripe.com/v3/'])
  await leave()
})
