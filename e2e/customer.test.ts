import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import {
  desktop,
  holdRequests,
  newCustomer,
  openHydrated,
  phone,
  stopTimers,
  submitWithoutButton,
  waitForPaint,
} from './browser.ts'
import { openShop } from './open-shop.ts'
import { adminHeaders } from './shop-calls.ts'

const { shop, browser } = await openShop()

async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  if (!page.url().endsWith('/login')) await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  await page.getByText('Login successful!').waitFor()
}

async function openProduct(page: Page, position: number): Promise<string> {
  await page.goto('/shop')
  await page.getByRole('main').getByRole('article').nth(position).getByRole('link').first().click()
  await page.waitForURL('**/shop/*')
  await page.getByRole('button', { name: 'Add A Comment' }).waitFor()
  return page.url()
}

const ownOrdersUrl = /\/api\/orders\/[^/]+(@|%40)/

const storedUser = (page: Page) => page.evaluate(() => localStorage.getItem('user'))

const idIn = (user: string | null) => (JSON.parse(user ?? '') as { _id: string })._id

async function storeUser(page: Page, user: string): Promise<void> {
  await page.evaluate((text) => localStorage.setItem('user', text), user)
}

for (const { viewport } of [desktop, phone]) {
  test(`a customer registers, reviews, edits the profile, changes the password and logs out at ${viewport.width} px`, async () => {
    const { page, leave } = await newCustomer(browser, shop.url, {
      viewport,
      allowed: /400|Registration|Error posting review/,
    })
    const comment = `The lining is the best part, ${viewport.width} times.`
    const email = `nora.${viewport.width}@example.com`
    const product = await openProduct(page, 5)
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    const name = await page.getByRole('main').getByRole('heading', { level: 1 }).innerText()

    await page.getByRole('button', { name: 'Add A Comment' }).click()
    await page.getByText('You must be logged in to post a review.').waitFor()
    await page.waitForURL('**/login')
    await page.getByRole('button', { name: 'Login' }).click()
    await page.getByText('Email is required').waitFor()
    await page.getByText('Password is required').waitFor()

    await page.getByRole('link', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'Please Register!' }).waitFor()
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('Username is required').waitFor()
    await page.getByLabel('Username').fill('Nora Quill')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('password1')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('Your given info is not valid.').waitFor()
    await page.getByText('Password is too common').waitFor()
    await page.getByLabel('Password').fill('bodkin and thimble')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('Registration successful!', { exact: true }).waitFor()
    await page.waitForURL('**/login')

    await logIn(page, { email, password: 'bodkin and thimble' })
    await page.waitForURL(`${product}#reviews`)
    await page.waitForFunction(() => scrollY > 100)
    await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()

    await page.getByRole('button', { name: 'Add A Comment' }).click()
    const review = page.getByRole('dialog', { name: 'Post a Review' })
    assert.equal(await review.getByRole('radio', { checked: true }).count(), 0)
    await review.getByRole('button', { name: 'Post review' }).click()
    const noStars = review.getByText('Please choose from 1 to 5 stars.')
    await noStars.waitFor()
    const stars = review.getByRole('group', { name: 'Rating' })
    assert.equal(await stars.getAttribute('aria-describedby'), await noStars.getAttribute('id'))
    await review.getByRole('radio', { name: '4 stars' }).check()
    await noStars.waitFor({ state: 'detached' })
    await review.getByLabel('Comment').fill(comment)
    await review.getByRole('button', { name: 'Post review' }).click()
    await page.getByText('Review posted successfully!').waitFor()
    await page.getByRole('main').getByText(comment).waitFor()
    const mean = /^([1-5]\.\d)\s+from \d+ reviews?$/m
    const summary = await page.getByRole('region', { name: 'Reviews' }).innerText()
    const answer = await page.request.get(`/api/products/${product.split('/').at(-1)}`)
    const { data } = (await answer.json()) as { data: { product: { rating: number } } }
    assert.equal(mean.exec(summary)?.[1], data.product.rating.toFixed(1))
    await page.locator('main time[title*=":"]').first().waitFor()
    await page.getByRole('button', { name: 'Add A Comment' }).click()
    await review.getByText('This will replace your earlier review.').waitFor()
    assert.equal(await review.getByRole('radio', { checked: true }).count(), 0)
    const written = review.getByLabel('Comment')
    assert.equal(await written.inputValue(), '')
    await review.getByRole('button', { name: 'Start from your earlier review' }).click()
    assert.equal(await written.evaluate((field) => field === document.activeElement), true)
    assert.equal(await review.getByRole('radio', { checked: true }).getAttribute('aria-label'), '4 stars')
    assert.equal(await written.inputValue(), comment)
    await written.fill('x'.repeat(2001))
    await review.getByText('2001 of 2000 characters.').waitFor()
    await review.getByRole('button', { name: 'Post review' }).click()
    await review.getByText('Your comment must have at most 2000 characters.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByRole('heading', { name: /Nora Quill/, level: 1 }).waitFor()
    const sidebar = page.getByRole('navigation', { name: 'User dashboard' })
    // The address with a slash, which the page also has, is that of the same link.
    await page.goto('/dashboard/')
    assert.equal(await sidebar.locator('[aria-current=page]').innerText(), 'Dashboard')
    await sidebar.getByRole('link', { name: 'Reviews' }).click()
    await page.getByRole('link', { name }).waitFor()
    await page.getByText(`Product ${product.split('/').at(-1)}`, { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Add New Review' }).getAttribute('href'), '/shop')

    await sidebar.getByRole('link', { name: 'Payments' }).click()
    await page.getByText('Total spent').locator('..').getByText('$0.00', { exact: true }).waitFor()
    await page.getByText('No orders yet.').waitFor()
    await page.getByText('What you buy as a guest is not').waitFor()

    await sidebar.getByRole('link', { name: 'Profile' }).click()
    const avatar = page.getByRole('button', { name: 'Account menu' }).locator('img')
    assert.equal(await avatar.getAttribute('src'), '/pictures/avatar.webp')
    await page.getByRole('button', { name: 'Edit Profile' }).click()
    const profile = page.getByRole('dialog', { name: 'Edit Profile' })
    await profile.getByRole('button', { name: 'Save' }).click()
    for (const field of ['Profile image', 'Bio', 'Profession']) {
      await profile.getByText(`${field} is required`).waitFor()
    }
    await profile.locator('input[type=file]').setInputFiles({
      name: 'me.png',
      mimeType: 'image/png',
      buffer: Buffer.from(tinyPicture, 'base64'),
    })
    await page.getByText('Uploaded image successfully!').waitFor()
    await profile.getByLabel('Username').fill(`Nora Q. ${viewport.width}`)
    await profile.getByLabel('Bio').fill('Sews buttons on for friends.')
    await profile.getByLabel('Profession').fill('Tailor')
    await profile.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Profile Update Successfully').waitFor()
    await page.getByRole('heading', { name: `Nora Q. ${viewport.width}` }).waitFor()
    // A picture of one pixel counts as none: the first letter of the name is shown instead.
    await avatar.waitFor({ state: 'detached' })

    await page.getByLabel('Current password').fill('not this one')
    await page.getByLabel('New password').fill('needle and thread')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Current password is not correct').waitFor()
    await page.getByLabel('Current password').fill('bodkin and thimble')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed successfully!').waitFor()

    await sidebar.getByRole('button', { name: 'Logout' }).dblclick()
    await page.getByText('Logout successful!').waitFor()
    assert.equal(await page.getByText('could not be logged out').count(), 0)
    await page.waitForURL(`${shop.url}/`)
    assert.equal(await storedUser(page), null)
    await page.getByRole('button', { name: 'Cart, 1 item' }).waitFor()
    await logIn(page, { email, password: 'needle and thread' })
    await page.goto(product)
    await page.getByRole('heading', { name: `Nora Q. ${viewport.width}` }).waitFor()
    await leave()
  })
}

test('submitting the registration form again while the login page is loading sends no second request', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { savesData: true })
  await openHydrated(page, '/register')
  const held = await holdRequests(page, /login-page/)
  await page.getByLabel('Username').fill('Twice')
  await page.getByLabel('Email').fill('twice@example.com')
  await page.getByLabel('Password').fill('bodkin and thimble')
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.url()))
  await page.getByRole('button', { name: 'Register' }).click()
  await held.requested
  await page.locator('button[type=submit]').dispatchEvent('click')
  await page.getByLabel('Password').press('Enter')
  held.release()
  await page.getByText('Your account is ready: please log in.').waitFor()
  assert.equal(calls.filter((url) => url.endsWith('/register')).length, 1)
  await leave()
})

