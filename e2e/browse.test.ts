import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
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
} from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'
import { listProducts } from './shop-calls.ts'

type Rated = { rating: number }

const { shop, browser } = await openShop()
const ratedOf = ({ rating }: Rated) => `Rated ${Number(rating.toFixed(1))} of 5`

const list = (query: string) => listProducts(shop, query)

/** The products that a part of the page links to, each once. */
function productLinksIn(page: Page, part: string): Promise<string[]> {
  return page
    .locator(`${part} article a[href^="/shop/"]`)
    .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute('href') ?? ''))])
}

function markPictures(page: Page): Promise<void> {
  return page.locator('article img').evaluateAll((pictures) => {
    for (const picture of pictures) picture.setAttribute('data-marked', '')
  })
}

/** The name and the picture of each product. */
function shownCards(page: Page): Promise<(string | null | undefined)[][]> {
  return page
    .locator('article')
    .evaluateAll((cards) =>
      cards.map((card) => [
        card.querySelector('a')?.textContent,
        card.querySelector('img')?.getAttribute('src'),
      ]),
    )
}

const waitForText = (page: Page, text: string | RegExp) =>
  page.getByText(text, { exact: true }).first().waitFor()

for (const [name, viewport] of [
  ['on a desktop', desktop.viewport],
  ['on a phone', phone.viewport],
] as const) {
  test(`the home page links to the four categories and the demo’s first seven products, ${name}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { viewport })
    await page.goto('/')
    await page.getByRole('heading', { name: /up to 20%/ }).waitFor()
    for (const category of ['formal dress', 'casual dress', 'sports dress', 'grooming']) {
      const link = page.getByRole('main').getByRole('link', { name: new RegExp(`^${category}`, 'i') })
      assert.equal(await link.first().getAttribute('href'), `/categories/${encodeURIComponent(category)}`)
    }
    const { products } = await list('limit=7')
    assert.deepEqual(
      await productLinksIn(page, 'section:has(h2:text-is("Trending Products"))'),
      products.map(({ _id }) => `/shop/${_id}`),
    )
    assert.equal(await page.getByRole('button', { name: 'Load More' }).count(), 0)
    await page.getByRole('heading', { name: 'From the blog' }).waitFor()
    await leave()
  })

  test(`the shop’s filters and page are kept in the URL across reload and Back, ${name}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { viewport })
    const isPhone = viewport.width < 1000
    const all = await list('limit=8')
    const showing = (from: number, to: number, of: number) =>
      page.getByRole('heading', { name: `Showing ${from} to ${to} of ${of} products`, exact: true }).waitFor()
    const button = (label: string) => page.getByRole('button', { name: label, exact: true })
    const choose = async (option: string) => {
      if (isPhone) await page.getByRole('button', { name: /^Filters/ }).click()
      await page.getByRole('radio', { name: option, exact: true }).click()
      if (isPhone) await page.keyboard.press('Escape')
    }

    await openHydrated(page, '/shop')
    await showing(1, 8, all.totalProducts)
    assert.deepEqual(
      await productLinksIn(page, 'main'),
      all.products.map(({ _id }) => `/shop/${_id}`),
    )
    assert.equal(await button('Previous').isDisabled(), true)
    await button('Next').click()
    await page.waitForURL('**/shop?page=2')
    await showing(9, 16, all.totalProducts)
    assert.equal(await button('Previous').isDisabled(), false)
    await button(`${all.totalPages}`).click()
    await page.waitForURL(`**/shop?page=${all.totalPages}`)
    await showing((all.totalPages - 1) * 8 + 1, all.totalProducts, all.totalProducts)
    assert.equal(await button('Next').isDisabled(), true)
    await markPictures(page)
    await page.goBack()
    await showing(9, 16, all.totalProducts)
    assert.deepEqual(
      await shownCards(page),
      (await list('limit=8&page=2')).products.map((each) => [each.name, each.image]),
    )
    // A picture element that is used again would show the previous product until the new picture has loaded.
    assert.equal(await page.locator('article img[data-marked]').count(), 0)

    await choose('grooming')
    await page.waitForURL('**/shop?category=grooming')
    const grooming = await list('category=grooming')
    await showing(1, 8, grooming.totalProducts)
    await choose('Under $50')
    const cheap = await list('category=grooming&minPrice=0&maxPrice=50')
    await showing(1, Math.min(8, cheap.totalProducts), cheap.totalProducts)
    await button('Next').click()
    await page.waitForURL(/category=grooming.*price=0-50.*page=2|page=2.*category=grooming/)
    await page.reload()
    await showing(9, Math.min(16, cheap.totalProducts), cheap.totalProducts)
    await choose('Under $50')
    await showing(1, 8, grooming.totalProducts)
    if (isPhone) await page.getByRole('button', { name: /^Filters/ }).click()
    await page.getByRole('button', { name: 'Clear All Filters' }).click()
    if (isPhone) await page.keyboard.press('Escape')
    await showing(1, 8, all.totalProducts)
    await leave()
  })
}

