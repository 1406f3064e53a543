import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { checkAccessibility } from './accessibility.ts'
import { desktop, phone } from './browser.ts'
import { countPending, dataOf, openAdminShop, type Json } from './open-admin-shop.ts'
import { buy } from './shop-calls.ts'

const { shop, newAdmin, register } = await openAdminShop()

test('the dashboard shows the shop’s totals, links to pending orders and offers its charts as tables', async () => {
  for (let count = 0; count < 2; count += 1) await buy(shop)
  // In a time zone west of UTC, in which the shop's months begin.
  const { page, leave, calls } = await newAdmin(undefined, { timezoneId: 'America/New_York' })
  await page.goto('/dashboard/admin')
  const stats = await dataOf(calls, '/api/stats/admin-stats')
  for (const [name, value] of [
    [
      'Total Earning',
      Number(stats.totalEarnings).toLocaleString('en-US', { style: 'currency', currency: 'USD' }),
    ],
    ['All Orders', String(Number(stats.totalOrders))],
    ['All Users', String(Number(stats.totalUsers))],
    ['Total Products', String(Number(stats.totalProducts))],
  ] as const) {
    const card = page.getByRole('term').filter({ hasText: name }).locator('..')
    assert.equal(await card.getByRole('definition').innerText(), value)
  }
  const waiting = await countPending(calls)
  assert.ok(waiting > 1)
  await page.getByRole('link', { name: `${waiting} orders are pending` }).click()
  await page.getByText(`Showing 1 to ${Math.min(waiting, 20)} of ${waiting} orders`).waitFor()
  await page.goBack()
  const earnings = page.getByRole('figure').filter({ hasText: 'Earnings by month' })
  await earnings.getByText('As a table').click()
  const months = await earnings.getByRole('rowheader').allInnerTexts()
  assert.deepEqual([months.length, months[0], months[11]], [12, 'January', 'December'])
  const counts = page.getByRole('figure').filter({ hasText: 'Orders, products, reviews and users' })
  await counts.getByText('As a table').click()
  assert.deepEqual(
    await counts.getByRole('cell').allInnerTexts(),
    [stats.totalOrders, stats.totalProducts, stats.totalReviews, stats.totalUsers].map(String),
  )
  await page.getByRole('figure').locator('svg.recharts-surface').nth(2).waitFor()
  await leave()
})

test('the earnings chart leaves future months blank, and an empty shop links to adding its first product', async () => {
  const { page, leave } = await newAdmin()
  const year = new Date().getUTCFullYear()
  await page.clock.setFixedTime(new Date(Date.UTC(year, 1, 15)))
  await page.route('**/api/stats/admin-stats', async (route) => {
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: Json }
    const monthlyEarnings = Array.from({ length: 12 }, (_, index) => ({
      month: index + 1,
      earnings: index === 0 ? 120 : 0,
    }))
    await route.fulfill({
      response: answer,
      json: { data: { ...data, totalProducts: 0, totalOrders: 0, monthlyEarnings } },
    })
  })
  await page.goto('/dashboard/admin')
  const earnings = page.getByRole('figure').filter({ hasText: `Earnings by month, ${year}` })
  await earnings.locator('.recharts-line-dot').first().waitFor()
  assert.equal(await earnings.locator('.recharts-line-dot').count(), 2)
  await earnings.getByText('As a table').click()
  const [january, february, ...toCome] = await earnings.getByRole('cell').allInnerTexts()
  assert.deepEqual([january, february, new Set(toCome)], ['$120.00', '$0.00', new Set(['–'])])
  await page.getByRole('link', { name: 'Add the first product' }).waitFor()
  await leave()
})