test('a long comment is shortened to eight lines and can be expanded and collapsed', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    viewport: phone.viewport,
    as: demoCustomer,
  })
  const address = await openProduct(page, 7)
  const productId = new URL(address).pathname.split('/').at(-1)
  const comment = `Long, ${'and longer, '.repeat(150)}and at an end.`
  const data = { comment, rating: 5, productId, userId: idIn(await storedUser(page)) }
  const headers = { origin: shop.url }
  const posted = await page.context().request.post('/api/reviews/post-review', { data, headers })
  assert.equal(posted.ok(), true)
  for (const path of [address, '/dashboard/reviews']) {
    await page.goto(path)
    const text = page.getByText('and at an end.')
    const lines = () =>
      text.evaluate((shown) => shown.clientHeight / parseFloat(getComputedStyle(shown).lineHeight))
    const item = page.getByRole('listitem').filter({ has: text })
    await item.getByRole('button', { name: 'Show more' }).waitFor()
    assert.equal(Math.round(await lines()), 8)
    await item.getByRole('button', { name: 'Show more' }).click()
    assert.ok((await lines()) > 20)
    await item.getByRole('button', { name: 'Show less' }).click()
    assert.equal(Math.round(await lines()), 8)
  }
  await leave()
})

test('a very long word of joined letters does not widen the page', async () => {
  const viewport = phone.viewport
  const { page, leave } = await newCustomer(browser, shop.url, { viewport, as: demoCustomer })
  const productId = new URL(await openProduct(page, 6)).pathname.split('/').at(-1)
  const data = { comment: `${'क्'.repeat(200)}क`, rating: 5, productId, userId: idIn(await storedUser(page)) }
  const headers = { origin: shop.url }
  const posted = await page.context().request.post('/api/reviews/post-review', { data, headers })
  assert.equal(posted.ok(), true)
  for (const path of [`/shop/${productId}`, '/dashboard/reviews']) {
    await page.goto(path)
    await page.getByText(data.comment).waitFor()
    const width = () => document.scrollingElement?.scrollWidth
    assert.equal(await page.evaluate(width), viewport.width, path)
  }
  await leave()
})

