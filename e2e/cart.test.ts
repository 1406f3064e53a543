import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import {
  desktop,
  holdRequests,
  newCustomer,
  openHydrated,
  phone,
  stopTimers,
  waitForHydration,
  waitForPaint,
} from './browser.ts'
import { openShop } from './open-shop.ts'
import { listProducts } from './shop-calls.ts'

const { shop, browser } = await openShop()

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

const cart = (page: Page) => page.getByRole('dialog', { name: 'Cart' })
const waitForPath = (page: Page, path: string) => page.waitForURL(shop.url + path)

async function openCart(page: Page): Promise<void> {
  // Playwright's own click would scroll the page to the bar's original place.
  const box = await page.getByRole('button', { name: /^Cart/ }).boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await cart(page).waitFor()
}

/** Somebody who came to the shop from the home page, has one thing in the cart and has scrolled. */
async function newShopper(viewport = phone.viewport) {
  const { page, leave } = await newCustomer(browser, shop.url, { ...phone, viewport })
  await openHydrated(page, '/')
  await page.getByRole('main').getByRole('link', { name: 'Shop the rail' }).click()
  await page.getByRole('heading', { level: 1, name: /shop/i }).waitFor()
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
  assert.equal(await cart(page).count(), 0)
  await page.evaluate(() => scrollTo(0, 300))
  return { page, leave }
}

async function expectClosedCartOnShopPage(page: Page): Promise<void> {
  await cart(page).waitFor({ state: 'hidden' })
  assert.equal(new URL(page.url()).pathname, '/shop')
  await page.waitForFunction(
    () => scrollY === 300 && !(history.state as { liesOver?: true } | null)?.liesOver,
  )
}

test('Back first closes the cart and then leaves the page; Forward does not reopen the cart', async () => {
  const { page, leave } = await newShopper()
  for (let round = 0; round < 2; round += 1) {
    await openCart(page)
    await page.goBack()
    await expectClosedCartOnShopPage(page)
    await page.goForward()
    await expectClosedCartOnShopPage(page)
  }
  await page.goBack()
  await waitForPath(page, '/')
  await page.getByRole('heading', { level: 1, name: /Well cut/ }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: /shop/i }).waitFor()
  await expectClosedCartOnShopPage(page)
  await leave()
})

/** On a phone, the cart covers the whole page. */
const tablet = { width: 820, height: 844 }
const closings: [name: string, close: (page: Page) => Promise<void>, viewport?: typeof tablet][] = [
  ['with Escape', (page) => page.keyboard.press('Escape')],
  [
    'by clicking its button twice',
    (page) =>
      cart(page)
        .getByRole('button', { name: 'Close' })
        .evaluate((button: HTMLElement) => {
          button.click()
          button.click()
        }),
  ],
  ['by a click outside it', (page) => page.mouse.click(2, 400), tablet],
  ['by reloading the page', async (page) => void (await page.reload())],
]
for (const [name, close, viewport] of closings) {
  test(`after the cart is closed ${name}, a single Back leaves the page`, async () => {
    const { page, leave } = await newShopper(viewport)
    await openCart(page)
    await close(page)
    await expectClosedCartOnShopPage(page)
    await page.goForward()
    await expectClosedCartOnShopPage(page)
    await page.goBack()
    await waitForPath(page, '/')
    await page.getByRole('heading', { level: 1, name: /Well cut/ }).waitFor()
    await leave()
  })
}

test('the cart shows line and total prices, and decreasing a quantity stops at one', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const [first, second] = (await listProducts(shop, 'limit=2')).products
  assert.ok(first && second)
  await openHydrated(page, '/shop')
  for (const at of [0, 1]) await page.getByRole('button', { name: 'Add to Cart' }).nth(at).click()
  assert.equal(await page.getByRole('button', { name: 'Cart, 2 items' }).innerText(), '2')
  await openCart(page)
  assert.equal(
    await page.getByRole('banner').count(),
    0,
    'the page’s own is out of reach, and the cart has none',
  )
  const line = cart(page)
    .getByRole('listitem')
    .filter({ has: page.locator(`[href="/shop/${first._id}"]`) })
  const quantity = (n: number) => line.getByText(`Quantity: ${n}`).waitFor()
  const costs = async (n: number) => {
    await line.getByText(dollars.format(first.price * n), { exact: true }).waitFor()
    const total = cart(page).getByText('Total', { exact: true }).locator('..')
    await total.getByText(dollars.format(first.price * n + second.price), { exact: true }).waitFor()
  }
  for (const n of [2, 3]) {
    await line.getByRole('button', { name: 'Increase quantity' }).click()
    await quantity(n)
  }
  await costs(3)
  await line.getByText(`${dollars.format(first.price)} each`).waitFor()
  for (let times = 0; times < 4; times += 1)
    await line.getByRole('button', { name: 'Decrease quantity' }).click()
  await quantity(1)
  await costs(1)
  await leave()
})

