import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import { until } from '#shop/testing/until.ts'
import {
  desktop,
  holdRequests,
  newCustomer,
  openHydrated,
  phone,
  stopTimers,
  waitForPaint,
  waitForText,
} from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'
import { listProducts } from './shop-calls.ts'

const { shop, browser } = await openShop()

test('links navigate without a page load, add no entry for the current page, and open tabs with Ctrl or Cmd', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, desktop)
  const link = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true })
  const steps = () => page.evaluate(() => history.length)
  await openHydrated(page, '/')
  await page.evaluate(() => document.body.setAttribute('data-marked', ''))
  const before = await steps()
  await link('Shop').click()
  await page.getByRole('heading', { name: 'The shop' }).waitFor()
  // Where a screen reader continues, and what it announces.
  await page.locator('main:focus').waitFor()
  await page.locator('[aria-live=polite]').getByText('Shop · Haberdash', { exact: true }).waitFor()
  await link('Shop').click()
  assert.equal(await steps(), before + 1)
  assert.equal(await link('Shop').getAttribute('aria-current'), 'page')
  assert.equal(await link('Home').getAttribute('aria-current'), null)

  const opened = page.context().waitForEvent('page')
  await link('Contact').click({ modifiers: ['ControlOrMeta'] })
  const other = await opened
  await other.waitForURL('**/contact')
  assert.equal(new URL(page.url()).pathname, '/shop')

  await page.locator('article a').first().click()
  await page.waitForURL(/\/shop\/./)
  assert.equal(await link('Shop').getAttribute('aria-current'), 'page')
  assert.equal(await page.locator('body[data-marked]').count(), 1)
  await leave()
})

test('going back closes the cart; the old page stays while the next loads; a page that fails shows an error', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    allowed: /login-page/,
  })
  const bar = page.getByRole('navigation', { name: 'Main' })
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const held = await holdRequests(page, /plain-pages/)
  await page.route(/login-page/, (route) => route.abort())
  await openHydrated(page, '/shop')
  await bar.getByRole('link', { name: 'Home' }).click()
  await heading(/Well cut/)
  await page.getByRole('button', { name: 'Cart, 0 items' }).click()
  await page.getByRole('dialog', { name: 'Cart' }).waitFor()
  // Goes back two entries at once. Back alone would lead to the same page without the cart.
  await page.evaluate(() => history.go(-2))
  await page.getByRole('dialog', { name: 'Cart' }).waitFor({ state: 'hidden' })
  const came = page.waitForResponse(/plain-pages/)
  await bar.getByRole('link', { name: 'Contact' }).click()
  await page.waitForURL('**/contact')
  assert.equal(await page.locator('main article').count(), 8)
  // Somebody who has gone elsewhere meanwhile is not taken there when the file arrives after all.
  await bar.getByRole('link', { name: 'Home' }).click()
  await heading(/Well cut/)
  held.release()
  await (await came).finished()
  await bar.getByRole('link', { name: 'Pages' }).click()
  await heading('Good to know')
  await page.getByRole('link', { name: 'Log in' }).click()
  await heading('A seam has come undone')
  await page.getByRole('link', { name: 'Go back home' }).click()
  await heading(/Well cut/)
  await leave()
})

test('a tab that is older than the shop loads pages whose files are gone from the server', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    savesData: true,
    allowed: /404|429|ERR_FAILED|could not be shown|Failed to fetch/,
  })
  await openHydrated(page, '/shop')
  let isOld = true
  page.on('request', (request) => (isOld &&= !request.isNavigationRequest()))
  await page.route(/\/assets\/.*-pages?-/, (route) =>
    isOld ? route.fulfill({ status: 404 }) : route.continue(),
  )
  const contact = page.getByRole('link', { name: 'Contact us' })
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const failures: ((route: Route) => unknown)[] = [
    // A reload would replace this page with one of the browser's own, or with something that is no page.
    (route) => route.abort(),
    (route) => route.fulfill({ status: 429 }),
    // The shop does not answer at all.
    () => undefined,
  ]
  for (const fail of failures) {
    await page.route('**/contact', fail, { times: 1 })
    await contact.click()
    await heading('A seam has come undone')
    await page.goBack()
    await page.getByText('Showing 1 to 8').waitFor()
    assert.ok(isOld)
  }
  await contact.click()
  await heading('Contact')
  assert.ok(!isOld)
  assert.equal(await page.evaluate(() => scrollY), 0)
  await page.waitForSelector('.laid-out')
  await page.goBack()
  await page.getByText('Showing 1 to 8').waitFor()
  await leave()
})