test('the sort order is kept in the URL across filters, pages and a reload', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  await page.getByLabel('Sort by').selectOption('Price, highest first')
  await page.waitForURL('**/shop?sort=-price')
  await page.getByRole('radio', { name: 'Grooming' }).check()
  await page.waitForURL('**/shop?category=grooming&sort=-price')
  // Waits for the new list: with fewer pages, the buttons are elsewhere.
  await waitForText(page, 'Showing 1 to 8 of 20 products')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.waitForURL('**/shop?category=grooming&sort=-price&page=2')
  const wanted = await list('category=grooming&sort=-price&page=2&limit=8')
  await waitForText(page, /^Showing 9 to/)
  assert.deepEqual(
    await productLinksIn(page, 'main'),
    wanted.products.map(({ _id }) => `/shop/${_id}`),
  )
  await page.reload()
  assert.equal(await page.getByLabel('Sort by').inputValue(), '-price')
  await page.getByRole('button', { name: 'Clear All Filters' }).click()
  await page.waitForURL((url) => url.search === '?sort=-price')
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

test('a filter’s label overrides only the primary mouse button; other buttons keep their default action', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  const label = page.locator('label').filter({ has: page.getByRole('radio', { name: 'Blue' }) })
  const isTaken = (button: number) =>
    label.evaluate(
      (words, button) =>
        !words.dispatchEvent(new MouseEvent('mousedown', { button, bubbles: true, cancelable: true })),
      button,
    )
  assert.deepEqual([await isTaken(0), await isTaken(1), await isTaken(2)], [true, false, false])
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

test('a menu opened while a page is loading stays open when that page arrives, and closes on Back', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    savesData: true,
    as: demoCustomer,
  })
  const menus = [
    { button: page.getByLabel('Menu', { exact: true }), entry: page.getByRole('banner').getByRole('list') },
    { button: page.getByRole('button', { name: 'Account menu' }), entry: page.locator('#account-menu') },
  ]
  for (const { button, entry } of menus) {
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

test('the search field has the focus, Back restores the previous search, and empty results link to categories', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/')
  await page.getByRole('banner').getByRole('link', { name: 'Search' }).click()
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor()
  await page.locator('input[name=q]:focus').waitFor()
  await page.keyboard.type('t-shirt')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^\d+ products for “t-shirt”$/ }).waitFor()
  // A search is corrected where it was typed, and Back shows the previous one.
  await page.locator('input[name=q]:focus').fill('polo')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^\d+ products? for “polo”$/ }).waitFor()
  assert.equal(await page.locator('input[name=q]:focus').count(), 1)
  await page.goBack()
  await page.getByRole('heading', { name: /“t-shirt”$/ }).waitFor()
  assert.equal(await page.getByRole('searchbox').inputValue(), 't-shirt')
  await openHydrated(page, '/search?q=shirt')
  const found = await page.getByRole('heading', { name: /^\d+ products for “shirt”$/ }).innerText()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.waitForURL('**/search?q=shirt&page=2')
  await page.getByRole('heading', { name: found, exact: true }).waitFor()
  await page.goto('/search?q=zzyzx')
  await page.getByRole('link', { name: 'Sports dress' }).click()
  await page.waitForURL('**/categories/sports%20dress')
  await leave()
})