for (const [name, options, months] of [
  ['on a desktop', {}, 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'],
  ['on a phone', phone, 'J F M A M J J A S O N D'],
] as const) {
  test(`the earnings chart labels all twelve months, and amounts in dollars, ${name}`, async () => {
    const { page, leave } = await newAdmin(undefined, options)
    await page.goto('/dashboard/admin')
    const earnings = page.getByRole('figure').filter({ hasText: 'Earnings by month' })
    const named = (axis: string) => earnings.locator(`.recharts-${axis}-tick-labels text`)
    await named('xAxis').nth(11).waitFor()
    assert.equal((await named('xAxis').allTextContents()).join(' '), months)
    for (const tick of await named('yAxis').allTextContents()) assert.match(tick, /^\$[\d.]+K?$/)
    await leave()
  })
}

test('on the narrowest phones, the names below the bars stay apart', async () => {
  const { page, leave } = await newAdmin(undefined, { ...phone, viewport: { width: 320, height: 640 } })
  await page.goto('/dashboard/admin')
  const bars = page.getByRole('figure').filter({ hasText: 'Orders, products, reviews and users' })
  const names = bars.locator('.recharts-xAxis-tick-labels text')
  await names.nth(3).waitFor()
  const gaps = await names.evaluateAll((all) => {
    const boxes = all.map((name) => name.getBoundingClientRect())
    return boxes.slice(1).map(({ left }, index) => left - (boxes[index]?.right ?? 0))
  })
  assert.equal(gaps.length, 3)
  assert.ok(Math.min(...gaps) > 3, gaps.join())
  await leave()
})

test('the admin menus link to the right pages', async () => {
  const { page, leave } = await newAdmin()
  await page.goto('/dashboard/admin')
  await page.getByRole('button', { name: 'Account menu' }).click()
  for (const [menu, links] of [
    [
      page.getByRole('navigation', { name: 'Admin dashboard' }),
      {
        Dashboard: 'admin',
        'Add Product': 'add-product',
        'Manage Items': 'manage-products',
        Users: 'users',
        'All Orders': 'manage-orders',
        Profile: 'profile',
      },
    ],
    [
      page.locator('#account-menu'),
      {
        Dashboard: 'admin',
        'Manage Items': 'manage-products',
        'All Orders': 'manage-orders',
        'Add Product': 'add-product',
      },
    ],
  ] as const) {
    const found = menu.getByRole('listitem').getByRole('link')
    await found.first().waitFor()
    assert.deepEqual(
      await found.evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')])),
      Object.entries(links).map(([name, path]) => [name, `/dashboard/${path}`]),
    )
  }
  await leave()
})

test('the pager requests the next page of a list, and reopening the list requests its first page again', async () => {
  const { page, leave } = await newAdmin()
  const menu = page.getByRole('navigation', { name: 'Admin dashboard' })
  for (const [name, path, call] of [
    ['All Orders', 'manage-orders', /\/api\/orders\/\?/],
    ['Users', 'users', /\/api\/auth\/users\?/],
  ] as const) {
    // Makes the list many pages long.
    await page.route(call, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'x-total-count': '500' } })
    })
    const asks = (which: string) =>
      page.waitForRequest((request) => call.test(request.url()) && request.url().includes(which))
    await page.goto(`/dashboard/${path}`)
    await page.getByText('of 500').waitFor()
    const second = asks('page=2')
    await page.getByRole('button', { name: 'Next' }).click()
    await second
    await page
      .getByRole('button', { name: '2', exact: true })
      .and(page.locator('[aria-current=page]'))
      .waitFor()
    await menu.getByRole('link', { name: 'Manage Items' }).click()
    await page.getByRole('heading', { level: 1, name: 'Manage products' }).waitFor()
    const first = asks('page=1')
    await menu.getByRole('link', { name }).click()
    await first
    await page.getByText('of 500').waitFor()
  }
  await page.unrouteAll({ behavior: 'wait' })
  await leave()
})

