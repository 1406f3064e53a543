import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import {
  holdRequests,
  logIn,
  newCustomer,
  openHydrated,
  stopTimers,
  storedUser,
  waitForPaint,
} from './browser.ts'
import { openShop } from './open-shop.ts'

const { shop, browser } = await openShop()

async function storeUser(page: Page, user: string): Promise<void> {
  await page.evaluate((text) => localStorage.setItem('user', text), user)
}

test('a dashboard requires a login; Back returns to the previous page, logging in opens the requested one', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/contact')
  await page.goto('/dashboard/payments')
  await page.waitForURL('**/login')
  await page.getByRole('heading', { name: 'Please Login!' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/contact')
  await page.goto('/dashboard/payments')
  await page.getByText('You must be logged in', { exact: true }).waitFor()
  await page.waitForURL('**/login')
  await logIn(page, demoCustomer)
  await page.waitForURL('**/dashboard/payments')
  await page.getByRole('heading', { name: 'Payments' }).waitFor()
  await leave()
})

test('a customer is refused on admin pages, and an admin can open the profile page', async () => {
  const customer = await newCustomer(browser, shop.url, { as: demoCustomer })
  for (const name of [
    'admin',
    'add-product',
    'manage-products',
    'update-product/x',
    'manage-orders',
    'users',
  ]) {
    await customer.page.goto(`/dashboard/${name}`)
    await customer.page.getByText('Access denied! You must be an admin').waitFor()
    await customer.page.waitForURL('**/login')
  }
  await customer.page.getByRole('link', { name: 'Go to your dashboard' }).click()
  await customer.page.getByRole('heading', { level: 1, name: /^Hi, / }).waitFor()
  assert.equal(new URL(customer.page.url()).pathname, '/dashboard')
  await customer.leave()

  const admin = await newCustomer(browser, shop.url, { as: demoAdmin })
  await admin.page.goto('/dashboard/profile')
  await admin.page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
  await admin.page.getByRole('navigation', { name: 'Admin dashboard' }).waitFor()
  await admin.leave()
})

test('a forged user or role in local storage gives no access', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /401/ })
  const invented = { _id: 'invented', username: 'Mallory', email: 'mallory@example.com', role: 'admin' }
  await page.goto('/contact')
  await storeUser(page, JSON.stringify(invented))
  await page.goto('/dashboard/users')
  await page.getByText('You must be logged in', { exact: true }).waitFor()
  await page.waitForURL('**/login')
  assert.equal(await storedUser(page), null)

  // A customer's session whose browser claims to be an admin's. It starts at another page, because the login page
  // remembers the denied page even if its URL is opened again, and would lead back there; the denial would then
  // replace the login's own message.
  await page.goto('/contact')
  await logIn(page, demoCustomer)
  await page.evaluate(() => {
    const user: unknown = JSON.parse(localStorage.getItem('user') ?? '{}')
    localStorage.setItem('user', JSON.stringify(Object.assign({}, user, { role: 'admin' })))
  })
  const listRequests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/auth/users')) listRequests.push(request.url())
  })
  await page.goto('/dashboard/users')
  await page.getByText('Access denied! You must be an admin').waitFor()
  assert.deepEqual(listRequests, [])
  assert.match((await storedUser(page)) ?? '', /"role":"user"/)
  await leave()
})

test('the shop opens signed out when the stored user is invalid', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.goto('/contact')
  for (const garbage of [
    '{{{',
    '',
    '42',
    '"x"',
    '[]',
    'null',
    '{"role":"admin"}',
    '{"_id":1,"role":"user"}',
  ]) {
    await storeUser(page, garbage)
    await page.goto('/shop')
    await page.getByRole('link', { name: 'Log in' }).waitFor()
    await page.getByRole('article').first().waitFor()
  }
  await leave()
})