test('a cart with too many products for one order disables Checkout and says how many to remove', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const list = await listProducts(shop, 'limit=51')
  const products = list.products.map((product) => ({ ...product, quantity: 1 }))
  await page.goto('/contact')
  await page.evaluate((text) => localStorage.setItem('cart', text), JSON.stringify({ products }))
  await openHydrated(page, '/contact')
  await page.getByRole('button', { name: 'Cart, 51 items' }).click()
  const tooMany = cart(page).getByText('One order takes up to 50 different products: please remove 1.')
  await tooMany.waitFor()
  const checkout = cart(page).getByRole('button', { name: 'Checkout' })
  assert.equal(await checkout.getAttribute('aria-disabled'), 'true')
  await cart(page).getByRole('button', { name: 'Remove' }).first().click()
  await tooMany.waitFor({ state: 'detached' })
  assert.equal(await checkout.getAttribute('aria-disabled'), null)
  await leave()
})

test('opening the cart dismisses an earlier status message', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  // By itself it would disappear after five seconds.
  await stopTimers(page, 5000)
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  const message = page.getByRole('status').getByText('Product added successfully!')
  await message.waitFor()
  await openCart(page)
  await message.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('alert').count(), 0)
  await leave()
})

test('a link in the cart opens its page and closes the cart; Back returns to where the cart was opened', async () => {
  const { page, leave } = await newShopper()
  await openCart(page)
  const link = cart(page).getByRole('listitem').getByRole('link')
  const name = await link.innerText()
  await link.click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await cart(page).waitFor({ state: 'hidden' })
  assert.equal(await page.evaluate(() => scrollY), 0)

  // The same link, on the page that it leads to.
  const product = page.url()
  await openCart(page)
  await link.click()
  await cart(page).waitFor({ state: 'hidden' })
  assert.equal(page.url(), product)
  await page.goBack()
  await waitForPath(page, '/shop')
  await page.getByRole('heading', { level: 1, name: /shop/i }).waitFor()
  await expectClosedCartOnShopPage(page)
  await leave()
})

/** Opens the cart while the next page's file is on its way, then lets the file through. */
async function openCartDuringNavigation(link: string, file: RegExp, heading: string) {
  const { page, leave } = await newCustomer(browser, shop.url, { ...phone, savesData: true })
  await openHydrated(page, '/')
  const held = await holdRequests(page, file)
  await page.getByRole('link', { name: link }).click()
  await held.requested
  await openCart(page)
  held.release()
  await page.getByRole('heading', { level: 1, name: heading, includeHidden: true }).waitFor()
  return { page, leave }
}

test('a cart opened while a page is loading stays open when that page arrives', async () => {
  const { page, leave } = await openCartDuringNavigation('Search', /search-page/, 'Search')
  // By now the search page would have taken the focus.
  await waitForPaint(page)
  await cart(page).locator(':focus').waitFor()
  await page.goBack()
  await cart(page).waitFor({ state: 'hidden' })
  assert.equal(new URL(page.url()).pathname, '/search')
  await page.goBack()
  await waitForPath(page, '/')
  await leave()
})

test('Back closes a cart that opened late, and stays on the page or search that was asked for meanwhile', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { ...desktop, savesData: true })
  const goNext = () => page.getByRole('button', { name: 'Next', exact: true }).click()
  const search = async () => {
    await page.getByRole('searchbox').fill('wool')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
  }
  for (const [from, go, to] of [
    ['/shop', goNext, '/shop?page=2'],
    ['/search?q=tie', search, '/search?q=wool'],
  ] as const) {
    await openHydrated(page, from)
    const held = await holdRequests(page, /assets\/cart-panel/)
    await page.getByRole('button', { name: /^Cart/ }).click()
    await held.requested
    await go()
    await waitForPath(page, to)
    held.release()
    await cart(page).waitFor()
    await page.goBack()
    await cart(page).waitFor({ state: 'hidden' })
    await waitForPath(page, to)
    await page.goBack()
    await waitForPath(page, from)
  }
  await leave()
})

test('the cart closes when a page without a cart arrives, and a single Back leaves that page', async () => {
  const { page, leave } = await openCartDuringNavigation('Log in', /login-page/, 'Login')
  await cart(page).waitFor({ state: 'hidden' })
  await page.waitForFunction(() => !(history.state as { liesOver?: true }).liesOver)
  await page.goBack()
  await waitForPath(page, '/')
  await leave()
})

