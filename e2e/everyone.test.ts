import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import { until } from '#shop/testing/until.ts'
import { checkAccessibility, checkInTheDark } from './accessibility.ts'
import {
  desktop,
  holdRequests,
  layoutShift,
  newCustomer,
  phone,
  stopTimers,
  waitForPaint,
} from './browser.ts'
import { isRendered, openShop } from './open-shop.ts'
import { firstProduct } from './shop-calls.ts'

const { shop, browser } = await openShop()

const renderedPages = [
  '/',
  '/shop',
  '/shop?category=grooming&color=gold&price=200-',
  '/categories/formal dress',
  '/search?q=linen',
  '/search?q=nothinglikethis',
  '/pages',
  '/contact',
  '/no/such/page',
]
for (const path of renderedPages) await until(() => isRendered(shop.url + path))
const publicPages = [...renderedPages, '/success', '/login', '/register']
const customerPages = ['', '/orders', '/payments', '/profile', '/reviews'].map((end) => `/dashboard${end}`)
const adminPages = ['admin', 'add-product', 'manage-products', 'manage-orders', 'users'].map(
  (end) => `/dashboard/${end}`,
)

/** Unknown pages and payments are requested on purpose. */
const expectedErrors = /404|402/

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** On a phone, also checks the dark color scheme and everything that can be touched. */
async function checkWhole(page: Page, where: string): Promise<void> {
  await checkAccessibility(page, where)
  if (!isPhone(page)) return
  assert.deepEqual(await smallTargets(page), [], where)
  await checkInTheDark(page, where)
}

async function checkPage(page: Page, path: string): Promise<void> {
  const answer = await page.goto(path)
  await settled(page)
  const [, sent] = /<title>(.*?)<\/title>/.exec((await answer?.text()) ?? '') ?? []
  assert.match(sent ?? '', / · Haberdash$/, path)
  assert.equal(await page.title(), sent, path)
  await checkWhole(page, path)
  if (!isPhone(page)) await checkWidths(page, path)
}

/** No page may be wider than the screen, on a phone not even with letters twice as large. */
async function checkWidths(page: Page, path: string): Promise<void> {
  for (const [width, letters] of [
    [320, '100%'],
    [390, '100%'],
    [768, '100%'],
    [1440, '100%'],
    [1920, '100%'],
    [390, '200%'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), letters)
    // The browser may still be resizing what depends on the window, such as the largest letters.
    const fits = page.waitForFunction(
      (most) => innerWidth === most && document.documentElement.scrollWidth <= most,
      width,
    )
    await assert.doesNotReject(fits, `${path} is wider than ${width} with letters of ${letters}`)
  }
  await page.setViewportSize(desktop.viewport)
}

const isPhone = (page: Page) => page.viewportSize()?.width === phone.viewport.width