test('a review of a product that is no longer sold says so and has no link', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  const productId = new URL(await openProduct(page, 4)).pathname.split('/').at(-1)
  const name = await page.getByRole('main').getByRole('heading', { level: 1 }).innerText()
  const data = { comment: 'While it was sold.', rating: 4, productId, userId: idIn(await storedUser(page)) }
  const posted = await page.context().request.post('/api/reviews/post-review', {
    data,
    headers: { origin: shop.url },
  })
  assert.equal(posted.ok(), true)
  const gone = await fetch(`${shop.url}/api/products/${productId}`, {
    method: 'DELETE',
    headers: await adminHeaders(shop),
  })
  assert.equal(gone.status, 200)
  await page.goto('/dashboard/reviews')
  const card = page.getByRole('listitem').filter({ hasText: data.comment })
  await card.getByText(`Product ${productId}, no longer for sale`).waitFor()
  await card.getByRole('heading', { name }).waitFor()
  assert.equal(await card.getByRole('link').count(), 0)
  await leave()
})

test('a rate-limited review says how long to wait, and its text is not carried over to another product', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /429|Error posting review/,
  })
  await openProduct(page, 2)
  const add = page.getByRole('button', { name: 'Add A Comment' })
  const review = page.getByRole('dialog', { name: 'Post a Review' })
  await add.click()
  await review.getByRole('radio', { name: '4 stars' }).check()
  await review.getByLabel('Comment').fill('Of the first.')
  await page.route('**/api/reviews/post-review', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '10' }, json: { code: 'too_many' } }),
  )
  await review.getByRole('button', { name: 'Post review' }).click()
  await review.getByText('Please wait 10 seconds, then try again.').waitFor()
  await page.getByText('Error posting review', { exact: true }).waitFor()
  await openProduct(page, 3)
  await add.click()
  assert.equal(await review.getByLabel('Comment').inputValue(), '')
  await leave()
})