test('text typed on a dashboard is kept while a failed session check is repeated', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /ERR_FAILED|Error creating checkout/,
  })
  await openHydrated(page, '/shop')
  await page.getByRole('button', { name: 'Add to Cart' }).first().click()
  const cut = (route: Route) => route.abort()
  await page.route('**/api/auth/me', cut)
  await page.route('**/create-checkout-session', cut)
  await openHydrated(page, '/dashboard/profile')
  const password = page.getByLabel('New password')
  await password.fill('needle and thread')
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.unroute('**/api/auth/me', cut)
  const held = await holdRequests(page, /auth\/me$/)
  await page.getByRole('button', { name: 'Checkout' }).click()
  await held.requested
  await waitForPaint(page)
  const typed = await password.evaluateAll((fields: HTMLInputElement[]) => fields.map(({ value }) => value))
  assert.deepEqual(typed, ['needle and thread'])
  held.release()
  await leave()
})

test('the next request after the session has ended signs the customer out and opens the login page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { allowed: /401/, as: demoCustomer })
  await page.goto('/dashboard/profile')
  await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('navigation', { name: 'User dashboard' }).getByRole('link', { name: 'Orders' }).click()
  await page.getByText('You must be logged in', { exact: true }).waitFor()
  await page.waitForURL('**/login')
  assert.equal(await storedUser(page), null)
  await leave()
})

test('uploading a picture after the session has ended signs the customer out and opens the login page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: /401|Error uploading image/,
    as: demoCustomer,
  })
  await page.goto('/dashboard/profile')
  await page.getByRole('button', { name: 'Edit Profile' }).click()
  const profile = page.getByRole('dialog')
  await profile.locator('input[type=file]').waitFor({ state: 'attached' })
  await page.context().clearCookies()
  await profile.locator('input[type=file]').setInputFiles('demo/pictures/black-gym-duffel.webp')
  await page.waitForURL('**/login')
  assert.equal(await storedUser(page), null)
  await leave()
})

test('a failed logout is reported and keeps the customer signed in; logging out of an ended session succeeds', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /auth\/logout|Error logging out/,
  })
  await page.goto('/dashboard/profile')
  const sidebar = page.getByRole('navigation', { name: 'User dashboard' })
  const logOut = sidebar.getByRole('button', { name: 'Logout' })
  await page.route('**/api/auth/logout', (route) => route.abort(), { times: 1 })
  await logOut.click()
  await page.getByRole('alert').getByText('You could not be logged out. Please try again.').waitFor()
  assert.notEqual(await storedUser(page), null)
  await page.context().clearCookies()
  await logOut.click()
  await page.getByText('Logout successful!').waitFor()
  assert.equal(await storedUser(page), null)
  await leave()
})

test('a late session response does not restore a user who was signed out in another tab', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await logIn(page, demoCustomer)
  await page.getByRole('button', { name: 'Account menu' }).waitFor()
  const held = await holdRequests(page, '**/api/auth/me')
  await page.reload()
  await held.requested
  // Done as if in another tab: a page gets no storage event for its own changes.
  await page.evaluate(() => localStorage.removeItem('user'))
  const answered = page.waitForResponse('**/api/auth/me')
  held.release()
  await (await answered).finished()
  await waitForPaint(page)
  assert.equal(await storedUser(page), null)
  await leave()
})