test('lists and pages that could not load while offline load by themselves once online again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    savesData: true,
    allowed: /ERR_INTERNET_DISCONNECTED|could not be shown|Failed to fetch/,
  })
  await openHydrated(page, '/shop')
  await page.context().setOffline(true)
  await page.getByRole('radio', { name: 'Grooming' }).locator('xpath=..').click()
  await page.getByText('Error loading products!').waitFor()
  await page.context().setOffline(false)
  await page.getByText('of 20 products').waitFor()

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Contact', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'You seem to be offline' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Load again' }).count(), 0)
  await page.context().setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor()
  await leave()
})

test('a dialog whose script fails to load leaves the page usable and loads on the next try', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    allowed: /ERR_FAILED|did not load/,
    savesData: true,
  })
  // After five seconds a message would disappear before it is dismissed.
  await stopTimers(page, 5000)
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
  await openHydrated(page, '/shop')
  await page.route('**/assets/*.js', (route) => route.abort())
  await button('Add to Cart').click()
  await waitForText(page, 'Product added successfully!')
  for (const [opener, dialog] of [
    [/^Cart/, page.getByRole('dialog', { name: 'Cart' })],
    ['Add to Cart', page.getByRole('alertdialog', { name: 'Error!' })],
    [/^Filters/, page.getByRole('dialog', { name: 'Filters' })],
  ] as const) {
    await button(opener).click()
    await waitForText(page, /^A part of this page could not be loaded\./)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.unroute('**/assets/*.js')
    await button(opener).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.route('**/assets/*.js', (route) => route.abort())
  }
  await leave()
})

test('a link clicked while another page is still loading leads to its own target', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await openHydrated(page, '/search')
  const held = await holdRequests(page, /plain-pages/)
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click()
  await held.requested
  const word = page.getByRole('main').locator('a[href^="?q="]').first()
  const address = await word.getAttribute('href')
  await word.click()
  held.release()
  await page.getByRole('heading', { name: /^\d+ products for/ }).waitFor()
  assert.equal(page.url(), `${shop.url}/search${address}`)
  await leave()
})

test('a filter clicked while a product page is loading is added to the current filters', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    savesData: true,
  })
  await openHydrated(page, '/shop?category=grooming')
  const held = await holdRequests(page, /product-page/)
  await page.locator('article').getByRole('link').first().click()
  await held.requested
  await page.getByRole('radio', { name: 'Blue' }).click()
  held.release()
  await page.waitForURL('**/shop?category=grooming&color=blue')
  await leave()
})

test('each filter is on the page once: in a dialog on a phone, beside the products when the screen is turned wide', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: phone.viewport })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Grooming').check()
  await page.waitForURL('**/shop?category=grooming')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.setViewportSize(desktop.viewport)
  assert.ok(await page.getByLabel('Grooming').isChecked())
  await page.getByLabel('Blue').check()
  await page.waitForURL('**/shop?category=grooming&color=blue')
  await leave()
})

test('on a phone Back closes the filters and then undoes the chosen filters one by one', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    savesData: true,
  })
  await openHydrated(page, '/')
  await page.getByRole('main').getByRole('link', { name: 'Shop the rail' }).click()
  const filters = page.getByRole('dialog', { name: 'Filters' })
  const button = page.getByRole('button', { name: 'Filters' })
  const expectClosedAt = async (address: string) => {
    await filters.waitFor({ state: 'hidden' })
    await page.waitForFunction(
      (address) =>
        location.pathname + location.search === address &&
        !(history.state as { liesOver?: true } | null)?.liesOver,
      address,
    )
  }
  await button.click()
  await filters.waitFor()
  await page.goBack()
  await expectClosedAt('/shop')

  await button.click()
  await filters.getByRole('button', { name: /^Show/ }).click()
  await expectClosedAt('/shop')

  await button.click()
  await filters.getByRole('radio', { name: 'Grooming' }).click()
  await page.waitForURL('**/shop?category=grooming')
  await filters.getByRole('radio', { name: 'Blue' }).click()
  await page.waitForURL('**/shop?category=grooming&color=blue')
  await page.goBack()
  await expectClosedAt('/shop?category=grooming&color=blue')
  await page.goBack()
  await expectClosedAt('/shop?category=grooming')
  await page.goBack()
  await expectClosedAt('/shop')
  await page.goForward()
  await expectClosedAt('/shop?category=grooming')
  await page.goForward()
  await expectClosedAt('/shop?category=grooming&color=blue')
  for (const address of ['/shop?category=grooming', '/shop', '/']) {
    await page.goBack()
    await expectClosedAt(address)
  }
  await leave()
})

