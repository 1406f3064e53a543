import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import type { Page } from 'playwright-core'
import { demoCustomer } from '#shop/platform/config.ts'
import { until } from '#shop/testing/until.ts'
import {
  desktop,
  type HeldRequests,
  holdRequests,
  layoutShift,
  newCustomer,
  phone,
  waitForHydration,
  waitForPaint,
} from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'
import { firstProduct } from './shop-calls.ts'

const { shop, browser } = await openShop()

const publicPages = [
  ...[
    '/',
    '/shop',
    '/shop?category=grooming&page=2',
    '/categories/formal%20dress',
    '/search',
    '/search?q=linen',
  ],
  ...['/pages', '/contact', '/shop/no', '/orders/no', '/no/such'],
]
/** Unknown pages are requested on purpose. */
const unknown = /status of 404/

/** Those that a visitor without JavaScript comes to by choosing filters, and then the next page. */
const filteredPages = ['color=&price=0-50', 'price=0-50&page=2'].map(
  (end) => `/shop?category=grooming&${end}`,
)

const severalPictures = await firstProduct(shop, 'Navy Hopsack Blazer')
const onePicture = await firstProduct(shop, 'Aluminum Beard Comb')

for (const path of [...publicPages, ...filteredPages, await firstProduct(shop)]) {
  await until(() => isRendered(shop.url + path))
}

/** Waits until the page is hydrated and has got all that it then requests. */
async function waitUntilIdle(page: Page): Promise<void> {
  await waitForHydration(page)
  await page.waitForLoadState('networkidle')
}

test('server-rendered pages hydrate without errors and without requesting their data again', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: unknown,
    savesData: true,
    // Far from the server, with another date and another language.
    timezoneId: 'Pacific/Kiritimati',
    locale: 'de-DE',
  })
  const apiRequests: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) apiRequests.push(request.url())
  })
  const product = await firstProduct(shop)
  for (const path of [...publicPages, product]) {
    await page.goto(path)
    await waitUntilIdle(page)
    assert.ok(await page.getByRole('heading', { level: 1 }).first().innerText(), path)
    assert.deepEqual(apiRequests, [], path)
  }
  await page.goto(product)
  await page
    .getByRole('listitem')
    .locator('time', { hasText: /\d\. \p{L}+ \d{4}/u })
    .first()
    .waitFor()
  // The canonical link is that of the first page, and no longer there on the next.
  assert.equal(await page.locator('link[rel=canonical]').count(), 1)
  await page.getByRole('link', { name: 'shop', exact: true }).first().click()
  await page.getByRole('heading', { name: 'The shop' }).waitFor()
  assert.equal(await page.locator('link[rel=canonical]').count(), 0)
  assert.equal(apiRequests.length, 1)
  await leave()
})

test('hashed files are cached for a year as immutable, and the icon for a day', async () => {
  const page = await (await fetch(`${shop.url}/`)).text()
  const [asset] = /\/assets\/[^"]+\.js/.exec(page) ?? []
  const kept = async (path: string) => {
    const { status, headers } = await fetch(shop.url + path)
    return [status, headers.get('content-type'), headers.get('cache-control')]
  }
  const script = 'text/javascript'
  assert.deepEqual(await kept(asset ?? ''), [200, script, 'max-age=31536000, immutable'])
  assert.deepEqual(await kept('/icon.svg'), [200, 'image/svg+xml', 'max-age=86400'])
})

test('the icons that the page and its manifest name exist with the stated type and size', async () => {
  const page = await (await fetch(`${shop.url}/`)).text()
  const linked = [...page.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]*)"/g)].map(
    ([, href = '']) => ({ src: href, type: /svg/.test(href) ? 'image/svg+xml' : undefined }),
  )
  const [, manifest = ''] = /<link rel="manifest" href="([^"]*)"/.exec(page) ?? []
  const answer = await fetch(shop.url + manifest)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/)
  const { icons } = (await answer.json()) as { icons: { src: string; sizes: string; type: string }[] }
  const [, logo = ''] = /"logo":"[^"]*?(\/[\w-]+\.png)"/.exec(page) ?? []
  for (const { src, type } of [...linked, ...icons, { src: logo, type: 'image/png' }]) {
    const icon = await fetch(shop.url + src)
    assert.equal(icon.status, 200, src)
    if (type) assert.equal(icon.headers.get('content-type'), type, src)
  }
  assert.equal(linked.length, 3)
  for (const { src, sizes } of icons.filter(({ sizes }) => sizes !== 'any')) {
    const { width, height } = await sharp(await (await fetch(shop.url + src)).bytes()).metadata()
    assert.equal(`${width}x${height}`, sizes)
  }
})