test('the account menu works with keyboard and pointer, and logging out signs out other tabs too', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await stopTimers(page, 5000)
  await logIn(page, demoCustomer)
  const avatar = page.getByRole('button', { name: 'Account menu' })
  const message = page.getByText('Login successful!')
  // On a phone it would cover the menu.
  await message.waitFor()
  await avatar.focus()
  await page.keyboard.press('Enter')
  await page.locator('#account-menu').waitFor()
  await message.waitFor({ state: 'hidden' })
  const labels = await page.locator('#account-menu').locator('a, button').allInnerTexts()
  assert.deepEqual(labels, ['Dashboard', 'Profile', 'Payments', 'Orders', 'Logout'])
  const hrefsOf = (links: Locator) => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  assert.deepEqual(await hrefsOf(page.locator('#account-menu').getByRole('link')), [
    '/dashboard',
    '/dashboard/profile',
    '/dashboard/payments',
    '/dashboard/orders',
  ])
  await page.keyboard.press('Escape')
  await page.locator('#account-menu').waitFor({ state: 'hidden' })
  assert.equal(await avatar.evaluate((button) => button === document.activeElement), true)

  // The menu closes at once, while the page's file is still on its way.
  const held = await holdRequests(page, /payments-page/)
  await avatar.click()
  await page.locator('#account-menu').getByRole('link', { name: 'Payments' }).click()
  await page.locator('#account-menu').waitFor({ state: 'hidden' })
  held.release()
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
  const sidebar = page.getByRole('navigation', { name: 'User dashboard' })
  assert.deepEqual(await hrefsOf(sidebar.getByRole('link')), [
    '/',
    '/dashboard',
    '/dashboard/orders',
    '/dashboard/payments',
    '/dashboard/profile',
    '/dashboard/reviews',
  ])

  const other = await page.context().newPage()
  const known = other.waitForResponse('**/api/auth/me')
  await other.goto('/contact')
  await (await known).finished()
  await other.getByRole('button', { name: 'Account menu' }).waitFor()
  await avatar.click()
  await page.locator('#account-menu').getByRole('button', { name: 'Logout' }).click()
  await page.getByText('Logout successful!').waitFor()
  await other.getByRole('link', { name: 'Log in' }).waitFor()
  await leave()
})

test('a login in a browser that keeps no cookies is refused with an explanation', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await page.addInitScript(() =>
    Object.defineProperty(document, 'cookie', { set: () => undefined, get: () => '' }),
  )
  await page.goto('/login')
  await page.getByLabel('Email').fill(demoCustomer.email)
  await page.getByLabel('Password').fill(demoCustomer.password)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByRole('alert').getByText('keeps no cookies').waitFor()
  assert.equal(await storedUser(page), null)
  await leave()
})

test('a password stays hidden until it is revealed, and its error message is linked to the field', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  for (const path of ['/login', '/register']) {
    await openHydrated(page, path)
    const password = page.getByLabel('Password')
    const type = (field: Locator) => field.getAttribute('type')
    assert.equal(await type(page.getByLabel('Email')), 'email', path)
    assert.equal(await type(password), 'password', path)
    await page.getByRole('button', { name: 'Show what is typed' }).click()
    assert.equal(await type(password), 'text', path)
    await page.getByRole('button', { name: 'Hide what is typed' }).click()
    assert.equal(await type(password), 'password', path)
    await password.press('Enter')
    const error = page.getByText('Password is required')
    const id = (await error.getAttribute('id')) ?? ''
    assert.ok(id !== '' && (await password.getAttribute('aria-describedby'))?.split(' ').includes(id), path)
  }
  await leave()
})

test('a wrong password, too many attempts and an unreachable shop each show their own message', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: /400|401|429|ERR_FAILED|Registration failed!/,
  })
  await page.goto('/login')
  const attempt = async () => {
    await page.getByLabel('Email').fill(demoCustomer.email)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Login' }).click()
  }
  await attempt()
  // Nothing else on the page is an alert.
  await page.getByRole('alert').getByText('Please').waitFor()
  assert.equal(await page.getByRole('alert').innerText(), 'Please Provide a valid email and password!')
  await page.route('**/api/auth/login', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '600' }, json: { code: 'too_many', title: 'x' } }),
  )
  await attempt()
  await page.getByText(/Please wait 10 minutes/).waitFor()
  await page.unroute('**/api/auth/login')
  await page.route('**/api/auth/login', (route) => route.fulfill({ status: 400 }))
  await attempt()
  await page.getByText('Please Provide a valid email and password!').waitFor()
  await page.unroute('**/api/auth/login')
  await page.route('**/api/auth/login', (route) => route.abort())
  await attempt()
  await page.getByText(/could not be reached/).waitFor()

  await openHydrated(page, '/register')
  await page.getByLabel('Username').fill('Unreached')
  await page.getByLabel('Email').fill('unreached@example.com')
  await page.getByLabel('Password').fill('bodkin and thimble')
  await page.route('**/api/auth/register', (route) => route.abort())
  await page.getByRole('button', { name: 'Register' }).click()
  await page
    .getByRole('alert')
    .getByText(/could not be reached/)
    .waitFor()
  await leave()
})