/** The two menus of the bar, each with the button that opens it. */
const menusOf = (page: Page) => ({
  menu: {
    button: page.getByLabel('Menu', { exact: true }),
    entry: page.getByRole('banner').getByRole('list'),
  },
  account: {
    button: page.getByRole('button', { name: 'Account menu' }),
    entry: page.locator('#account-menu'),
  },
})

test('a menu opened while a page is loading stays open when that page arrives, and closes on Back', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    savesData: true,
    as: demoCustomer,
  })
  for (const { button, entry } of Object.values(menusOf(page))) {
    await openHydrated(page, '/contact')
    const held = await holdRequests(page, /search-page/)
    await page.getByRole('link', { name: 'Search' }).click()
    await held.requested
    await button.click()
    held.release()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await waitForPaint(page)
    assert.equal(await entry.isVisible(), true)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor()
    await entry.waitFor({ state: 'hidden' })
    await page.unrouteAll()
  }
  await leave()
})

test('a click outside a menu closes it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    as: demoCustomer,
  })
  await openHydrated(page, '/contact')
  for (const { button, entry } of Object.values(menusOf(page))) {
    await button.click()
    await entry.waitFor()
    await page.locator('main').click({ position: { x: 200, y: 600 } })
    await entry.waitFor({ state: 'hidden' })
    assert.equal(new URL(page.url()).pathname, '/contact')
  }
  await leave()
})

test('in a low window, such as a page at 400 %, a menu scrolls to its last entry', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: { width: 360, height: 225 },
    as: demoCustomer,
  })
  await openHydrated(page, '/contact')
  const { menu, account } = menusOf(page)
  await menu.button.click()
  await menu.entry.getByRole('link', { name: 'Contact' }).click()
  await menu.entry.waitFor({ state: 'hidden' })
  await account.button.click()
  await account.entry.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('link', { name: 'Log in', exact: true }).first().waitFor()
  await leave()
})

test('a double click on the pager does not open the product that moves under the pointer', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: phone.viewport })
  const press = async (clickCount: number) => {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  await openHydrated(page, '/shop')
  const next = page.getByRole('button', { name: 'Next', exact: true })
  await next.evaluate((button) => button.scrollIntoView({ block: 'center' }))
  const { x = 0, y = 0 } = (await next.boundingBox()) ?? {}
  await page.mouse.move(x + 10, y + 10)
  await press(1)
  await page.getByRole('heading', { name: 'Showing 9 to 16 of' }).waitFor()
  const under = page.locator('article', { has: page.locator('a:hover') })
  await page.mouse.move(x + 11, y + 10)
  await under.waitFor()
  await press(2)
  assert.equal(new URL(page.url()).search, '?page=2')
  // A later click opens it.
  await press(1)
  await page.waitForURL(/\/shop\/./)
  await leave()
})

test('using the scrollbar after Back sets a new scroll position, which the next Back restores', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: { width: 1440, height: 700 } })
  await openHydrated(page, '/shop')
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const product = page.locator('article').last().getByRole('link').first()
  await product.evaluate((link: HTMLElement) => link.click())
  await page.waitForFunction(() => scrollY === 0)
  // The window is now so tall that the page cannot scroll that far any more.
  await page.setViewportSize({ width: 1440, height: 1000 })
  await page.goBack()
  await waitForText(page, 'Showing 1 to 8 of 80 products')
  await page.mouse.move(2, 500)
  await page.mouse.down()
  await page.evaluate(() => scrollTo(0, 250))
  await page.mouse.up()
  await page.waitForFunction(() => scrollY === 250)
  await waitForPaint(page)
  await page.locator('article').first().getByRole('link').first().click()
  await page.waitForURL('**/shop/*')
  await page.goBack()
  await page.waitForFunction(() => Math.abs(scrollY - 250) < 3)
  await leave()
})

test('a scroll position from before hydration is kept when filtering and restored by Back', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    hasTouch: true,
  })
  await until(() => isRendered(`${shop.url}/shop`))
  const held = await holdRequests(page, '**/*.js')
  await page.goto('/shop', { waitUntil: 'commit' })
  await page.locator('article').last().waitFor()
  // The page can be scrolled as far as it has been laid out.
  await page.waitForFunction(() => {
    scrollTo(0, 300)
    return scrollY === 300
  })
  held.release()
  await page.waitForSelector('.laid-out')
  const isAtPlace = () => page.waitForFunction(() => Math.abs(scrollY - 300) < 3)
  await page.getByRole('button', { name: 'Filters' }).evaluate((button: HTMLElement) => button.click())
  await page.getByRole('radio', { name: 'Grooming' }).evaluate((radio: HTMLElement) => radio.click())
  await waitForText(page, 'Showing 1 to 8 of 20 products')
  await page.keyboard.press('Escape')
  await isAtPlace()
  await page.evaluate(() => scrollTo(0, 0))
  await page.goBack()
  await waitForText(page, 'Showing 1 to 8 of 80 products')
  await isAtPlace()
  await leave()
})