const views: [name: string, options: BrowserContextOptions][] = [
  ['on a desktop', desktop],
  ['on a phone, in light and dark colors, with large enough touch targets', phone],
]
for (const [name, options] of views) {
  test(`public pages pass the accessibility checks ${name}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, { ...options, allowed: expectedErrors })
    for (const path of [...publicPages, await firstProduct(shop)]) await checkPage(page, path)
    await leave()
  })

  test(`the cart, alerts and dialogs pass the accessibility checks ${name}`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, options)
    await page.goto('/shop')
    await settled(page)
    if (isPhone(page)) {
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByRole('dialog').waitFor()
      await checkWhole(page, 'the filters')
      await page.keyboard.press('Escape')
    }
    const add = page.getByRole('button', { name: 'Add to Cart' }).first()
    await add.click()
    await page.getByText('Product added successfully!').waitFor()
    await checkWhole(page, 'an alert')
    await add.click()
    await page.getByRole('alertdialog', { name: 'Error!' }).waitFor()
    await checkWhole(page, 'the error dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Cart/ }).click()
    await page.getByRole('dialog', { name: 'Cart' }).waitFor()
    await checkWhole(page, 'the cart')
    await page.getByRole('button', { name: 'Clear cart' }).click()
    await page.getByText('Your cart is empty.').waitFor()
    await checkWhole(page, 'the empty cart')
    await leave()
  })

  test(`dashboards pass the accessibility checks ${name}`, async () => {
    for (const [as, pages] of [
      [demoCustomer, customerPages],
      [demoAdmin, adminPages],
    ] as const) {
      const { page, leave } = await newCustomer(browser, shop.url, { ...options, as })
      for (const path of pages) await checkPage(page, path)
      await leave()
    }
  })
}

test('no dashboard link is cut off on a phone, even at twice the font size', async () => {
  for (const [as, path, count] of [
    [demoCustomer, '/dashboard/reviews', 7],
    [demoAdmin, '/dashboard/manage-orders', 8],
  ] as const) {
    const { page, leave } = await newCustomer(browser, shop.url, { as })
    await page.goto(path)
    const links = page.getByRole('navigation', { name: /dashboard$/ }).locator('a, button')
    await links.last().waitFor()
    assert.equal(await links.count(), count)
    for (const [width, letters] of [
      [320, '100%'],
      [390, '100%'],
      [390, '200%'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate((size) => (document.documentElement.style.fontSize = size), letters)
      const cut = await links.evaluateAll((all) =>
        all
          .filter((link) => {
            const { left, right } = link.getBoundingClientRect()
            return left < 0 || right > innerWidth
          })
          .map((link) => link.textContent),
      )
      assert.deepEqual(cut, [], `${path}, ${width} with letters of ${letters}`)
    }
    await leave()
  }
})

/** Everything that is less than 44 pixels high or wide. Links within a sentence may be as high as its lines. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const sizeOf = (element: Element) => {
      const boxes = [element, ...(element instanceof HTMLInputElement ? (element.labels ?? []) : [])]
      const sides = boxes.map((box) => box.getBoundingClientRect())
      // A card is one link, whose touch area is laid over the whole card.
      const over = ['::before', '::after'].map((part) => getComputedStyle(element, part))
      const laid = over.filter(({ position }) => position === 'absolute')
      const most = (sizes: number[]) => Math.max(...sizes.filter((size) => !Number.isNaN(size)))
      return {
        width: most([...sides.map(({ width }) => width), ...laid.map(({ width }) => parseFloat(width))]),
        height: most([...sides.map(({ height }) => height), ...laid.map(({ height }) => parseFloat(height))]),
      }
    }
    return [...document.querySelectorAll('a, button, input, select, textarea, summary')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('p'))
      .filter((element) => element.getBoundingClientRect().width > 1)
      .map((element) => ({ text: element.textContent, ...sizeOf(element) }))
      .filter(({ width, height }) => width < 43.5 || height < 43.5)
      .map(({ text, width, height }) => `${text}: ${width} x ${height}`)
  })
}

/** Presses Tab until this has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
      return label ?? element?.getAttribute('aria-label') ?? element?.textContent ?? ''
    })
    if (name.test(focused.trim())) return
  }
  assert.fail(`Tab never came to ${name}`)
}

test('a whole purchase works with the keyboard alone', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, desktop)
  await page.goto(await firstProduct(shop))
  await page.getByRole('button', { name: 'Add to Cart' }).first().waitFor()
  await tabTo(page, /^Add to Cart$/)
  await page.keyboard.press('Enter')
  await page.getByText('Product added successfully!').waitFor()
  await page.goto('/shop')
  await tabTo(page, /^Cart/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Cart' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Cart' }).waitFor({ state: 'hidden' })
  const returned = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  assert.match(returned ?? '', /^Cart/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Cart' }).waitFor()
  await tabTo(page, /^Checkout$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${shop.practiceUrl}/pay/**`)
  const card: [label: RegExp, text: string][] = [
    [/^Email/, 'kay@example.com'],
    [/^Card number/, '4242424242424242'],
    [/^Expiry/, '12/40'],
    [/^CVC/, '123'],
    [/^Name on card/, 'Kay Board'],
  ]
  for (const [label, text] of card) {
    await tabTo(page, label)
    await page.keyboard.type(text)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  await leave()
})

test('the shadow of the open menu follows the light or dark color scheme', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, phone)
  await page.goto('/contact')
  await page.getByLabel('Menu').click()
  const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('list').first()
  const shadow = () => menu.evaluate((list) => getComputedStyle(list).boxShadow)
  await page.emulateMedia({ colorScheme: 'light' })
  assert.match(await shadow(), /rgba\(25, 28, 35, 0\.22\)/)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.match(await shadow(), /rgba\(0, 0, 0, 0\.6\)/)
  await leave()
})

test('a first visit stays within its limits for script size, font size and layout shift', async () => {
  for (const path of ['/', '/shop']) {
    const { page, leave } = await newCustomer(browser, shop.url, phone)
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const kinds = new Map<string, string>()
    const bytes = { Script: 0, Font: 0 }
    network.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId)
      if (kind === 'Script' || kind === 'Font') bytes[kind] += encodedDataLength
    })
    // On a slow line, the fonts arrive long after the page was read in other ones.
    const held = await holdRequests(page, '**/*.woff2')
    // What is read ahead a second later is not needed for this page. On a slow machine it would be counted.
    await stopTimers(page, 1000)
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    await waitForPaint(page)
    held.release()
    await settled(page)
    const shift = await layoutShift(page)
    assert.ok(bytes.Script > 0 && bytes.Script <= 110_000, `${path}: ${bytes.Script} bytes of JavaScript`)
    assert.ok(bytes.Font > 0 && bytes.Font <= 60_000, `${path}: ${bytes.Font} bytes of fonts`)
    assert.ok(shift < 0.02, `${path}: shifted by ${shift}`)
    await leave()
  }
})