test('a profile is not saved while its picture is uploading, and a failed save is reported', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /500|Error updating profile/,
  })
  await page.goto('/dashboard/profile')
  await page.getByRole('button', { name: 'Edit Profile' }).click()
  const profile = page.getByRole('dialog', { name: 'Edit Profile' })
  await profile.getByLabel('Profile image URL').fill('/pictures/avatar.webp')
  let calls = 0
  await page.route('**/edit-profile/*', (route) => {
    calls += 1
    return route.fulfill({ status: 500 })
  })
  const held = await holdRequests(page, /uploadImage/)
  await profile.locator('input[type=file]').setInputFiles('demo/pictures/black-gym-duffel.webp')
  await held.requested
  const save = profile.getByRole('button', { name: 'Save' })
  await save.and(page.locator('[aria-busy=true]')).waitFor()
  await profile.getByLabel('Username').press('Enter')
  await submitWithoutButton(profile.getByLabel('Username'))
  held.release()
  await page.getByText('Uploaded image successfully!').waitFor()
  assert.equal(calls, 0)
  await save.click()
  await profile.getByRole('alert').getByText('Failed to update profile. Please try again.').waitFor()
  assert.equal(calls, 1)
  await leave()
})

test('a new password is submitted only once, and its field is cleared afterwards', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  await page.goto('/dashboard/profile')
  const sent: Route[] = []
  const first = Promise.withResolvers<Route>()
  await page.route('**/api/auth/change-password', (route) => {
    sent.push(route)
    first.resolve(route)
  })
  await page.getByLabel('Current password').fill(demoCustomer.password)
  const password = page.getByLabel('New password')
  await password.fill('needle and thread')
  await password.press('Enter')
  await password.press('Enter')
  await submitWithoutButton(password)
  await (await first.promise).fulfill({ json: { data: null } })
  await page.getByText('Password changed successfully!').waitFor()
  assert.equal(sent.length, 1)
  assert.equal(await password.inputValue(), '')
  await leave()
})