test('reload and Back restore a list’s scroll position; opening its URL starts at the top', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const isAt = (y: number) => page.waitForFunction((y) => Math.abs(scrollY - y) < 3, y)
  await openHydrated(page, '/shop')
  // Somebody who scrolls and leaves at once is gone before the page gets the scroll event.
  await page.evaluate(() => {
    addEventListener('scroll', (event) => event.stopPropagation(), { capture: true })
    scrollTo(0, 400)
  })
  await page.reload()
  await isAt(400)
  await page.goto('about:blank')
  await page.goBack()
  await isAt(400)
  await page.goto('about:blank')
  await openHydrated(page, '/shop')
  assert.equal(await page.evaluate(() => scrollY), 0)
  await openHydrated(page, '/shop?category=grooming')
  assert.equal(await page.evaluate(() => scrollY), 0)
  await leave()
})

test('Back works before the page is hydrated', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  await until(() => isRendered(`${shop.url}/shop?page=2`))
  let isHeld = true
  await page.route('**/assets/*.js', async (route) => {
    if (!isHeld || /start/.test(route.request().url())) await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  // The start script has put the others into the page; they are held back.
  await page.waitForFunction(
    () => document.querySelector<HTMLTemplateElement>('#scripts')?.content.childElementCount === 0,
  )
  isHeld = false
  await page.goBack({ waitUntil: 'commit' })
  await waitForText(page, 'Showing 1 to 8 of 80 products')
  assert.equal(new URL(page.url()).search, '')
  await leave()
})

test('a page keeps its scroll position until the next page has loaded, and Back restores it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  const held = await holdRequests(page, '**/plain-pages*.js')
  await openHydrated(page, '/shop')
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Contact us' })
  await link.focus()
  const place = await page.evaluate(() => scrollY)
  assert.ok(place > 400)
  await link.click()
  await held.requested
  await page.waitForURL('**/contact')
  await waitForPaint(page)
  assert.equal(await page.evaluate(() => scrollY), place)
  held.release()
  await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor()
  await page.waitForFunction(() => scrollY === 0)
  await page.goBack()
  await page.waitForFunction((place) => Math.abs(scrollY - place) < 3, place)
  await leave()
})

/** Replaces each text by one in an element of the browser's own, as a browser's translation does. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: Node[] = []
    while (texts.nextNode()) found.push(texts.currentNode)
    for (const text of found) {
      if (text.parentElement?.closest('script, style, template, noscript, option')) continue
      const inOwn = document.createElement('font')
      inOwn.textContent = text.textContent
      text.parentNode?.replaceChild(inOwn, text)
    }
  })

test('a page translated by the browser keeps working and shows updated texts', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    as: demoAdmin,
    savesData: true,
  })
  await openHydrated(page, '/shop')
  const next = page.getByRole('button', { name: 'Next', exact: true })
  const read = page.waitForResponse((response) => response.url().includes('page=2'))
  await next.hover()
  await (await read).finished()
  await translate(page)
  await next.click()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  const { products } = await listProducts(shop, 'limit=8&page=2')
  const cards = await page.getByRole('article').allInnerTexts()
  for (const [index, { color, category, price, oldPrice }] of products.entries()) {
    assert.match(cards[index] ?? '', new RegExp(`${color}, ${category}`, 'i'))
    if (oldPrice !== null && oldPrice > price) assert.ok(cards[index]?.includes(`$${oldPrice.toFixed(2)}`))
  }
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('radio', { name: 'Grooming' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Filters (1)' }).waitFor()

  const pending = (total: number) => ({ json: { data: [] }, headers: { 'x-total-count': `${total}` } })
  await page.route('**/api/orders/?**', (route) => route.fulfill(pending(0)))
  await openHydrated(page, '/dashboard/admin')
  await waitForText(page, 'No orders are pending.')
  await page.unrouteAll()
  const held = await holdRequests(page, '**/api/orders/?**')
  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByRole('heading', { name: 'Change your password' }).waitFor()
  await page.goBack()
  await waitForText(page, 'No orders are pending.')
  await translate(page)
  held.release((route) => route.fulfill(pending(2)))
  await waitForText(page, '2 orders are pending')
  await leave()
})
