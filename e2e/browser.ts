import assert from 'node:assert/strict'
import {
  chromium,
  request,
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core'
import { ensureChromium } from '#shop/testing/chromium.ts'

// Without these, Chromium keeps sending requests to its maker's servers.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
]

export async function openBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? [...quiet, '--no-sandbox'] : quiet
  return chromium.launch({ executablePath: ensureChromium(), args })
}

export const desktop = { viewport: { width: 1440, height: 900 } }

/** A touch screen of the usual size. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export type Account = { email: string; password: string }

/**
 * A customer with a browser of their own, already signed in if `as` is given. Every error or warning in the page's
 * console fails the test, in `leave`, unless it matches `allowed`, which is for those that a test provokes on
 * purpose. With `savesData` the page reads ahead only what the customer points at.
 */
export async function newCustomer(
  browser: Browser,
  url: string,
  options: BrowserContextOptions & { allowed?: RegExp; savesData?: boolean; as?: Account } = {},
): Promise<{ page: Page; leave(): Promise<void> }> {
  const { allowed, savesData = false, as, ...contextOptions } = options
  const context = await browser.newContext({
    baseURL: url,
    reducedMotion: 'reduce',
    ...(as && { storageState: await storageStateOf(url, as) }),
    ...contextOptions,
  })
  if (savesData) {
    await context.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
    )
  }
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.text()} ${message.location().url}`)
    }
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    page,
    async leave() {
      await context.close()
      assert.deepEqual(
        complaints.filter((text) => !allowed?.test(text)),
        [],
      )
    },
  }
}

/** Logs in on the login page, as a customer does. */
export async function logIn(page: Page, { email, password }: Account): Promise<void> {
  if (!page.url().endsWith('/login')) await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByText('Login successful!').waitFor()
}

/** The signed-in user as the page has stored it. */
export const storedUser = (page: Page): Promise<string | null> =>
  page.evaluate(() => localStorage.getItem('user'))

/** What a browser stores after a login. */
async function storageStateOf(url: string, account: Account) {
  const calls = await request.newContext({ baseURL: url })
  const answer = await calls.post('/api/auth/login', { data: account })
  assert.equal(answer.status(), 200, account.email)
  const { user } = (await answer.json()) as { user: object }
  const { cookies } = await calls.storageState()
  await calls.dispose()
  return {
    cookies,
    origins: [{ origin: url, localStorage: [{ name: 'user', value: JSON.stringify(user) }] }],
  }
}

/** Opens a page and waits until it is hydrated: before, its buttons load pages, and pointing has no effect. */
export async function openHydrated(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForSelector('.laid-out:not(:has(#sent))')
}

/** Waits until React has hydrated an element that the server sent. */
export async function waitForHydration(page: Page, selector = '#main'): Promise<void> {
  await page.waitForFunction(
    (selector) =>
      Object.keys(document.querySelector(selector) ?? {}).some((name) => name.startsWith('__react')),
    selector,
  )
}

export const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text, { exact: true }).first().waitFor()

/** Keeps timers of this many milliseconds from ever firing, on every page that is loaded from now on. */
export async function stopTimers(page: Page, stoppedMs: number): Promise<void> {
  await page.addInitScript((stoppedMs) => {
    const { setTimeout } = window
    const later = (act: TimerHandler, ms?: number) => (ms === stoppedMs ? 0 : setTimeout(act, ms))
    Object.assign(window, { setTimeout: later })
  }, stoppedMs)
}

/** Waits until the page has painted once more. What it does upon an event that has happened by now is done then. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))))
}

/** The layout shift so far: how far content that was already shown moved by itself. 0.02 is hardly visible. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += 'value' in entry ? Number(entry.value) : 0
        }).observe({ type: 'layout-shift', buffered: true })
        // If nothing moved, nothing is reported.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
      }),
  )
}

export type HeldRequests = {
  /** Resolves when the page has sent the first of them. */
  requested: Promise<void>
  /** Lets them through, also those that are sent later, or does with each what `handle` does. */
  release(handle?: (route: Route) => Promise<void>): void
}

/** Holds requests back until they are released. */
export async function holdRequests(page: Page, url: string | RegExp): Promise<HeldRequests> {
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<(route: Route) => Promise<void>>()
  await page.route(url, async (route) => {
    requested.resolve()
    const handle = await released.promise
    await handle(route)
  })
  return {
    requested: requested.promise,
    release: (handle = (route) => route.continue()) => released.resolve(handle),
  }
}

/** Submits a form as a password manager does: it presses no button, and does not notice that one is busy. */
export async function submitWithoutButton(field: Locator): Promise<void> {
  await field.evaluate((input: HTMLInputElement) => input.form?.requestSubmit())
}