test('each page shows an error for a failed request or a response without data, and can try again', async () => {
  const { page, leave } = await newAdmin(/ERR_FAILED|Failed to load resource|TypeError/)
  for (const [path, call, text] of [
    ['admin', '**/api/stats/admin-stats', 'No admin stats available.'],
    ['manage-products', '**/api/products/?**', 'Error loading products!'],
    ['manage-orders', '**/api/orders/?**', 'Failed to fetch orders!'],
    ['manage-orders', '**/api/orders/breaks?**', 'Could not check for payment problems.'],
    ['users', '**/api/auth/users?**', 'Failed to load users!'],
  ] as const) {
    await page.route(call, (route) => route.fulfill({ json: { data: null } }))
    await page.goto(`/dashboard/${path}`)
    await page.getByRole('alert').getByText(text).waitFor()
    await page.unroute(call)
    await page.route(call, (route) => route.abort())
    await page.goto(`/dashboard/${path}`)
    await page.getByRole('alert').getByText(text).waitFor()
    // Above a list stands its count. Where the list could not be loaded, only the failure may be shown.
    if (/load|fetch/.test(text)) assert.equal(await page.locator('#list-count').count(), 0, path)
    await page.unroute(call)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(text).waitFor({ state: 'hidden' })
  }
  await leave()
})

test('a failed deletion is reported, leaves the row in place and can be retried', async () => {
  const { page, leave, calls } = await newAdmin(/ERR_FAILED|Error deleting (product|order|user)/)
  await register(calls, { username: 'Goes Soon', email: 'goes@soon.example', password: 'long-enough-1' })
  for (const [path, of] of [
    ['manage-products', 'product'],
    ['manage-orders', 'order'],
    ['users?search=goes', 'user'],
  ] as const) {
    await page.goto(`/dashboard/${path}`)
    const logged = page.waitForEvent('console', (message) => message.text().includes(`Error deleting ${of}`))
    const rows = page.getByRole('table').getByRole('row')
    const row = rows.nth(1)
    const shown = await row.innerText()
    await page.route('**/api/**', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.fallback(),
    )
    await row.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(`The ${of} was not deleted. The shop could not be reached`).waitFor()
    await logged
    assert.equal(await row.innerText(), shown)
    await page.unroute('**/api/**')
    await row.getByRole('button', { name: 'Delete' }).click()
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/deleted successfully!|^Order pi_\w+ was deleted$/).waitFor()
  }
  await leave()
})

test('admin pages are shown when the session check fails, which is sent at most twice per page', async () => {
  const { page, leave } = await newAdmin(/503/)
  let checks = 0
  await page.route('**/api/auth/me', (route) => {
    checks += 1
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' })
  })
  for (const path of ['admin', 'add-product', 'manage-products', 'users']) {
    checks = 0
    await page.goto(`/dashboard/${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    // A late request of this page must not be counted for the next one.
    await page.waitForLoadState('networkidle')
    assert.ok(checks > 0 && checks <= 2, `${path}: checked ${checks} times`)
  }
  await leave()
})

const views: [name: string, options: BrowserContextOptions][] = [
  ['on a desktop', desktop],
  ['on a phone in dark mode', { ...phone, colorScheme: 'dark' }],
]
for (const [name, options] of views) {
  test(`forms, dialogs and empty lists pass the accessibility checks, ${name}`, async () => {
    const { page, leave } = await newAdmin(undefined, options)
    await page.goto('/dashboard/add-product')
    await page.getByRole('button', { name: 'Add product' }).click()
    await page.getByText('Please fill in all fields.').waitFor()
    await checkAccessibility(page, 'a form with errors')
    for (const [path, button] of [
      ['manage-products', 'Delete'],
      ['manage-orders', 'View'],
      ['manage-orders', 'Edit'],
      ['users', 'Edit'],
    ] as const) {
      await page.goto(`/dashboard/${path}`)
      await page.getByRole('button', { name: button }).first().click()
      await page.getByRole(button === 'Delete' ? 'alertdialog' : 'dialog').waitFor()
      await page.waitForLoadState('networkidle')
      await checkAccessibility(page, `${button} in ${path}`)
    }
    await page.goto('/dashboard/manage-products')
    await page.getByRole('link', { name: 'Edit' }).first().click()
    await page.getByLabel('Old price').waitFor()
    await checkAccessibility(page, 'update-product')
    for (const path of ['manage-products', 'manage-orders', 'users']) {
      await page.goto(`/dashboard/${path}?search=nothing-is-called-this`)
      await page.getByRole('link', { name: /^Show all (products|orders|users)$/ }).waitFor()
      await checkAccessibility(page, `an empty ${path}`)
    }
    await leave()
  })
}