test('Back from the payment page returns to the shop with the cart closed; Forward leads to payment again', async () => {
  const { page, leave } = await newShopper()
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Checkout' }).click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().startsWith(shop.url)) loads += 1
  })
  // This browser has no back/forward cache; Back skips the entry of the cart.
  await page.goBack()
  await waitForPath(page, '/shop')
  await expectClosedCartOnShopPage(page)
  await waitForHydration(page)
  assert.equal(loads, 1)
  await page.goForward()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await page.goBack()
  await expectClosedCartOnShopPage(page)
  await page.goBack()
  await waitForPath(page, '/')
  await leave()
})

/** Adds more history entries than a browser keeps, so that it drops the first of them. */
async function fillHistory(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (let visit = 0; visit < 60; visit += 1) history.pushState({ ...history.state, visit }, '')
  })
}

/** Leaves as the checkout does, but without reaching the payment page. */
async function goToPay(page: Page): Promise<void> {
  await page.route(`${shop.practiceUrl}/**`, (route) => route.abort('aborted'))
  const left = page.waitForEvent('requestfailed', (request) => request.url().startsWith(shop.practiceUrl))
  await cart(page).getByRole('button', { name: 'Checkout' }).click()
  await left
}

for (const isLong of [false, true]) {
  const after = isLong ? ', with a full history' : ''

  test(`Forward still leads to the next page after a restored page closes its cart${after}`, async () => {
    const { page, leave } = await newShopper()
    if (isLong) await fillHistory(page)
    await openCart(page)
    if (isLong) await goToPay(page)
    // The tests' browser has no back/forward cache. A frame stands in: it adds the next history entry, and going
    // back from that is reported to the page as it would be to a cached one.
    await page.evaluate(async () => {
      const frame = Object.assign(document.createElement('iframe'), { srcdoc: '.' })
      document.body.append(frame)
      await new Promise((resolve) => (frame.onload = resolve))
    })
    await page.evaluate(() => frames[0]?.location.assign('about:srcdoc#pay'))
    const isBeyond = () => page.waitForFunction(() => frames[0]?.location.hash === '#pay')
    await isBeyond()
    await page.evaluate(() => history.back())
    await page.waitForFunction(() => frames[0]?.location.hash === '')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.keyboard.press('Escape')
    await expectClosedCartOnShopPage(page)
    await page.evaluate(() => history.forward())
    await isBeyond()
    await leave()
  })

  test(`with no next page, a restored page’s closed cart stays closed on Forward; one Back suffices${after}`, async () => {
    const { page, leave } = await newShopper()
    if (isLong) await fillHistory(page)
    await openCart(page)
    // As after going back to an earlier page and forward again.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.keyboard.press('Escape')
    await expectClosedCartOnShopPage(page)
    await page.goForward()
    await expectClosedCartOnShopPage(page)
    await page.goBack()
    if (isLong) await page.waitForFunction(() => (history.state as { visit?: number }).visit === 58)
    else await waitForPath(page, '/')
    await leave()
  })
}

test('a cart whose script fails to load can be opened again, and closing the cart discards its Undo', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...phone,
    savesData: true,
    allowed: /cart-panel/,
  })
  await openHydrated(page, '/')
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await page.route(/cart-panel/, (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Cart, 1 item' }).click()
  await page.getByText('A part of this page could not be loaded.').waitFor()
  await page.getByRole('button', { name: 'Cart, 1 item', expanded: false }).waitFor()
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Clear cart' }).click()
  await cart(page).getByRole('button', { name: 'Undo' }).waitFor()
  await page.goBack()
  await cart(page).waitFor({ state: 'hidden' })
  await openCart(page)
  await cart(page).getByText('Your cart is empty.').waitFor()
  assert.equal(await cart(page).getByRole('button', { name: 'Undo' }).count(), 0)
  await page.keyboard.press('Escape')
  await cart(page).waitFor({ state: 'hidden' })
  await page.goBack()
  await waitForPath(page, '/')
  await leave()
})

