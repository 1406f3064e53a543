// Takes pictures of every screen of a running shop, on a phone and on a desk, in light and in dark.
//   npm run shots -- [folder] [address]     folder: haberdash-shots in the system's temporary folder
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { ensureChromium } from '#shop/testing/chromium.ts'

const [folder = join(tmpdir(), 'haberdash-shots'), address = 'http://localhost:3000'] = process.argv.slice(2)
const screens = [
  { name: 'phone', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { name: 'desk', viewport: { width: 1440, height: 900 } },
]
const pages = [
  ['home', '/'],
  ['shop', '/shop'],
  ['shop-filtered', '/shop?category=formal+dress&color=blue'],
  ['shop-empty', '/shop?category=grooming&color=gold&price=200-'],
  ['product', `/shop/${await newestProduct()}`],
  ['category', '/categories/casual%20dress'],
  ['search', '/search'],
  ['search-results', '/search?q=linen'],
  ['pages', '/pages'],
  ['contact', '/contact'],
  ['order-unknown', '/orders/none'],
  ['success-unpaid', '/success'],
  ['not-found', '/no-such-page'],
  ['login', '/login'],
  ['register', '/register'],
] as const
// The demo's accounts, and the pages that only each of them has.
const accounts = [
  {
    email: 'customer@haberdash.example',
    password: 'demo-customer-1',
    pages: ['', '/orders', '/payments', '/profile', '/reviews'],
  },
  {
    email: 'admin@haberdash.example',
    password: 'demo-admin-1',
    pages: ['/admin', '/add-product', '/manage-products', '/manage-orders', '/users'],
  },
]

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
})
for (const { name: screen, ...size } of screens) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      ...size,
      colorScheme,
      baseURL: address,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const shoot: Shoot = (name, fullPage = false) =>
      page.screenshot({ path: join(folder, `${name}-${screen}-${colorScheme}.png`), fullPage })
    for (const [name, path] of pages) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await loadLazyPictures(page)
      await shoot(name, true)
    }
    await shootDialogs(page, shoot)
    for (const account of accounts) await shootDashboard(page, shoot, account)
    await context.close()
  }
}
await browser.close()
console.log(`Pictures are in ${folder}`)

type Shoot = (name: string, fullPage?: boolean) => Promise<unknown>

async function newestProduct(): Promise<string> {
  const reply = await fetch(new URL('/api/products/?limit=1', address))
  // The cast holds: this is the contract's shape.
  const { data } = (await reply.json()) as { data: { products: { _id: string }[] } }
  return data.products[0]?._id ?? 'none'
}

/** Scrolls down the page once, as a reader would, so that lazy pictures are in the screenshot. */
async function loadLazyPictures(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
      scrollTo(0, y)
      await new Promise((done) => setTimeout(done, 60))
    }
    scrollTo(0, 0)
  })
  await page.waitForLoadState('networkidle')
}

async function shootDialogs(page: Page, shoot: Shoot): Promise<void> {
  await page.goto('/shop', { waitUntil: 'networkidle' })
  const filters = page.getByRole('button', { name: /^Filters/ })
  if (await filters.isVisible()) {
    await filters.click()
    await page.getByRole('dialog').waitFor()
    await shoot('filters')
    await page.keyboard.press('Escape')
    await page.locator('summary').click()
    await shoot('menu')
    await page.keyboard.press('Escape')
  }
  const add = page.getByRole('button', { name: 'Add to Cart' })
  await add.first().click()
  await shoot('added')
  await add.first().click()
  await page.getByRole('alertdialog').waitFor()
  await shoot('already-added')
  await page.keyboard.press('Escape')
  await add.nth(1).click()
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.getByRole('dialog', { name: 'Cart' }).waitFor()
  await shoot('cart')
  await page.getByRole('button', { name: 'Clear cart' }).click()
  await shoot('cart-empty')
}

async function shootDashboard(
  page: Page,
  shoot: Shoot,
  { email, password, pages: own }: (typeof accounts)[number],
): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/login')
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByRole('button', { name: 'Account menu' }).first().waitFor()
  for (const path of own) {
    await page.goto(`/dashboard${path}`, { waitUntil: 'networkidle' })
    await shoot(`dashboard${path.replace('/', '-')}`, true)
  }
}