test('unsaved review and profile edits are restored when the customer logs in after the session has ended', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    allowed: /401|Error updating profile/,
    as: demoCustomer,
  })
  const product = await openProduct(page, 7)
  const add = page.getByRole('button', { name: 'Add A Comment' })
  const review = page.getByRole('dialog', { name: 'Post a Review' })
  await add.click()
  await review.getByLabel('Comment').fill('Not this.')
  await review.getByRole('button', { name: 'Cancel' }).click()
  await review.waitFor({ state: 'detached' })
  await add.click()
  assert.equal(await review.getByLabel('Comment').inputValue(), '', 'Cancel gives up what was written')
  await review.getByRole('radio', { name: '2 stars' }).check()
  await review.getByLabel('Comment').fill('Half of what I meant to say.')
  await page.goBack()
  await review.waitFor({ state: 'detached' })
  assert.equal(page.url(), product, 'Back closes the dialog and stays')
  await add.click()
  await page.context().clearCookies()
  await review.getByRole('button', { name: 'Post review' }).click()
  await page.getByText('You must be logged in to post a review.').waitFor()
  await logIn(page, demoCustomer)
  await page.waitForURL(`${product}#reviews`)
  await add.click()
  assert.equal(await review.getByLabel('Comment').inputValue(), 'Half of what I meant to say.')
  assert.equal(await review.getByRole('radio', { checked: true }).getAttribute('aria-label'), '2 stars')

  const posting = await holdRequests(page, /post-review/)
  await review.getByRole('button', { name: 'Post review' }).click()
  await posting.requested
  await page.keyboard.press('Escape')
  await review.waitFor({ state: 'detached' })
  await add.click()
  await review.waitFor()
  posting.release()
  await page.getByText('Review posted successfully!').waitFor()
  await page.keyboard.press('Escape')
  await review.waitFor({ state: 'detached' })
  await add.click()
  assert.equal(await review.getByLabel('Comment').inputValue(), '', 'what was posted is no draft')

  await page.goto('/dashboard/profile')
  const edit = page.getByRole('button', { name: 'Edit Profile' })
  const profile = page.getByRole('dialog', { name: 'Edit Profile' })
  const bio = profile.getByLabel('Bio')
  const notice = profile.getByText('What you typed earlier is still here, but not saved yet.')
  await edit.click()
  const before = await bio.inputValue()
  await profile.getByLabel('Profile image URL').fill('/pictures/avatar.webp')
  await bio.fill('Keeps moths.')
  await page.keyboard.press('Escape')
  await profile.waitFor({ state: 'detached' })
  await edit.click()
  await notice.waitFor()
  await page.context().clearCookies()
  await profile.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/login')
  await page.getByText('You must be logged in').waitFor()
  await logIn(page, demoCustomer)
  await page.waitForURL('**/dashboard/profile')
  await edit.click()
  await notice.waitFor()
  assert.equal(await bio.inputValue(), 'Keeps moths.')
  await profile.getByRole('button', { name: 'Start over' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.equal(await bio.inputValue(), before)
  await bio.fill('Keeps bees.')
  await page.keyboard.press('Escape')
  await profile.waitFor({ state: 'detached' })
  await edit.click()
  await notice.waitFor()
  await bio.fill(before)
  await page.keyboard.press('Escape')
  await profile.waitFor({ state: 'detached' })
  await edit.click()
  assert.equal(await bio.inputValue(), before)
  assert.equal(await notice.count(), 0, 'nothing of it is unsaved')
  await leave()
})

test('the demo customer sees orders, payments, reviews and figures, and one order in full', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  await page.goto('/dashboard')
  await page.getByText('Total Payments').waitFor()
  await page.getByText('As a table').click()
  assert.equal(
    await page.getByRole('table', { name: 'Your shopping in numbers' }).getByRole('row').count(),
    4,
  )
  const total = (await page.getByText('Total Payments').locator('..').innerText()).split('\n').at(-1) ?? ''
  assert.match(total, /^\$[\d,]+\.\d\d$/)
  const bars = page.locator('.recharts-bar-rectangle')
  // The chart is a file of its own, and comes after the table.
  await bars.nth(2).waitFor()
  assert.equal(await bars.count(), 3)
  await bars.first().hover()
  const tooltip = page.locator('.recharts-tooltip-wrapper')
  await tooltip.getByText(total).waitFor()
  const reviews = (await page.getByText('Total Reviews').locator('..').innerText()).split('\n').at(-1) ?? ''
  await bars.nth(1).hover()
  await tooltip.getByText(reviews, { exact: true }).waitFor()
  await tooltip.getByText(`drawn as $${Number(reviews) * 10}.00`).waitFor()

  await page.goto('/dashboard/payments')
  await page.getByText(total).waitFor()
  await page.goto('/dashboard/reviews')
  await page
    .getByRole('main')
    .getByRole('img', { name: /^Rated/ })
    .first()
    .waitFor()

  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'See all' }).click()
  await page.waitForURL('**/dashboard/orders')
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  const row = page
    .getByRole('table')
    .getByRole('row')
    .filter({ hasText: /pi_\w+/ })
    .first()
  const orderId = /pi_\w+/.exec(await row.innerText())?.[0] ?? ''
  await row.getByRole('link', { name: `View order ${orderId}` }).click()
  await page.waitForURL(`**/orders/${orderId}`)
  await page.getByRole('heading', { name: /^Payment / }).waitFor()
  await page.getByRole('main').getByText(orderId, { exact: true }).waitFor()
  await leave()
})

