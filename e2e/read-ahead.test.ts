import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Route } from 'playwright-core'
import { until } from '#shop/testing/until.ts'
import { desktop, newCustomer, openHydrated, phone } from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'

const { shop, browser } = await openShop()

test('a page or product is prefetched on hover, and not requested again on click', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    savesData: true,
  })
  const productRequests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/products')) productRequests.push(request.url())
  })
  await openHydrated(page, '/shop')
  const cards = page.locator('article')

  const pointAt = async (action: () => Promise<void>) => {
    const answer = page.waitForResponse((response) => response.url().includes('/api/products'))
    await action()
    await (await answer).finished()
  }
  const next = page.getByRole('button', { name: 'Next' })
  await pointAt(() => next.hover())
  const name = await cards.first().getByRole('link').innerText()
  await next.click()
  await page.waitForURL(/page=2/)
  await page.getByText(name).waitFor({ state: 'detached' })
  assert.equal(productRequests.filter((each) => each.includes('page=2')).length, 1, 'the page was there')

  await pointAt(() => page.getByRole('radio', { name: 'Grooming' }).locator('xpath=..').hover())
  await pointAt(() => cards.last().getByRole('link').hover())
  const product = await cards.last().getByRole('link').innerText()
  const address = await cards.last().getByRole('link').getAttribute('href')
  await cards.last().getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: product }).waitFor()
  const id = address?.split('/').at(-1) ?? 'none'
  assert.equal(productRequests.filter((each) => each.endsWith(id)).length, 1, 'the product was there')
  await leave()
})

for (const [visitor, connection] of [
  ['who saves data', { saveData: true }],
  ['on a very slow line', { saveData: false, effectiveType: 'slow-2g' }],
] as const) {
  test(`for a visitor ${visitor}, only what is pointed at or gets the focus is prefetched`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, desktop)
    await page.addInitScript((value) => Object.defineProperty(navigator, 'connection', { value }), connection)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/products/')) asked.push(new URL(request.url()).pathname)
    })
    await openHydrated(page, '/shop')
    const links = page.locator('article').getByRole('link')
    const prefetch = async (link: Locator, reach: () => Promise<void>) => {
      const path = (await link.getAttribute('href'))?.replace('/shop', '/api/products') ?? assert.fail()
      const answer = page.waitForResponse((response) => response.url().endsWith(path))
      await reach()
      await (await answer).finished()
      return path
    }
    const [first, last] = [links.first(), links.last()]
    const pointedAt = await prefetch(last, () => last.hover())
    // To scroll would move other links under the pointer.
    const focused = await prefetch(first, () => first.evaluate((link) => link.focus({ preventScroll: true })))
    assert.deepEqual(asked, [pointedAt, focused])
    await leave()
  })
}

test('nothing is prefetched while offline, and prefetching resumes afterwards', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    savesData: true,
    // The pointer may reach the end of the page before the page has all its pictures.
    allowed: /ERR_INTERNET_DISCONNECTED .*\/(assets|pictures)\//,
  })
  // The page requests the file by itself as well: the first of both requests is lost.
  const lost = Promise.withResolvers<Route>()
  await page.route(/read-ahead/, lost.resolve, { times: 1 })
  await openHydrated(page, '/shop')
  const filterRequests: string[] = []
  // Counts only the filters. When the line is back, the page also requests its own list again and, if `read-ahead` is
  // loaded while the pointer is still on the button, the next page: scrolling to a button starts that loading, too.
  page.on('request', (request) => {
    if (/category=|color=/.test(request.url())) filterRequests.push(request.url())
  })
  const pointAt = (choice: string) => page.getByRole('radio', { name: choice }).locator('xpath=..').hover()
  const waitForAnswer = (filter: string) =>
    page.waitForResponse((response) => response.url().includes(filter))

  await page.getByRole('button', { name: 'Next' }).hover()
  const cut = page.waitForEvent('requestfailed', (request) => request.url().includes('read-ahead'))
  await (await lost.promise).abort('internetdisconnected')
  await cut
  // A pointer that moves before the page itself has noticed the failure has no effect.
  const grooming = waitForAnswer('category=grooming')
  await until(async () => {
    await page.mouse.move(0, 0)
    await pointAt('Grooming')
    return filterRequests.length > 0
  })
  await (await grooming).finished()

  await page.context().setOffline(true)
  await page.waitForFunction(() => !navigator.onLine)
  await pointAt('Blue')
  await page.context().setOffline(false)
  await page.waitForFunction(() => navigator.onLine)
  const red = waitForAnswer('color=red')
  await pointAt('Red')
  await (await red).finished()
  assert.equal(filterRequests.length, 2, filterRequests.join('\n'))
  await leave()
})