test('a hyphenated word in a product’s name is not split when it fits on the next line', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await openHydrated(page, '/search?q=Cap-Toe')
  await page.waitForSelector('.lettered')
  const whole = 'Oxblood Cap-Toe Derby Shoes'
  const linesOf = (name: Locator, word: string) =>
    name.evaluate((link, word) => {
      const text = link.firstChild
      const start = text?.textContent?.indexOf(word) ?? -1
      if (!text || start < 0) return -1
      const range = new Range()
      range.setStart(text, start)
      range.setEnd(text, start + word.length)
      return range.getClientRects().length
    }, word)
  const inList = page.getByRole('article').getByRole('link', { name: whole })
  assert.deepEqual([await linesOf(inList, 'Cap-Toe'), await linesOf(inList, whole)], [1, 2])
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await openCart(page)
  const inCart = cart(page).getByRole('link', { name: whole })
  assert.deepEqual([await linesOf(inCart, 'Cap-Toe'), await linesOf(inCart, whole)], [1, 2])
  await leave()
})

test('a double click adds a product once; adding it again says that it is already in the cart', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  const add = page.getByRole('button', { name: 'Add to Cart' })
  await add.first().click()
  await add.first().click()
  const error = page.getByRole('alertdialog', { name: 'Error!' })
  await error.getByText('Product already Added to Cart').waitFor()
  await error.getByRole('button', { name: "It's Ok" }).click()
  await error.waitFor({ state: 'detached' })
  // By now its file is loaded, so it would open at once.
  await add.nth(1).dblclick()
  assert.equal(await error.count(), 0)
  await page.getByRole('button', { name: 'Cart, 2 items' }).waitFor()
  await leave()
})

test('a double click on Remove, or pressing Enter twice, removes only one product', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  for (const at of [0, 1, 2, 3]) await page.getByRole('button', { name: 'Add to Cart' }).nth(at).click()
  await openCart(page)
  const lines = cart(page).getByRole('listitem')
  await cart(page).getByRole('button', { name: 'Remove' }).first().dblclick()
  assert.equal(await lines.count(), 3)
  await cart(page).getByRole('button', { name: 'Remove' }).first().focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  assert.equal(await lines.count(), 2)
  // When the last product goes, nothing that takes its place is pressed either.
  for (const left of [1, 0]) {
    await cart(page).getByRole('button', { name: 'Remove' }).first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    assert.equal(await lines.count(), left)
  }
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Your cart is empty.')
  await leave()
})

test('closing an empty cart returns the focus to the button that opened it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  const opener = page.getByRole('button', { name: 'Cart, 0 items' })
  for (const close of ['Escape', 'Enter']) {
    await opener.focus()
    await page.keyboard.press('Enter')
    await cart(page).getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press(close)
    await opener.and(page.locator(':focus')).waitFor()
  }
  await leave()
})

test('on a phone on its side, the title of the cart covers nothing that Shift and Tab reach', async () => {
  const { page, leave } = await newShopper({ width: 844, height: 390 })
  for (const n of [1, 2, 3]) await page.getByRole('button', { name: 'Add to Cart' }).nth(n).click()
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Clear cart' }).focus()
  for (let steps = 0; steps < 16; steps += 1) {
    await page.keyboard.press('Shift+Tab')
    const covered = await page.evaluate(() => {
      const focused = document.activeElement
      if (!focused) return 'all'
      const { x, y, width, height } = focused.getBoundingClientRect()
      const top = document.elementFromPoint(x + width / 2, y + height / 2)
      return focused.contains(top) ? '' : focused.outerHTML
    })
    assert.equal(covered, '')
  }
  await leave()
})

test('a double click on Undo restores the cart and presses nothing that appears under the pointer', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, desktop)
  await openHydrated(page, '/shop')
  for (let index = 0; index < 5; index += 1) {
    await page.getByRole('button', { name: 'Add to Cart' }).nth(index).click()
    await page.getByRole('button', { name: `Cart, ${index + 1} item` }).waitFor()
  }
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Clear cart' }).click()
  await cart(page).getByRole('button', { name: 'Undo' }).dblclick()
  const lines = cart(page).getByRole('listitem')
  await lines.nth(4).waitFor()
  assert.equal(await cart(page).getByText('Quantity: 1', { exact: true }).count(), 5)
  assert.equal(new URL(page.url()).pathname, '/shop')
  assert.equal(await cart(page).count(), 1)
  await leave()
})

test('pressing Enter twice on Clear cart leaves the cart empty', async () => {
  const { page, leave } = await newShopper()
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Clear cart' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await cart(page).getByRole('button', { name: 'Undo' }).waitFor()
  assert.equal(await cart(page).getByRole('listitem').count(), 0)
  await leave()
})

test('a double click on Close does not press the cart button underneath', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: phone.viewport })
  await openHydrated(page, '/shop')
  await openCart(page)
  const press = async (clickCount: number) => {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  await cart(page).getByRole('button', { name: 'Close' }).hover()
  await press(1)
  await cart(page).waitFor({ state: 'hidden' })
  await press(2)
  // A click takes effect at once.
  await waitForPaint(page)
  assert.equal(await cart(page).count(), 0)
  await leave()
})