test('the payments are read again when they change between two pages of the list', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  const answer = page.waitForResponse(ownOrdersUrl)
  await page.goto('/dashboard/payments')
  const [first] = ((await (await answer).json()) as { data: { amount: number }[] }).data
  const payment = (n: number, amount: number) => ({ ...first, _id: `${n}`, orderId: `pi_${n}`, amount })
  const hundred = Array.from({ length: 100 }, (_, n) => payment(n, 1))
  // The newest payment is deleted after the first page was read.
  const lists = [[payment(-1, 5), ...hundred.slice(0, 99)], [], hundred, []]
  const totals = [101, 100, 100, 100]
  await page.route(ownOrdersUrl, (route) =>
    route.fulfill({ json: { data: lists.shift() }, headers: { 'x-total-count': `${totals.shift()}` } }),
  )
  await page.reload()
  await page.getByText('$100.00').waitFor()
  assert.deepEqual(lists, [])
  await leave()
})

test('quantities, status and partial refunds of an order are shown on the payments, orders and order pages', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer, savesData: true })
  const answer = page.waitForResponse(ownOrdersUrl)
  await page.goto('/dashboard/orders')
  const [first] = ((await (await answer).json()) as { data: { lines: object[] }[] }).data
  const lines = [{ ...first?.lines[0], name: 'Comb', price: 20, quantity: 3 }]
  const order = { ...first, lines, status: 'shipped', amount: 60, refunded: 15.5 }
  await page.route(ownOrdersUrl, (route) =>
    route.fulfill({ json: { data: [order] }, headers: { 'x-total-count': '1' } }),
  )
  await page.route('**/api/orders/order/*', (route) => route.fulfill({ json: { data: order } }))

  await page.goto('/dashboard/payments')
  await page.getByText('Total spent').locator('..').getByText('$44.50').waitFor()
  await page.getByText('after $15.50 in refunds').waitFor()
  await page.getByText('$15.50 refunded').waitFor()
  const sidebar = page.getByRole('navigation', { name: 'User dashboard' })
  await sidebar.getByRole('link', { name: 'Orders' }).click()
  await page.getByText('3 × Comb').waitFor()
  await page.getByRole('link', { name: /View order/ }).click()

  await page.getByRole('heading', { name: 'Payment shipped' }).waitFor()
  const main = page.getByRole('main')
  await main.getByText('3 × $20.00').waitFor()
  assert.equal(await main.getByText('$60.00', { exact: true }).count(), 2, 'the line and the total')
  await main.getByText('Refunded').locator('..').getByText('$15.50').waitFor()
  await main.getByText('Status', { exact: true }).locator('..').getByText('shipped').waitFor()
  const steps = main.getByRole('list', { name: 'Order progress' }).getByRole('listitem')
  assert.deepEqual(
    await steps.evaluateAll((all) =>
      all.map((step) => [
        step.querySelector('p')?.textContent,
        step.ariaCurrent,
        step.textContent.includes('Done.'),
      ]),
    ),
    [
      ['Pending', null, true],
      ['Processing', null, true],
      ['Shipped', 'step', false],
      ['Completed', null, false],
    ],
  )
  await leave()
})

test('a printed order breaks only between its lines and has no empty last page', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer, savesData: true })
  const answer = page.waitForResponse(ownOrdersUrl)
  await page.goto('/dashboard/orders')
  const [first] = ((await (await answer).json()) as { data: { orderId: string; lines: object[] }[] }).data
  const lines = Array.from({ length: 8 }, (_, n) => ({ ...first?.lines[0], productId: `${n}` }))
  const order = { ...first, lines, shippingAddress: null }
  await page.route('**/api/orders/order/*', (route) => route.fulfill({ json: { data: order } }))
  await page.getByRole('link', { name: `View order ${first?.orderId}` }).click()
  await page.getByRole('heading', { name: 'What you bought' }).waitFor()
  await page.emulateMedia({ media: 'print' })
  const breaks = (selector: string) =>
    page.locator(`main ${selector}`).evaluateAll((all) => [
      ...new Set(
        all.map((element) => {
          const { breakAfter, breakInside } = getComputedStyle(element)
          return `${breakAfter} after, ${breakInside} inside`
        }),
      ),
    ])
  assert.deepEqual(await breaks(':is(h1, h2, h3)'), ['avoid after, auto inside'])
  assert.deepEqual(await breaks('li'), ['auto after, avoid inside'])
  // A third page would be empty.
  const sheets = (await page.pdf({ format: 'Letter' })).toString('latin1').match(/\/Type \/Page\b/g)
  assert.equal(sheets?.length, 2)
  await leave()
})