for (const [width, pictures] of [
  [390, 0],
  [1440, 1],
] as const) {
  test(`a category page preloads its picture on a wide screen only, at ${width} px`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { viewport: { width, height: 844 } })
    await page.goto('/categories/formal%20dress')
    await waitUntilIdle(page)
    const readFirst = await page.evaluate(
      () =>
        performance
          .getEntriesByType('resource')
          .flatMap((entry) => (entry instanceof PerformanceResourceTiming ? [entry] : []))
          .map(({ name, initiatorType }) => `${initiatorType} ${name}`)
          .filter((read) => /^link .*\/category-/.test(read)).length,
    )
    assert.equal(readFirst, pictures)
    await leave()
  })
}

const desks = [1024, 1280, 1440, 1920, 2560]

for (const [what, path, widths] of [
  // At 1024 px, the title has three or four lines by a hair's breadth, and the picture is as high as the title.
  ['the home page', '/', [768, ...desks.slice(1)]],
  ['the shop', '/shop', [390, 768, ...desks]],
  ['a search', '/search?q=linen', [390, 768, ...desks]],
  ['a category', '/categories/formal%20dress', [390, 768, ...desks]],
  ['a product with several pictures', severalPictures, [768, ...desks]],
  ['a product with one picture', onePicture, [768, ...desks]],
] as const) {
  test(`${what} requests pictures at about the width at which they are shown, and none twice`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url)
    await page.goto(path)
    await waitUntilIdle(page)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      assert.deepEqual(await page.evaluate(wronglySized), [], `${width} px`)
    }
    await leave()
  })
}

/** Runs in the page: finds pictures whose `sizes` are not what is shown of them, and preloads for no picture. */
async function wronglySized(): Promise<string[]> {
  const wrong: string[] = []
  const sources = [...document.querySelectorAll<HTMLSourceElement>('source[type="image/avif"]')]
  for (const { sizes, parentElement } of sources) {
    const picture = parentElement?.querySelector('img')
    if (!picture?.checkVisibility()) continue
    // An image whose file claims to be 1000 pixels wide has a natural width that is what its `sizes` amount to.
    const ruler = new Image()
    ruler.sizes = sizes
    ruler.srcset = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"/>')} 1000w`
    await ruler.decode()
    // A box that is taller than the picture cuts off the picture's sides.
    const ratio = Number(picture.getAttribute('width')) / Number(picture.getAttribute('height'))
    const shown = Math.max(picture.offsetWidth, picture.offsetHeight * ratio)
    if (ruler.naturalWidth < shown * 0.97 - 2 || ruler.naturalWidth > shown * 1.08 + 14) {
      wrong.push(
        `${picture.getAttribute('src')}: ${shown} px, asked for with ${sizes}: ${ruler.naturalWidth} px`,
      )
    }
  }
  const shownSources = new Set(sources.map(({ srcset, sizes }) => `${srcset} at ${sizes}`))
  for (const { imageSrcset, imageSizes } of document.querySelectorAll<HTMLLinkElement>('link[as=image]')) {
    if (!shownSources.has(`${imageSrcset} at ${imageSizes}`)) wrong.push(`${imageSrcset} is loaded twice`)
  }
  return wrong
}

test('the heading of the home page is aligned with the content below it at any screen width', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/')
  for (const width of [...desks, 3440]) {
    await page.setViewportSize({ width, height: 900 })
    // The browser may still be resizing.
    const isAligned = page.waitForFunction((width) => {
      const beginOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().x ?? NaN
      return innerWidth === width && Math.abs(beginOf('#hero') - beginOf('main a:has(picture)')) < 1
    }, width)
    await assert.doesNotReject(isAligned, `not aligned at ${width} px`)
  }
  await leave()
})

test('the pictures of the footer end where the content above them ends, at any screen width', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/contact')
  await waitUntilIdle(page)
  for (const width of [...desks, 3440]) {
    await page.setViewportSize({ width, height: 900 })
    const isAligned = page.waitForFunction((width) => {
      const endOf = (selector: string) =>
        Math.max(
          ...[...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect().right),
        )
      return innerWidth === width && Math.abs(endOf('footer picture img') - endOf('main hr')) < 2
    }, width)
    await assert.doesNotReject(isAligned, `not aligned at ${width} px`)
  }
  await leave()
})