test('in a low, wide window a product’s whole picture fits the window’s height', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: { width: 720, height: 450 } })
  const [product] = (await list('limit=1')).products
  await page.goto(`/shop/${product?._id}`)
  const box = await page
    .getByRole('main')
    .getByRole('img', { name: product?.name ?? '' })
    .first()
    .boundingBox()
  assert.ok(box && box.height <= 450 && Math.abs(box.width / box.height - 0.8) < 0.01, JSON.stringify(box))
  await leave()
})

test('an invalid filter or page number in the URL falls back to the nearest existing page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const { totalProducts, totalPages } = await list('limit=8')
  for (const odd of ['page=abc', 'page=0', 'page=-1', 'page=1.5', 'page=', 'price=odd', 'category=ALL']) {
    await page.goto(`/shop?${odd}`)
    await waitForText(page, `Showing 1 to 8 of ${totalProducts} products`)
  }
  for (const past of ['9999', '99999999', '9'.repeat(40)]) {
    await page.goto(`/shop?page=${past}`)
    await waitForText(
      page,
      `Showing ${(totalPages - 1) * 8 + 1} to ${totalProducts} of ${totalProducts} products`,
    )
  }
  await leave()
})

test('an empty list, a failed list and an unknown page each show their own message', async () => {
  // React Router warns about a URL that cannot be decoded.
  const allowed = /ERR_FAILED|404|400|could not be decoded/
  const { page, leave } = await newCustomer(browser, shop.url, { allowed, savesData: true })
  await page.goto('/shop?category=grooming&color=gold&price=200-')
  await waitForText(page, 'No products found!')
  // Also what the server refuses to search for: a character that changes the text's direction, too long a name,
  // too many marks on a letter.
  for (const category of ['nothing', '%E2%80%AE', 'z'.repeat(500)]) {
    await page.goto(`/categories/${category}`)
    await waitForText(page, 'No products found in this category.')
  }
  for (const words of ['nothinglikethis', `nothing-like-thi${'%CC%81'.repeat(9)}`]) {
    await page.goto(`/search?q=${words}`)
    await waitForText(page, 'No products found!')
  }
  await page.goto('/shop/nothing')
  await waitForText(page, 'Error to load product details')
  for (const address of ['/100%', '/%ff', '/SHOP', '/Login', '/no/such/page']) {
    await page.goto(address)
    await waitForText(page, 'Page not found')
  }
  await waitForText(page, 'Sorry, we couldn’t find the page you’re looking for.')
  assert.equal(await page.getByRole('link', { name: 'Go back home' }).getAttribute('href'), '/')
  assert.equal(await page.getByRole('link', { name: 'Contact support' }).getAttribute('href'), '/contact')
  await page.route('**/api/products/**', (route) => route.abort())
  // From page to page, so that the browser makes the request itself.
  await page.waitForSelector('.laid-out')
  await page.getByRole('link', { name: 'Shop', exact: true }).first().click()
  await waitForText(page, 'Error loading products!')
  assert.equal(await page.getByText('Looking through the rails…').count(), 0)
  // A response of another shape counts as none.
  await page.route('**/api/products/**', (route) => route.fulfill({ json: {} }))
  const answered = page.waitForResponse('**/api/products/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await (await answered).finished()
  await waitForText(page, 'Error loading products!')
  assert.equal(await page.getByText('Looking through the rails…').count(), 0)
  await leave()
})

test('placeholders keep the layout in place while the product list is loading', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, desktop)
  const held = await holdRequests(page, '**/api/products/**')
  await openHydrated(page, '/pages')
  await page.waitForSelector('.lettered')
  const endOfMain = () => page.evaluate(() => document.querySelector('footer')?.offsetTop ?? 0)
  await page.getByRole('link', { name: 'Shop', exact: true }).first().click()
  await waitForText(page, 'Looking through the rails…')
  const before = await endOfMain()
  const heightOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().height)
  const place = await heightOf(page.locator('[aria-busy=true] .aspect-4\\/5').first().locator('..'))
  held.release()
  await page.getByRole('button', { name: 'Next', exact: true }).waitFor()
  // In the first row, each name takes one line.
  const card = await heightOf(page.getByRole('article').first())
  assert.ok(Math.abs(card - place) < 1, `${place} became ${card}`)
  // Further down, a name may take a second line.
  assert.ok(Math.abs((await endOfMain()) - before) < 60, `${before} became ${await endOfMain()}`)
  await leave()
})