test('checkout is refused with an explanation when another user has logged in meanwhile', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /Error creating checkout/,
  })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await openCart(page)
  const login = await page.request.post('/api/auth/login', { data: demoAdmin })
  assert.equal(login.status(), 200)
  await cart(page).getByRole('button', { name: 'Checkout' }).click()
  await cart(page).getByText('Somebody else is logged in here by now. Your cart is kept.').waitFor()
  await leave()
})

test('the cart offers a guest to log in first, and keeps what is in it', async () => {
  const { page, leave } = await newShopper()
  await openCart(page)
  await cart(page).getByText('Log in first to have this order in your account.').waitFor()
  await cart(page).getByRole('link', { name: 'Log in' }).click()
  await waitForPath(page, '/login')
  await page.getByLabel('Email').fill(demoCustomer.email)
  await page.getByLabel('Password').fill(demoCustomer.password)
  await page.getByRole('button', { name: 'Login' }).click()
  await waitForPath(page, '/shop')
  await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
  await openCart(page)
  await cart(page).getByRole('button', { name: 'Checkout' }).waitFor()
  assert.equal(await cart(page).getByRole('link', { name: 'Log in' }).count(), 0)
  await leave()
})

test('checkout reports an ended session, and pressing Checkout again leads to payment', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /401|Error creating checkout/,
  })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await openCart(page)
  await page.context().clearCookies()
  const pay = cart(page).getByRole('button', { name: 'Checkout' })
  await pay.click()
  await cart(page)
    .getByText('You have been logged out. Your cart is kept. Log in, or press Checkout again')
    .waitFor()
  await pay.click()
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  await leave()
})

test('a product list that cannot be refreshed stays with a notice, unless it was empty or the shop refuses it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /ERR_FAILED|404/ })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByRole('heading', { name: 'Showing 9 to 16 of' }).waitFor()
  const comeBack = () =>
    page.evaluate(() => {
      dispatchEvent(new Event('offline'))
      dispatchEvent(new Event('online'))
    })
  await page.route('**/api/products/?**', (route) => route.abort())
  await comeBack()
  const note = page.getByRole('alert').getByText('This may have changed.')
  const first = page.getByRole('article').first()
  const before = await first.boundingBox()
  await note.waitFor()
  await page.getByRole('alert').getByText('Error loading products!').waitFor()
  assert.equal(await page.getByRole('article').count(), 8)
  // The notice moves nothing, and the button for the next try is still there.
  assert.deepEqual(await first.boundingBox(), before)
  const again = page.getByRole('button', { name: 'Try again' }).and(page.locator(':not([aria-busy])'))
  const failed = page.waitForEvent('requestfailed', (request) => /[?&]page=2\b/.test(request.url()))
  await again.focus()
  await page.keyboard.press('Enter')
  await failed
  await note.waitFor()
  assert.ok(await again.evaluate((button) => button === document.activeElement))
  await page.unroute('**/api/products/?**')
  const answered = page.waitForResponse(/[?&]page=2\b/)
  await again.press('Enter')
  await (await answered).finished()
  await note.waitFor({ state: 'detached' })
  // The keyboard continues where the button was.
  await page.waitForFunction(() => document.activeElement !== document.body)
  await page.keyboard.press('Shift+Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Next')
  // When the shop itself refuses the list, the old one is no longer shown.
  await page.route('**/api/products/?**', (route) => route.abort())
  await comeBack()
  await note.waitFor()
  await page.route('**/api/products/?**', (route) => route.fulfill({ status: 404 }))
  await again.press('Enter')
  await note.waitFor({ state: 'detached' })
  await page.getByText('Error loading products!').waitFor()
  await page.waitForFunction(() => document.activeElement?.parentElement?.closest('main'))
  assert.equal(await page.getByRole('article').count(), 0)
  assert.equal(await page.getByText(/^Showing/).count(), 0)
  await page.unroute('**/api/products/?**')
  // Nobody knows whether the list is still empty.
  for (const address of ['/search?q=zzzzqqq', '/shop?category=sports+dress&color=gold&price=200-']) {
    await openHydrated(page, address)
    await page.getByText('No products found!').waitFor()
    await page.route('**/api/products/?**', (route) => route.abort())
    await comeBack()
    await again.waitFor()
    assert.equal(await page.getByText(/No products found!|0 products/).count(), 0)
    await page.unroute('**/api/products/?**')
  }
  await leave()
})