test('on a phone, all that the contact page says begins equally far below its name', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await page.goto('/contact')
  await waitUntilIdle(page)
  const gaps = await page.locator('dl > div').evaluateAll((ways) =>
    ways.map((way) => {
      const linesOf = (part: string) => {
        const range = document.createRange()
        const text = document
          .createTreeWalker(way.querySelector(part) ?? way, NodeFilter.SHOW_TEXT)
          .nextNode()
        if (text) range.selectNodeContents(text)
        return range.getBoundingClientRect()
      }
      return linesOf('dd').top - linesOf('dt').bottom
    }),
  )
  assert.equal(gaps.length, 4)
  assert.ok(Math.max(...gaps) - Math.min(...gaps) < 4, gaps.join(', '))
  await leave()
})

test('no text of the contact page is wider than can be read', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { viewport: { width: 1920, height: 1080 } })
  await page.goto('/contact')
  const text = await page.getByText('Give us the order ID').boundingBox()
  assert.ok(text && text.width < 750, `${text?.width} px`)
  await leave()
})

test('a page of the shop prints on one sheet of A4', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/shop')
  await waitUntilIdle(page)
  const margin = { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' }
  const paper = (await page.pdf({ format: 'A4', margin })).toString('latin1')
  assert.equal(paper.match(/\/Type \/Page\b/g)?.length, 1)
  await leave()
})

test('a first picture that never loads does not delay hydration', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.route('**/pictures/hero-*', () => undefined)
  await page.goto('/', { waitUntil: 'commit' })
  await waitForHydration(page)
  await leave()
})

