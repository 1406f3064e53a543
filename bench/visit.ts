import assert from 'node:assert/strict'
import type { Browser, CDPSession, Locator, Page } from 'playwright-core'

/** A phone of some years ago on a slow line, as Lighthouse emulates it. */
const phone = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
}
const cpuSlowdown = 4
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

export type Visit = {
  /** In milliseconds after the URL was entered, as all names that end in `Ms`. */
  firstPaintMs: number
  lcpMs: number
  /** What was largest: the file of a picture, or the beginning of a text. */
  lcpOf: string
  /** The sum of all layout shifts, without a unit. */
  shift: number
  /** Kilobytes as they were transferred. */
  kb: { html: number; css: number; js: number; fonts: number; pictures: number; other: number }
}

/** Does not touch the page: a touch would end the browser's search for the largest paint. */
export async function lookAt(browser: Browser, url: string): Promise<Visit> {
  const { page, network, leave } = await slowPhone(browser)
  const kb = countKilobytes(network)
  await page.addInitScript(watchPaints)
  await page.goto(url, { waitUntil: 'networkidle' })
  const seen = await page.evaluate<Omit<Visit, 'kb'>>('watched')
  await leave()
  return { ...seen, kb }
}

/**
 * Milliseconds until the page is usable: the cart, tapped ten times a second, has opened, and React has hydrated
 * the last button of the page itself.
 */
export async function waitUntilUsable(browser: Browser, url: string): Promise<number> {
  const { page, leave } = await slowPhone(browser)
  await page.addInitScript(watchControls)
  await page.goto(url, { waitUntil: 'commit' })
  const cart = page.locator('header button[aria-label^="Cart"]')
  const { x, y, width, height } = (await cart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  let watched = { openedMs: 0, aliveMs: 0 }
  while (!watched.openedMs || !watched.aliveMs) {
    if (!watched.openedMs) await page.touchscreen.tap(x + width / 2, y + height / 2)
    await page.waitForTimeout(100)
    watched = await page.evaluate<typeof watched>('watched')
  }
  await leave()
  return Math.max(watched.openedMs, watched.aliveMs)
}

/** Milliseconds from a tap to the paint of its result, on a page that has been looked at for a while. */
export type Warm = {
  /** Opening a product, as the first thing that a visitor does. */
  firstMs: number
  nextPageMs: number
  filterMs: number
  productMs: number
  backMs: number
}

export async function walkAround(browser: Browser, url: string): Promise<Warm> {
  const first = await slowPhone(browser)
  await first.page.goto(`${url}/shop`, { waitUntil: 'networkidle' })
  const firstMs = await tap(first.page, first.page.locator('article a').first())
  await first.leave()

  const { page, leave } = await slowPhone(browser)
  await page.goto(`${url}/shop`, { waitUntil: 'networkidle' })
  const nextPageMs = await tap(page, page.getByRole('button', { name: 'Next' }))
  await page.getByRole('button', { name: 'Filters' }).tap()
  const filterMs = await tap(page, page.getByRole('dialog').locator('label', { hasText: 'Casual dress' }))
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const productMs = await tap(page, page.locator('article a').first())
  await page.waitForLoadState('networkidle')
  const painted = await page.evaluateHandle(watchPaint, 'popstate')
  await page.evaluate(() => history.back())
  const backMs = await painted.evaluate(({ afterMs }) => afterMs)
  await leave()
  return { firstMs, nextPageMs, filterMs, productMs, backMs }
}

async function tap(page: Page, control: Locator): Promise<number> {
  await control.scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  // When it is idle, the page may prefetch what is in view.
  await page.waitForTimeout(2000)
  const { x, y, width, height } = (await control.boundingBox()) ?? assert.fail('nothing to tap on')
  // Watches before the tap: a busy page would handle the touch before it begins to watch.
  const painted = await page.evaluateHandle(watchPaint, 'click')
  // Taps at a position, as a finger does: to tap on an element, Playwright would search the page for it again.
  await page.touchscreen.tap(x + width / 2, y + height / 2)
  return painted.evaluate(({ afterMs }) => afterMs)
}

async function slowPhone(browser: Browser) {
  const context = await browser.newContext(phone)
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', line)
  await network.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
  return { page, network, leave: () => context.close() }
}

function countKilobytes(network: CDPSession): Visit['kb'] {
  const kb = { html: 0, css: 0, js: 0, fonts: 0, pictures: 0, other: 0 }
  const kinds: Record<string, keyof typeof kb> = {
    Document: 'html',
    Stylesheet: 'css',
    Script: 'js',
    Font: 'fonts',
    Image: 'pictures',
  }
  const kindOf = new Map<string, keyof typeof kb>()
  network.on('Network.responseReceived', ({ requestId, type }) => {
    kindOf.set(requestId, kinds[type] ?? 'other')
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    kb[kindOf.get(requestId) ?? 'other'] += encodedDataLength / 1000
  })
  return kb
}

/** Runs in the page before any of its own scripts. */
function watchPaints(): void {
  const watched = { firstPaintMs: 0, lcpMs: 0, lcpOf: '', shift: 0 }
  Object.assign(globalThis, { watched })
  const observe = <E>(type: string, take: (entry: E) => void) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry as E)
    }).observe({ type, buffered: true })
  observe<PerformanceEntry>('paint', ({ startTime }) => {
    watched.firstPaintMs = startTime
  })
  observe<LargestContentfulPaint>('largest-contentful-paint', ({ element, startTime, url }) => {
    watched.lcpMs = startTime
    watched.lcpOf = url.split('/').at(-1) || `“${element?.textContent?.slice(0, 40)}”`
  })
  observe<{ value: number }>('layout-shift', ({ value }) => {
    watched.shift += value
  })
}

/** Runs in the page before any of its own scripts. */
function watchControls(): void {
  const watched = { openedMs: 0, aliveMs: 0 }
  Object.assign(globalThis, { watched })
  const look = () => {
    const cart = document.querySelector('header button[aria-label^="Cart"]')
    if (cart?.ariaExpanded === 'true') watched.openedMs ||= performance.now()
    const last = [...document.querySelectorAll('main button')].at(-1)
    // The mark that React leaves on elements that it has hydrated, from top to bottom.
    const isTaken = last && Object.keys(last).some((name) => name.startsWith('__reactProps'))
    if (isTaken) watched.aliveMs ||= performance.now()
    if (!watched.openedMs || !watched.aliveMs) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Runs in the page: the time from the event until other products, or another heading, have been painted. */
function watchPaint(event: string): { afterMs: Promise<number> } {
  const shown = () => {
    const main = document.querySelector('main')
    const isReady = main !== null && !main.querySelector('[aria-busy="true"]')
    return isReady && `${main.querySelector('h1')?.innerText} ${main.querySelector('article a')?.innerHTML}`
  }
  const before = shown()
  const afterMs = new Promise<number>((resolve) => {
    const start = ({ timeStamp }: Event) => {
      const look = () => {
        const now = shown()
        if (now === false || now === before) requestAnimationFrame(look)
        // After this frame has been painted.
        else setTimeout(() => resolve(performance.now() - timeStamp))
      }
      requestAnimationFrame(look)
    }
    addEventListener(event, start, { capture: true, once: true })
  })
  return { afterMs }
}