test('at the last or first page, where Next or Previous is disabled, the page’s number has the focus', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop?page=9')
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await page.getByRole('button', { name: 'Next', exact: true }).press('Enter')
  await waitForText(page, 'Showing 73 to 80 of 80 products')
  assert.equal(await focused(), '10')
  await openHydrated(page, '/shop?page=2')
  await page.getByRole('button', { name: 'Previous', exact: true }).press('Enter')
  await waitForText(page, 'Showing 1 to 8 of 80 products')
  assert.equal(await focused(), '1')
  await leave()
})

test('clicking a filter’s label selects the filter, and clicking it again clears it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  await page.getByText('Under $50', { exact: true }).click()
  await page.waitForURL('**/shop?price=0-50')
  await page.getByText('Under $50', { exact: true }).click()
  await page.waitForURL('**/shop')
  await leave()
})

for (const { viewport } of [desktop, phone]) {
  test(`ratings and prices line up across each row of products, at ${viewport.width} px`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { viewport })
    await openHydrated(page, '/shop')
    const tops = await page.getByRole('article').evaluateAll((cards) =>
      cards.map((card) => {
        const price = [...card.querySelectorAll('span')].find(({ textContent }) =>
          /^\$[\d,.]+$/.test(textContent),
        )
        const names = card.querySelector('h2, h3')?.getBoundingClientRect().height ?? 0
        const parts = [card, card.querySelector('[aria-label^=Rated]'), price]
        return { names, tops: parts.map((part) => Math.round(part?.getBoundingClientRect().top ?? 0)).join() }
      }),
    )
    assert.equal(tops.length, 8)
    assert.ok(new Set(tops.map(({ names }) => names)).size > 1, 'names of one line and of two')
    assert.equal(new Set(tops.map(({ tops }) => tops)).size, viewport.width === 390 ? 4 : 2)
    await leave()
  })
}

test('the pager stays and keeps the focus while the next page is loading', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await openHydrated(page, '/shop')
  const held = await holdRequests(page, '**/api/products/**')
  const next = page.getByRole('button', { name: 'Next', exact: true })
  const isFocused = () => next.evaluate((button) => button === document.activeElement)
  await next.press('Enter')
  await waitForText(page, 'Looking through the rails…')
  assert.ok(await isFocused())
  held.release()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  assert.ok(await isFocused())
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

test('on a phone all product cards get rendered without scrolling, also after paging and filtering', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    hasTouch: true,
  })
  const allShown = () =>
    page.waitForFunction(() =>
      [...document.querySelectorAll('article')].every((card) =>
        card.checkVisibility({ contentVisibilityAuto: true }),
      ),
    )
  await openHydrated(page, '/shop')
  await allShown()
  await page.getByRole('button', { name: 'Next', exact: true }).tap()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  await allShown()
  await page.getByRole('button', { name: 'Filters' }).tap()
  await page.getByRole('radio', { name: 'Grooming' }).tap()
  await page.waitForURL(/category=grooming/)
  await waitForText(page, 'Showing 1 to 8 of 20 products')
  await allShown()
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
  const { products } = await list('limit=8&page=2')
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

test('a click outside a menu closes it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    as: demoCustomer,
  })
  await openHydrated(page, '/contact')
  for (const [button, entry] of [
    [page.getByLabel('Menu', { exact: true }), page.getByRole('banner').getByRole('list')],
    [page.getByRole('button', { name: 'Account menu' }), page.locator('#account-menu')],
  ] as const) {
    await button.click()
    await entry.waitFor()
    await page.locator('main').click({ position: { x: 200, y: 600 } })
    await entry.waitFor({ state: 'hidden' })
    assert.equal(new URL(page.url()).pathname, '/contact')
  }
  await leave()
})

test('on a phone submitting a search takes the focus off its field, which hides the keyboard', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await openHydrated(page, '/search')
  await page.getByRole('searchbox').fill('linen')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^\d+ products for/ }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.localName), 'body')
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
  await page.evaluate(() => scrollTo(0, 300))
  await page.waitForFunction(() => scrollY === 300)
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