test('a printed product page shows no buttons', async () => {
  const { page, leave } = await newCustomer(browser, shop.url)
  await openProduct(page, 0)
  const buttons = page.getByRole('main').getByRole('button').filter({ visible: true })
  assert.deepEqual(await buttons.allInnerTexts(), ['Add to Cart', 'Add A Comment'])
  await page.emulateMedia({ media: 'print' })
  assert.deepEqual(await buttons.allInnerTexts(), [])
  await leave()
})

test('the pager puts the page into the URL and requests it, and row numbers continue from the page before', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { as: demoCustomer })
  for (const [path, call] of [
    ['orders', ownOrdersUrl],
    ['reviews', /\/api\/reviews\//],
  ] as const) {
    const first = page.waitForResponse(call)
    await page.goto(`/dashboard/${path}`)
    const json = (await (await first).json()) as object
    await page.route(call, (route) => route.fulfill({ json, headers: { 'x-total-count': '500' } }))
    await page.reload()
    const asked = page.waitForRequest((request) => call.test(request.url()) && /page=2\b/.test(request.url()))
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.waitForURL(`**/dashboard/${path}?page=2`)
    await (await asked).response()
    const second = page.getByRole('button', { name: '2', exact: true })
    await second.and(page.locator('[aria-current=page]')).waitFor()
    if (path === 'orders') await page.getByRole('cell', { name: '11', exact: true }).waitFor()
  }
  await leave()
})

test('each page shows an error for a failed request or missing data, and trying again keeps the focus in place', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    as: demoCustomer,
    allowed: /ERR_FAILED|Failed to load resource|TypeError/,
  })
  for (const [path, call, text] of [
    ['', '**/api/stats/user-stats/**', 'Failed to fetch data'],
    ['', ownOrdersUrl, 'Something went wrong! Failed to Fetch Your Orders!'],
    ['/orders', ownOrdersUrl, 'Something went wrong! Failed to Fetch Your Orders!'],
    ['/payments', ownOrdersUrl, 'Failed to show payments!'],
    ['/reviews', '**/api/reviews/**', 'Failed to show payments!'],
  ] as const) {
    await page.route(call, (route) => route.fulfill({ json: { data: null } }))
    await page.goto(`/dashboard${path}`)
    await page.getByRole('alert').getByText(text).waitFor()
    await page.unroute(call)
    await page.route(call, (route) => route.abort())
    await page.goto(`/dashboard${path}`)
    await page.getByRole('alert').getByText(text).waitFor()
    const again = page.getByRole('button', { name: 'Try again' })
    const failing = page.waitForRequest(call)
    await again.press('Enter')
    await (await failing).response()
    // The button disappears for a while and loses the focus: the keyboard continues from there.
    await page.waitForFunction(() => document.activeElement?.parentElement?.closest('main'))
    await again.waitFor()
    await page.keyboard.press('Tab')
    assert.ok(await again.evaluate((button) => button === document.activeElement), path)
    await page.unroute(call)
    await again.press('Enter')
    await page.getByText(text).waitFor({ state: 'hidden' })
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.waitForFunction(() => document.activeElement?.parentElement?.closest('main'))
  }
  await leave()
})

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
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/auth/users')) asked.push(request.url())
  })
  await page.goto('/dashboard/users')
  await page.getByText('Access denied! You must be an admin').waitFor()
  assert.deepEqual(asked, [])
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
  assert.equal(await page.evaluate(() => localStorage.getItem('user')), null)
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
  assert.equal(await page.evaluate(() => localStorage.getItem('user')), null)
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

/** One pixel. */
const tinyPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