test('on a phone, only a few links and controls in view are prefetched, and not requested again on tap', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    hasTouch: true,
  })
  const requestedIds: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/products')) requestedIds.push(request.url().split('/').at(-1) ?? '')
  })
  // This page has a hundred products.
  await until(() => isRendered(`${shop.url}/categories/casual%20dress`))
  await openHydrated(page, '/categories/casual%20dress')
  const links = page.locator('article a')
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  // A slow machine reads ahead only some of what is scrolled past, so it is scrolled past again.
  await until(async () => {
    for (const link of await links.all()) await link.scrollIntoViewIfNeeded()
    return requestedIds.length >= 8
  })
  await page.waitForLoadState('networkidle')
  assert.equal(requestedIds.length, 8)
  assert.equal(new Set(requestedIds).size, 8)

  const product = addresses.find((address) => address.endsWith(requestedIds[0] ?? 'none')) ?? assert.fail()
  await page.locator(`article a[href="${product}"]`).tap()
  await page.waitForURL(`**${product}`)
  await page.getByRole('heading', { name: 'Reviews' }).waitFor()
  assert.equal(requestedIds.filter((each) => product.endsWith(each)).length, 1, 'the product was there')

  const next = page.waitForResponse((response) => response.url().includes('page=2'))
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Next' }).scrollIntoViewIfNeeded()
  await (await next).finished()
  await page.getByRole('button', { name: 'Next' }).tap()
  await page.getByText('Showing 9 to 16').waitFor()
  assert.equal(requestedIds.filter((each) => each.includes('page=2')).length, 1, 'the next page was there')

  // What appears in view in place of something else is read ahead, too.
  const grooming = page.waitForResponse((response) => response.url().includes('category=grooming'))
  await page.getByRole('button', { name: 'Filters' }).tap()
  await (await grooming).finished()
  await page.getByRole('radio', { name: 'Grooming' }).tap()
  await page.waitForURL(/category=grooming/)
  const first = (await page.locator('article a').first().getAttribute('href')) ?? assert.fail()
  await until(async () => requestedIds.some((each) => first.endsWith(each)))
  await leave()
})

test('on a phone, the first product in view is prefetched without any interaction', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    hasTouch: true,
  })
  await until(() => isRendered(`${shop.url}/shop`))
  const answers = page.waitForResponse((response) => response.url().includes('/api/products/'))
  await page.goto('/shop')
  const product = (await page.locator('article a').first().getAttribute('href')) ?? assert.fail()
  const answer = await answers
  assert.equal(new URL(answer.url()).pathname, product.replace('/shop', '/api/products'))
  await leave()
})

test('on a desktop, all products of the page are prefetched; the link to the page itself does not count', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, desktop)
  const requestedPaths = new Set<string>()
  page.on('request', (request) => requestedPaths.add(new URL(request.url()).pathname))
  await openHydrated(page, '/shop')
  const links = await page.locator('article a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  const products = [...new Set(links)].map((link) => link?.replace('/shop', '/api/products') ?? '')
  assert.equal(products.length, 8)
  await until(async () => products.every((product) => requestedPaths.has(product)))
  await leave()
})