test('a product card reused for another product keeps no state or picture of the previous one', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await openHydrated(page, '/shop')
  const card = page.locator('article').first()
  const add = card.getByRole('button', { name: 'Add to Cart' })
  const refused = page.getByRole('alertdialog', { name: 'Error!' })
  const addTwice = async () => {
    await add.click()
    await add.click()
    await refused.waitFor()
    await page.getByRole('button', { name: "It's Ok" }).click()
    await refused.waitFor({ state: 'hidden' })
  }
  // Once the page has both lists, it shows no placeholders between them.
  const next = page.getByRole('button', { name: 'Next', exact: true })
  await next.click()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  await page.goBack()
  await waitForText(page, 'Showing 1 to 8 of 80 products')
  await addTwice()
  const article = await card.elementHandle()
  const picture = await card.locator('img').elementHandle()
  await next.click()
  await waitForText(page, 'Showing 9 to 16 of 80 products')
  assert.ok(await article?.evaluate((element) => element.isConnected))
  assert.ok(!(await picture?.evaluate((element) => element.isConnected)), 'the picture is another one')
  await addTwice()
  assert.equal(await page.getByRole('button', { name: 'Cart, 2 ' }).count(), 1)
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

test('a product page shows all details and ratings, and the category page lists the product', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const { products } = await list('limit=100&category=formal%20dress')
  const reduced = products.find(({ oldPrice }) => oldPrice !== null)
  assert.ok(reduced)
  await page.goto(`/shop/${reduced._id}`)
  await page.getByRole('heading', { level: 1, name: reduced.name }).waitFor()
  const main = await page.getByRole('main').innerText()
  for (const text of [`$${reduced.price.toFixed(2)}`, reduced.description]) {
    assert.ok(main.replace(/\s+/g, ' ').includes(text.replace(/\s+/g, ' ')), text)
  }
  assert.match(await page.locator('main del').first().innerText(), /\$\d/)
  const facts = page.getByRole('main').locator('dl')
  await facts.getByText(reduced.color, { exact: true }).waitFor()
  const reply = await fetch(`${shop.url}/api/products/${reduced._id}`)
  const { data } = (await reply.json()) as { data: { product: Rated; reviews: Rated[] } }
  assert.ok(data.reviews.some(({ rating }) => rating < 5))
  const stars = (part: Locator) =>
    part
      .getByRole('img', { name: /^Rated / })
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
  assert.deepEqual(await stars(page.locator('a[href="#reviews"]')), [ratedOf(data.product)])
  const reviews = page.getByRole('region', { name: 'Reviews' }).getByRole('listitem')
  assert.deepEqual(await stars(reviews), data.reviews.map(ratedOf))
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
  assert.match(await crumbs.innerText(), new RegExp(`home\\W+shop\\W+${reduced.name.slice(0, 8)}`, 'i'))
  await page.goto('/categories/Formal%20Dress')
  await page.getByRole('heading', { level: 1, name: 'Formal Dress', exact: true }).waitFor()
  await page.locator(`main a[href="/shop/${reduced._id}"]`).first().waitFor()
  assert.equal((await productLinksIn(page, 'main')).length, products.length)
  await leave()
})

test('a product page also works with an API response of the previous version', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await page.route(/\/api\/products\/[\w-]{22}$/, async (route) => {
    const answer = (await (await route.fetch()).json()) as {
      data: { distribution?: unknown; product: { views?: unknown; name: string }; reviews: unknown[] }
    }
    delete answer.data.distribution
    delete answer.data.product.views
    await route.fulfill({ json: answer })
  })
  await openHydrated(page, '/shop')
  await page.locator('article').getByRole('link').first().click()
  await page.waitForURL('**/shop/*')
  await page.getByRole('heading', { name: 'Reviews' }).waitFor()
  assert.match((await page.getByText(/^from \d+ reviews?$/).textContent()) ?? '', /[1-9]/)
  await leave()
})

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

test('lists and pages that could not load while offline load by themselves once online again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    savesData: true,
    allowed: /ERR_INTERNET_DISCONNECTED|could not be shown|dynamically imported/,
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
