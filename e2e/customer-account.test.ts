import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { demoCustomer } from '#shop/platform/config.ts'
import {
  desktop,
  holdRequests,
  logIn,
  newCustomer,
  openHydrated,
  phone,
  storedUser,
  submitWithoutButton,
} from './browser.ts'
import { openShop } from './open-shop.ts'
import { adminHeaders } from './shop-calls.ts'

const { shop, browser } = await openShop()

async function openProduct(page: Page, position: number): Promise<string> {
  await page.goto('/shop')
  await page.getByRole('main').getByRole('article').nth(position).getByRole('link').first().click()
  await page.waitForURL('**/shop/*')
  await page.getByRole('button', { name: 'Add A Comment' }).waitFor()
  return page.url()
}

const idIn = (user: string | null) => (JSON.parse(user ?? '') as { _id: string })._id

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

test('all five stars fit into the review dialog on a phone, even at twice the font size', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { ...phone, as: demoCustomer })
  await openProduct(page, 2)
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  await page.getByRole('button', { name: 'Add A Comment' }).click()
  const review = page.getByRole('dialog', { name: 'Post a Review' })
  const last = await review.getByRole('radio', { name: '5 stars' }).boundingBox()
  const comment = await review.getByLabel('Comment').boundingBox()
  assert.ok(last && comment)
  assert.ok(last.x + last.width < comment.x + comment.width + 1)
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

/** One pixel. */
const tinyPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