for (const [what, go] of [
  ['the scripts have loaded', async ({ held }) => held.release()],
  ['a script has failed to load', async ({ held }) => held.release((route) => route.abort())],
  ['the visitor scrolls', ({ page }) => page.mouse.wheel(0, 10)],
] satisfies [string, (loading: { page: Page; held: HeldRequests }) => Promise<void>][]) {
  test(`pictures further down are not loaded until ${what}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { allowed: /ERR_FAILED/ })
    // A file that was requested early and failed is requested again.
    const held = await holdRequests(page, '**/assets/libraries-*')
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    await page.goto('/', { waitUntil: 'commit' })
    await page.locator('body > script[src*="/shop-"]').waitFor({ state: 'attached' })
    await held.requested
    await page.locator('img[src*="/hero."]').evaluate((picture: HTMLImageElement) => picture.decode())
    // The browser looks for pictures near the window in every frame.
    await waitForPaint(page)
    assert.deepEqual(
      requestedPaths.filter((path) => /category-|uploads/.test(path)),
      [],
    )
    const first = page.waitForRequest('**/pictures/category-formal-*')
    await go({ page, held })
    await first
    await leave()
  })
}

test('presses on buttons and filters before hydration take effect once the page is hydrated', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const held = await holdRequests(page, '**/assets/libraries-*')
  await page.goto('/shop', { waitUntil: 'commit' })
  // The script that adds the others to the page also keeps presses from then on.
  await page.locator('body > script[src*="/shop-"]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Add to Cart' }).nth(1).click()
  await page.getByRole('button', { name: 'Cart, 0 items' }).click()
  // The last press of each counts.
  for (const name of ['Grooming', 'Formal dress', 'Grooming']) await page.getByRole('radio', { name }).check()
  await page.getByRole('button', { name: 'Cart, 0 items' }).click()
  held.release()
  // The message about it gives way to the cart at once.
  await page.getByRole('dialog', { name: 'Cart' }).getByRole('listitem').waitFor()
  await page.waitForURL(/category=grooming/, { waitUntil: 'commit' })
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  await page.waitForLoadState('networkidle')
  assert.match(page.url(), /category=grooming/)
  await leave()
})

test('before hydration neither a picture that fails nor a link within the page undoes anything', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /ERR_FAILED/ })
  const held = await holdRequests(page, '**/assets/libraries-*')
  const picture = await holdRequests(page, /\/uploads\//)
  await page.goto('/shop', { waitUntil: 'commit' })
  await page.locator('body > script[src*="/shop-"]').waitFor({ state: 'attached' })
  await page.getByRole('radio', { name: 'Grooming' }).check()
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
  await picture.requested
  const failed = page.waitForEvent('requestfailed')
  picture.release((route) => route.abort())
  await failed
  await waitForPaint(page)
  assert.equal(await page.locator('[aria-busy=true]').count(), 1)
  held.release()
  await page.waitForURL(/category=grooming/, { waitUntil: 'commit' })
  await leave()
})

test('a page that is never painted, as in a background tab, is hydrated too', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.addInitScript(() => Object.assign(window, { requestAnimationFrame: () => 0 }))
  await page.goto('/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
  await leave()
})

test('a button pressed during hydration already knows the signed-in customer', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
  })
  // At this moment React listens, but has not yet rendered what this browser knows.
  await page.addInitScript(() => {
    const { port1, port2 } = new MessageChannel()
    const press = () => {
      const button = document.querySelector<HTMLElement>(
        '#main button[aria-haspopup=dialog].noscript\\:hidden',
      )
      const listens = Object.keys(button ?? {}).some((name) => name.startsWith('__reactProps'))
      if (listens) button?.click()
      else port2.postMessage('')
    }
    port1.onmessage = press
    addEventListener('come-to-life', press)
  })
  await page.goto(await firstProduct(shop))
  await page.getByRole('dialog', { name: 'Post a Review' }).waitFor()
  await leave()
})

test('a sort order chosen before hydration is applied once the page is hydrated', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  const held = await holdRequests(page, '**/assets/libraries-*')
  await page.goto('/shop', { waitUntil: 'commit' })
  await page.getByLabel('Sort by').selectOption('Price, lowest first')
  held.release()
  await page.waitForURL('**/shop?sort=price', { waitUntil: 'commit' })
  await leave()
})

test('controls pressed before hydration are reset when the scripts fail to load', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /ERR_FAILED/ })
  const held = await holdRequests(page, '**/assets/libraries-*')
  await page.goto('/shop', { waitUntil: 'commit' })
  await page.locator('body > script[src*="/shop-"]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Cart, 0 items' }).click()
  await page.getByRole('radio', { name: 'Grooming' }).check()
  assert.equal(await page.locator('[aria-busy=true]').count(), 2)
  held.release((route) => route.abort())
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  assert.equal(await page.getByRole('radio', { name: 'Grooming' }).isChecked(), false)
  await leave()
})

test('the cart count and the account menu appear without a layout shift', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/login')
  await page.getByLabel('Email').fill('customer@haberdash.example')
  await page.getByLabel('Password').fill('demo-customer-1')
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByRole('button', { name: 'Account menu' }).first().waitFor()
  await page.goto(await firstProduct(shop))
  await page.getByRole('button', { name: 'Add to Cart' }).click()
  await page.getByText('Product added successfully!').waitFor()
  for (const path of ['/', '/shop', await firstProduct(shop)]) {
    await page.goto(path)
    await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
    await page.getByRole('button', { name: 'Account menu' }).waitFor()
    const shift = await layoutShift(page)
    assert.ok(shift < 0.02, `${path}: shifted by ${shift}`)
  }
  await leave()
})

/** Asserts what is shown where no script runs; locators by text do not find it. */
async function assertNoscriptText(page: Page, text: RegExp): Promise<void> {
  assert.match((await page.locator('noscript').allInnerTexts()).join('\n'), text)
}

for (const { viewport } of [desktop, phone]) {
  test(`visitors without JavaScript can browse, filter and search, at ${viewport.width} px`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { javaScriptEnabled: false, viewport })
    await page.goto('/')
    await assertNoscriptText(page, /The cart, writing reviews and your account need JavaScript\./)
    assert.equal(await page.getByRole('button', { name: /Cart/ }).filter({ visible: true }).count(), 0)
    await page.getByRole('link', { name: 'Shop the rail' }).click()

    await page.getByText('Showing 1 to 8 of 80 products').waitFor()
    await page.getByRole('radio', { name: 'grooming' }).check()
    await page.getByRole('radio', { name: 'Under $50' }).check()
    await page.getByRole('button', { name: 'Show products' }).click()
    await page.waitForURL(/\/shop\?category=grooming&color=&price=0-50$/)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.waitForURL(/page=2/)
    await page.getByText(/^Showing 9 to /).waitFor()
    await page.getByRole('link', { name: 'Clear All Filters' }).click()
    await page.getByText('Showing 1 to 8 of 80 products').waitFor()

    await page.goto(await firstProduct(shop))
    await page.getByRole('heading', { name: 'Reviews' }).waitFor()
    assert.ok((await page.locator('#reviews time, section time').count()) > 0)
    await assertNoscriptText(
      page,
      /The cart and checkout need JavaScript\..*Writing a review needs JavaScript\./s,
    )

    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByLabel('What are you looking for?').fill('linen')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText(/products for “linen”/).waitFor()
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.waitForURL('**/login')
    await assertNoscriptText(page, /This page needs JavaScript\./)
    await leave()
  })
}
