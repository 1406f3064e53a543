import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { checkAccessibility } from './accessibility.ts'
import { desktop, holdRequests, newCustomer, openHydrated, phone, waitForText } from './browser.ts'
import { openShop } from './open-shop.ts'
import { firstProduct, listProducts } from './shop-calls.ts'

const { shop, browser } = await openShop()

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

test('clicking a filter’s label selects the filter, and clicking it again clears it', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openHydrated(page, '/shop')
  await page.getByText('Under $50', { exact: true }).click()
  await page.waitForURL('**/shop?price=0-50')
  await page.getByText('Under $50', { exact: true }).click()
  await page.waitForURL('**/shop')
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

test('on a phone submitting a search takes the focus off its field, which hides the keyboard', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await openHydrated(page, '/search')
  await page.getByRole('searchbox').fill('linen')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^\d+ products for/ }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.localName), 'body')
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

test('a product whose response is an error or never comes is not called unknown and can be tried again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /503/, savesData: true })
  // Ends the time limit for a response at once, when told to.
  await page.addInitScript(() => {
    const { setTimeout } = window
    const sooner = (act: TimerHandler, ms?: number) =>
      setTimeout(act, ms === 20_000 && 'impatient' in window ? 0 : ms)
    Object.assign(window, { setTimeout: sooner })
  })
  await openHydrated(page, '/shop')
  await page.route('**/api/products/*', (route) => route.fulfill({ status: 503 }))
  await page.locator('article').getByRole('link').first().click()
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  assert.equal(await page.getByText('Product not found').count(), 0)
  await page.route('**/api/products/*', () => undefined)
  await page.evaluate(() => Object.assign(window, { impatient: true }))
  const ended = page.waitForEvent('requestfailed')
  await again.click()
  await ended
  await again.waitFor()
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

type Rated = { rating: number }
const ratedOf = ({ rating }: Rated) => `Rated ${Number(rating.toFixed(1))} of 5`

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

const screens: [string, BrowserContextOptions][] = [
  ['on a phone', phone],
  ['on a desktop', desktop],
]

for (const [where, options] of screens) {
  test(`a product’s pictures can be browsed by scrolling, arrow keys and links, ${where}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, options)
    const name = 'Navy Hopsack Blazer'
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

test('in forced colors, a dot on a phone still shows which picture of a product is current', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { ...phone, forcedColors: 'active' })
  await page.goto(await firstProduct(shop, 'Navy Hopsack Blazer'))
  const dots = page.getByRole('group', { name: 'Pictures' }).locator('a > span:first-child')
  await dots.first().waitFor()
  const [current, ...others] = await dots.evaluateAll((all) =>
    all.map((dot) => getComputedStyle(dot).backgroundColor),
  )
  assert.equal(others.length, 2)
  assert.ok(others.every((color) => color !== current))
  await leave()
})

test('in dark mode, the dark dot on a phone is the current one too: photographs stay light', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { ...phone, colorScheme: 'dark' })
  await page.goto(await firstProduct(shop, 'Navy Hopsack Blazer'))
  const dots = page.getByRole('group', { name: 'Pictures' }).locator('a > span:first-child')
  await dots.first().waitFor()
  const [current = NaN, ...others] = await dots.evaluateAll((all) =>
    all.map((dot) => {
      const [red = 0, green = 0, blue = 0] =
        getComputedStyle(dot).backgroundColor.match(/\d+/g)?.map(Number) ?? []
      return red + green + blue
    }),
  )
  assert.equal(others.length, 2)
  assert.ok(others.every((brightness) => brightness > current))
  await leave()
})

test('a product with a single picture has no gallery', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await page.goto(await firstProduct(shop, 'Aluminum Beard Comb'))
  await page.getByRole('img', { name: 'Aluminum Beard Comb' }).waitFor()
  assert.equal(await page.getByRole('group', { name: 'Pictures' }).count(), 0)
  await leave()
})

test('a printed product page shows no buttons', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto(await firstProduct(shop))
  await page.getByRole('button', { name: 'Add A Comment' }).waitFor()
  const buttons = page.getByRole('main').getByRole('button').filter({ visible: true })
  assert.deepEqual(await buttons.allInnerTexts(), ['Add to Cart', 'Add A Comment'])
  await page.emulateMedia({ media: 'print' })
  assert.deepEqual(await buttons.allInnerTexts(), [])
  await leave()
})
