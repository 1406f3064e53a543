import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { APIRequestContext, BrowserContextOptions, Locator, Page, Request, Route } from 'playwright-core'
import { demoAdmin } from '#shop/platform/config.ts'
import { checkAccessibility } from './accessibility.ts'
import {
  type Account,
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
import { confirm, openSession, pay } from './shop-calls.ts'
import { inDatabase } from './shop-database.ts'

const { shop, browser } = await openShop()

/** The admin in a browser of their own, and a client with the same session that sees what the page really did. */
async function newAdmin(allowed?: RegExp, options: BrowserContextOptions = {}) {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...options,
    ...(allowed && { allowed }),
    as: demoAdmin,
  })
  return { page, leave, calls: page.context().request }
}

async function logIn(page: Page, { email, password }: Account): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').first().fill(password)
  await page
    .getByRole('main')
    .getByRole('button', { name: /log ?in/i })
    .click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}

type Json = Record<string, unknown>

async function dataOf(calls: APIRequestContext, path: string): Promise<Json> {
  const answer = await calls.get(path)
  assert.equal(answer.status(), 200, path)
  // The cast holds: every successful response of the shop has its result in `data`.
  return ((await answer.json()) as { data: Json }).data
}

/** Makes a change as another admin would at the same moment. */
async function change(
  calls: APIRequestContext,
  method: 'PATCH' | 'PUT',
  path: string,
  data: Json,
): Promise<void> {
  const answer = await calls.fetch(path, { method, data, headers: { origin: shop.url } })
  assert.equal(answer.status(), 200, path)
}

const idOf = (link: string | null) => link?.split('/').at(-1) ?? ''
/** Opens the form of a list's first product; returns the product's id. */
async function editFirst(page: Page, list: string): Promise<string> {
  await page.goto(`/dashboard/manage-products?${list}`)
  await page.getByRole('link', { name: 'Edit' }).first().click()
  await page.waitForURL('**/dashboard/update-product/*')
  return idOf(page.url())
}

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })

/** Runs in the page: does what a browser does when somebody pastes a picture or drops one. */
async function pasteOrDropFile([kind, image]: readonly [string, string]): Promise<void> {
  const bytes = await (await fetch(image)).blob()
  const data = new DataTransfer()
  data.items.add(new File([bytes], 'given.webp', { type: 'image/webp' }))
  const common = { bubbles: true, cancelable: true }
  const event =
    kind === 'paste'
      ? new ClipboardEvent('paste', { ...common, clipboardData: data })
      : new DragEvent('drop', { ...common, dataTransfer: data })
  document.body.dispatchEvent(event)
}

async function fillProduct(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Category').selectOption('grooming')
  await page.getByLabel('Color').selectOption('silver')
  await page.getByLabel('Price', { exact: true }).fill('19.90')
  await page.getByLabel('Old price').fill('25')
  await page.getByLabel('Description').fill('A comb for the pocket.')
}

test('the dashboard shows the shop’s totals, links to pending orders and offers its charts as tables', async () => {
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
  const pending = await calls.get('/api/orders/?status=pending&limit=1')
  const waiting = Number(pending.headers()['x-total-count'])
  assert.ok(waiting > 1)
  await page.getByRole('link', { name: `${waiting} orders are pending` }).click()
  await page.getByText(`Showing 1 to ${waiting} of ${waiting} orders`).waitFor()
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

test('an admin corrects invalid fields and adds a product with pictures, which the shop then shows', async () => {
  const { page, leave, calls } = await newAdmin(/400|Error adding product/)
  // After five seconds a message would disappear before it is dismissed.
  await stopTimers(page, 5000)
  await page.goto('/dashboard/add-product')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Please fill in all fields.').waitFor()
  assert.equal(await page.locator('[aria-invalid]').count(), 5)

  await fillProduct(page, 'Horn Pocket Comb')
  const price = page.getByLabel('Price', { exact: true })
  await price.fill('19.905')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Price must be an amount of dollars with at most two decimals').waitFor()
  assert.equal(await price.evaluate((field) => field === document.activeElement), true)
  await page.getByText('The product was not added. Please check the marked fields.').waitFor()
  await price.fill('19.90')
  await price.hover()
  const before = await page.evaluate(() => scrollY)
  await page.mouse.wheel(0, 300)
  await page.waitForFunction((from) => scrollY > from, before)
  assert.equal(await price.inputValue(), '19.90', 'scrolling past it changes nothing')
  assert.equal(await price.getAttribute('aria-invalid'), null, 'what is being put right is no longer wrong')
  const name = page.getByLabel('Name')
  await name.fill('')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Name is required').waitFor()
  assert.equal(await price.getAttribute('aria-invalid'), null, 'nor is it when another is')
  // Nothing is cut off: what is pasted stays, and the admin is told.
  await name.fill('x'.repeat(121))
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Name must have at most 120 characters').waitFor()
  assert.equal((await name.inputValue()).length, 121)
  await name.fill('Horn Pocket Comb')
  const oldPrice = page.getByLabel('Old price')
  await oldPrice.fill('')
  await oldPrice.pressSequentially('4e')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Old price must be a number').waitFor()
  await oldPrice.fill('25')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const uploading = await holdRequests(page, /uploadImage/)
  await page.locator('input[type=file]').setInputFiles('demo/pictures/aluminum-beard-comb.webp')
  await uploading.requested
  const add = page.getByRole('button', { name: 'Add product' })
  await add.and(page.locator('[aria-busy=true]')).waitFor()
  await name.press('Enter')
  await submitWithoutButton(name)
  uploading.release()
  await page.getByText('Uploaded image successfully!').waitFor()
  assert.ok(!asked.some((path) => path.endsWith('create-product')), 'nothing is added without its picture')
  await page.unroute(/uploadImage/)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  const further = page.getByRole('group', { name: 'More pictures' })
  const choosing = page.waitForEvent('filechooser')
  await further.getByRole('button', { name: 'Add files' }).click()
  const names = ['aluminum-beard-comb', 'black-gym-duffel', 'black-silk-bow-tie']
  await (await choosing).setFiles(names.map((name) => `demo/pictures/${name}.webp`))
  await page.getByText('Uploaded image successfully!').waitFor()
  await further.getByRole('button', { name: 'Remove picture 2' }).click()
  assert.equal(await further.getByRole('listitem').count(), 2)
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Product added successfully!').waitFor()
  await page.waitForURL('**/dashboard/manage-products')

  const link = rowOf(page, 'Horn Pocket Comb').getByRole('link', { name: 'Horn Pocket Comb' })
  const id = idOf(await link.getAttribute('href'))
  const product = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.deepEqual(
    [product.category, product.color, product.price, product.oldPrice, product.description],
    ['grooming', 'silver', 19.9, 25, 'A comb for the pocket.'],
  )
  const pictures = [product.image, ...(product.views as string[])].map(String)
  assert.equal(new Set(pictures).size, 2, 'the first of both is one file')
  for (const picture of pictures) assert.match(picture, /^\/uploads\/[0-9a-f]{40}\.webp$/)
  assert.equal(pictures.length, 3)
  await link.click()
  await page.getByRole('heading', { level: 1, name: 'Horn Pocket Comb' }).waitFor()

  // The new product is the first in the shop, but the home page keeps the demo's products.
  await page.goto('/')
  const cards = page.getByRole('region', { name: 'Trending Products' }).getByRole('article')
  await cards.nth(6).waitFor()
  assert.equal(await cards.count(), 7)
  assert.equal(await cards.filter({ hasText: 'Horn Pocket Comb' }).count(), 0)
  await leave()
})

test('a refused picture is named, even after a cancel, and does not hold up the other uploads', async () => {
  const { page, leave } = await newAdmin(/415|Error uploading image/)
  await page.goto('/dashboard/add-product')
  const further = page.getByRole('group', { name: 'More pictures' })
  const choose = async (...files: { name: string; mimeType: string; buffer: Buffer }[]) => {
    const choosing = page.waitForEvent('filechooser')
    await further.getByRole('button', { name: 'Add files' }).click()
    await (await choosing).setFiles(files)
  }
  const file = async (name: string) => ({
    name: `${name}.webp`,
    mimeType: 'image/webp',
    buffer: await readFile(`demo/pictures/${name}.webp`),
  })
  const broken = { name: 'broken.webp', mimeType: 'image/webp', buffer: Buffer.from('only text') }
  const held = await holdRequests(page, '**/uploadImage')
  await choose(await file('aluminum-beard-comb'), broken, await file('black-gym-duffel'))
  await further.getByRole('listitem').waitFor()
  await choose(await file('black-silk-bow-tie'))
  held.release()
  await page.getByText('Failed to upload image, please try again!').waitFor()
  await further.getByText(/^broken\.webp: Only JPEG/).waitFor()
  assert.equal(await further.getByRole('listitem').count(), 3)
  // The refusal must also stay when the other uploads are canceled.
  await page.reload()
  await page.unroute('**/uploadImage')
  await page.route('**/uploadImage', () => undefined)
  await choose({ ...broken, name: 'notes.txt', mimeType: 'text/plain' }, await file('black-gym-duffel'))
  await further.getByRole('button', { name: 'Cancel' }).click()
  await further.getByText(/^notes\.txt: /).waitFor()
  await leave()
})

test('a file that is not a picture is refused; pasted and dropped pictures are accepted', async () => {
  const { page, leave, calls } = await newAdmin(/415|Error uploading image/)
  await stopTimers(page, 5000)
  const { products } = (await dataOf(calls, '/api/products/?limit=1')) as { products: Json[] }
  await page.goto('/dashboard/add-product')
  const notes = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('only text') }
  await page.locator('input[type=file]').setInputFiles(notes)
  await page.getByText('Failed to upload image, please try again!').waitFor()
  const main = page.getByRole('group', { name: 'Image', exact: true })
  await main.getByText('Only JPEG, PNG, WebP and AVIF pictures can be uploaded.').waitFor()
  const address = page.getByLabel('Image URL')
  assert.equal(await address.getAttribute('aria-invalid'), null)
  for (const kind of ['paste', 'drop']) {
    await page.evaluate(pasteOrDropFile, [kind, String(products[0]?.image)] as const)
    await page.getByText('Uploaded image successfully!').waitFor()
    assert.match(await address.inputValue(), /^\/uploads\//)
    await page.getByRole('button', { name: 'Remove picture' }).click()
    assert.equal(await address.inputValue(), '')
    await page.getByRole('button', { name: 'Dismiss' }).click()
  }
  await leave()
})

test('an admin updates a product; a concurrent change by another admin is shown, not overwritten', async () => {
  const { page, leave, calls } = await newAdmin(/412|Error updating product/)
  const id = await editFirst(page, 'sort=price')
  const category = page.getByLabel('Category')
  const before = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.equal(await category.inputValue(), before.category)
  const offered = await category.getByRole('option').allInnerTexts()
  for (const name of ['accessories', 'dress', 'jewellery', 'cosmetics', 'formal dress', 'grooming']) {
    assert.ok(offered.includes(name), name)
  }

  await page.getByLabel('Price', { exact: true }).fill('31.50')
  await change(calls, 'PATCH', `/api/products/update-product/${id}`, { name: 'Renamed Meanwhile' })
  await page.getByRole('button', { name: 'Update product' }).click()
  await page
    .getByRole('heading', { name: 'Somebody else has changed this product in the meantime' })
    .waitFor()
  await page.getByText('Renamed Meanwhile').waitFor()
  const between = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.equal(between.price, before.price)

  await page.getByRole('button', { name: 'Edit the current version' }).click()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Renamed Meanwhile')
  await page.getByLabel('Price', { exact: true }).fill('31.50')
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  await page.waitForURL('**/dashboard/manage-products?sort=price')
  const after = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.deepEqual([after.name, after.price], ['Renamed Meanwhile', 31.5])
  // A category that is no longer offered stays with a product that has it.
  await inDatabase(shop, (client) =>
    client.query("update products set category = 'umbrellas' where id = $1", [id]),
  )
  await page.goto(`/dashboard/update-product/${id}`)
  assert.equal(await category.inputValue(), 'umbrellas')
  await leave()
})

test('“Save my version” saves the form’s current values and keeps the other admin’s other changes', async () => {
  const { page, leave, calls } = await newAdmin(/412|Error updating product/)
  const id = await editFirst(page, 'search=Charcoal')
  await page.getByLabel('Name').fill('Charcoal of Mine')
  const theirs = { name: 'Charcoal of Theirs', price: 77.25 }
  await change(calls, 'PATCH', `/api/products/update-product/${id}`, theirs)
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('Charcoal of Theirs').waitFor()
  await page.getByText('$77.25').waitFor()
  await page.getByText('Stays like this: you have not changed it.').waitFor()
  await page.getByLabel('Name').fill('Charcoal, Thought Over')
  await page.getByRole('button', { name: 'Save my version' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  const product = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.deepEqual([product.name, product.price], ['Charcoal, Thought Over', 77.25])
  await leave()
})

test('a draft survives a reload after another admin’s save and does not undo that admin’s change', async () => {
  const { page, leave, calls } = await newAdmin(/412|Error updating product/)
  const id = await editFirst(page, 'search=Rust')
  const form = page.locator('form#product')
  const notice = form.getByText('What you typed earlier is still here, but not saved yet.')
  const path = `/api/products/update-product/${id}`
  await form.getByLabel('Name').fill('Rust of Mine')
  await change(calls, 'PATCH', path, { price: 66.25 })
  await page.reload()
  await notice.waitFor()
  assert.equal(await form.getByLabel('Name').inputValue(), 'Rust of Mine')
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('The product was not updated. Somebody else has changed it in the meantime.').waitFor()
  await page.getByText('$66.25').waitFor()
  await page.reload()
  await notice.waitFor()
  await form.getByRole('button', { name: 'Start over' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.equal(await form.getByLabel('Price', { exact: true }).inputValue(), '66.25')
  assert.notEqual(await form.getByLabel('Name').inputValue(), 'Rust of Mine')

  await form.getByLabel('Name').fill('Rust, Once More')
  await change(calls, 'PATCH', path, { price: 67.25 })
  await page.reload()
  await notice.waitFor()
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByRole('button', { name: 'Save my version' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  const product = (await dataOf(calls, `/api/products/${id}`)).product as Json
  assert.deepEqual([product.name, product.price], ['Rust, Once More', 67.25])
  await leave()
})

test('saving a product again while the product list is loading is not reported as a conflict', async () => {
  const { page, leave, calls } = await newAdmin()
  const { products } = (await dataOf(calls, '/api/products/?limit=1')) as { products: Json[] }
  const held = await holdRequests(page, /manage-products-page/)
  await page.goto(`/dashboard/update-product/${String(products[0]?._id)}`)
  const update = page.getByRole('button', { name: 'Update product' })
  for (const text of ['Once.', 'Twice.']) {
    await page.getByLabel('Description').fill(text)
    const answer = page.waitForResponse('**/update-product/*')
    await update.click()
    assert.equal((await answer).status(), 200)
  }
  held.release()
  await page.getByRole('heading', { level: 1, name: 'Manage products' }).waitFor()
  const saved = (await dataOf(calls, `/api/products/${String(products[0]?._id)}`)).product as Json
  assert.equal(saved.description, 'Twice.')
  await leave()
})

test('reloading a page that is still loading keeps its scroll position', async () => {
  const { page, leave } = await newAdmin()
  // After three seconds the page would stop waiting for its content.
  await stopTimers(page, 3000)
  await page.setViewportSize(phone.viewport)
  await page.goto('/dashboard/manage-products')
  await page.getByRole('row').nth(5).waitFor()
  await page.evaluate(() => scrollTo(0, 1500))
  let asked = Promise.withResolvers<Route>()
  await page.route('**/api/auth/me', (route) => asked.resolve(route))
  await page.reload()
  await asked.promise
  // As far down as a page can scroll that has no content yet.
  await page.waitForFunction(() => scrollY > 0 || document.documentElement.scrollHeight <= innerHeight)
  asked = Promise.withResolvers<Route>()
  await page.reload()
  await (await asked.promise).continue()
  await page.waitForFunction(() => Math.abs(scrollY - 1500) < 3)
  await leave()
})

test('retrying after a lost response adds a product only once; an identical product can be added later', async () => {
  const { page, leave, calls } = await newAdmin(/Failed to load resource|Error adding product|409/)
  await page.goto('/dashboard/add-product')
  await fillProduct(page, 'Twice Sent Comb')
  await page.getByLabel('Price', { exact: true }).fill('9')
  await page.route(
    '**/create-product',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 2 },
  )
  const add = page.getByRole('button', { name: 'Add product' })
  const refusal = page.locator('form').getByText('The product was not added.')
  for (let time = 0; time < 2; time += 1) {
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/create-product'))
    await add.click()
    await lost
    await refusal.waitFor()
  }
  // What was typed is restored with the page.
  await page.reload()
  await add.click()
  await page.getByText('Product added successfully!').waitFor()
  const named = async () => (await dataOf(calls, '/api/products/?search=Twice+Sent')).totalProducts
  assert.equal(await named(), 1)
  await page.goto('/dashboard/add-product')
  await fillProduct(page, 'Twice Sent Comb')
  await page.getByLabel('Price', { exact: true }).fill('9')
  await add.click()
  await page.getByText('Product added successfully!').waitFor()
  assert.equal(await named(), 2)
  // An admin who deletes the product that was unexpectedly there can add it again.
  await page.goto('/dashboard/add-product')
  await fillProduct(page, 'Once Removed Comb')
  await page.getByLabel('Price', { exact: true }).fill('9')
  const created = Promise.withResolvers<string>()
  await page.route(
    '**/create-product',
    async (route) => {
      const { data } = (await (await route.fetch()).json()) as { data: { _id: string } }
      await route.abort()
      created.resolve(data._id)
    },
    { times: 1 },
  )
  await add.click()
  await refusal.waitFor()
  assert.equal((await calls.delete(`/api/products/${await created.promise}`)).status(), 200)
  await add.click()
  await page.getByText('Product added successfully!').waitFor()
  await leave()
})

test('unsaved product edits are restored until they are saved or discarded', async () => {
  const { page, leave } = await newAdmin()
  const form = page.locator('form#product')
  const name = form.getByLabel('Name')
  const notice = form.getByText('What you typed earlier is still here, but not saved yet.')
  await page.goto('/dashboard/add-product')
  await name.fill('Half a Comb')
  await form.getByLabel('Color').selectOption('gold')
  await page.getByRole('link', { name: 'Manage Items' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Manage products' }).waitFor()
  await page.goBack()
  await notice.waitFor()
  await page.reload()
  await notice.waitFor()
  assert.deepEqual(
    [await name.inputValue(), await form.getByLabel('Color').inputValue()],
    ['Half a Comb', 'gold'],
  )
  await form.getByRole('button', { name: 'Start over' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.equal(await name.inputValue(), '')

  const edit = page.getByRole('link', { name: 'Edit' }).first()
  await page.goto('/dashboard/manage-products')
  await edit.click()
  const before = await name.inputValue()
  await name.fill(`${before} Two`)
  await page.goBack()
  await edit.click()
  await notice.waitFor()
  assert.equal(await name.inputValue(), `${before} Two`)
  await form.getByRole('link', { name: 'Cancel' }).click()
  await edit.click()
  await form.waitFor()
  assert.equal(await name.inputValue(), before)
  assert.equal(await notice.count(), 0)
  await name.fill(`${before} Three`)
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  await edit.click()
  await form.waitFor()
  assert.equal(await name.inputValue(), `${before} Three`)
  assert.equal(await notice.count(), 0)
  await leave()
})

test('neither a double click on Delete nor pressing Enter twice confirms the deletion', async () => {
  const { page, leave } = await newAdmin()
  await page.goto('/dashboard/manage-products')
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.method()))
  const press = async (button: Locator, clickCount: number) => {
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {}
    await page.mouse.move(x + 10, y + 10)
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  const question = page.getByRole('alertdialog')
  await press(page.getByRole('button', { name: 'Delete' }).first(), 1)
  await question.waitFor()
  // Wherever the button is: on some screens it appears under the pointer.
  await press(question.getByRole('button', { name: 'Delete' }), 2)
  await press(question.getByRole('button', { name: 'Cancel' }), 1)
  await question.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Delete' }).first().press('Enter')
  await question.locator(':focus').waitFor()
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'hidden' })
  assert.deepEqual(
    calls.filter((method) => method === 'DELETE'),
    [],
  )
  await leave()
})

test('a product is deleted after one confirmation and stays in existing orders', async () => {
  const { page, leave, calls } = await newAdmin(/404/)
  await page.goto('/dashboard/manage-products?search=Navy+Hopsack+Blazer')
  const row = rowOf(page, 'Navy Hopsack Blazer')
  const id = idOf(await row.getByRole('link', { name: 'Navy Hopsack Blazer' }).getAttribute('href'))
  const question = page.getByRole('alertdialog')
  await row.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('“Navy Hopsack Blazer” leaves the shop for good.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  await dataOf(calls, `/api/products/${id}`)

  await row.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Product deleted successfully!').waitFor()
  await row.waitFor({ state: 'hidden' })
  await page.locator('#list-count:focus').waitFor()
  assert.equal((await calls.get(`/api/products/${id}`)).status(), 404)
  await page.goto('/dashboard/manage-orders')
  await page.getByRole('button', { name: 'View' }).first().click()
  await page.getByRole('dialog').getByText('Navy Hopsack Blazer').waitFor()
  await leave()
})

const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

test('search, sort order and page of the product list are kept in the URL, and after a product is edited', async () => {
  const { page, leave } = await newAdmin()
  await page.goto('/dashboard/manage-products')
  await page.getByText(/^Showing 1 to 12 of \d+ products$/).waitFor()
  await page.getByRole('columnheader', { name: 'Price' }).getByRole('link').click()
  await page.waitForURL('**?sort=price')
  const sorted = page.getByRole('columnheader', { name: 'Price' }).and(page.locator('[aria-sort=ascending]'))
  // The previous list is still there for a moment, and its buttons disappear with it.
  await sorted.waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(/^Showing 13 to 24 of \d+ products$/).waitFor()
  await page.reload()
  await page.getByText(/^Showing 13 to 24 of \d+ products$/).waitFor()
  await sorted.waitFor()
  assert.match((await sorted.getByRole('link').getAttribute('href')) ?? '', /\?sort=-price$/)

  await page.getByLabel('Search products').fill('linen')
  await page.getByRole('search').getByRole('button', { name: 'Search' }).click()
  await page.waitForURL('**?sort=price&search=linen')
  await page.getByText(/^Showing 1 to \d+ of \d+ products$/).waitFor()
  await page.goto('/dashboard/manage-products?page=2&sort=price')
  const list = page.url()
  const edit = page.getByRole('link', { name: 'Edit' }).first()
  await edit.click()
  await page.getByLabel('Description').fill('As good as before.')
  await page.reload()
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  await page.getByText(/^Showing 13 to 24 of \d+ products$/).waitFor()
  assert.deepEqual(parametersOf(page.url()), parametersOf(list))
  await edit.click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByText(/^Showing 13 to 24 of \d+ products$/).waitFor()
  assert.deepEqual(parametersOf(page.url()), parametersOf(list))

  await page.goto('/dashboard/manage-products?page=9999&sort=none')
  await page.waitForURL(/page=\d\b/)
  await page.getByText(/^Showing \d+ to (\d+) of \1 products$/).waitFor()
  await leave()
})

test('an admin views, edits and deletes an order, and is told when another admin has changed it', async () => {
  const { page, leave, calls } = await newAdmin(/412|404/)
  await page.goto('/dashboard/manage-orders')
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Pending' }).click()
  await page.waitForURL('**?status=pending')
  const row = page.getByRole('row').nth(1)
  await row.filter({ hasText: 'Pending' }).waitFor()
  const count = page.getByRole('heading', { level: 2, name: /^Showing 1 to/ })
  const before = await count.innerText()
  await row.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Status').selectOption('processing')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.waitForFunction(
    (text) => document.activeElement?.id === 'list-count' && document.activeElement.textContent !== text,
    before,
  )
  const orderId = (await row.getByRole('rowheader').locator('span').first().innerText()).trim()
  await page.goto(`/dashboard/manage-orders?search=${orderId}`)
  await page.getByText('Showing 1 to 1 of 1 orders').waitFor()
  const shipped = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Shipped' })
  assert.match((await shipped.getAttribute('href')) ?? '', new RegExp(`search=${orderId}&status=shipped$`))

  await row.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Status').waitFor()
  assert.equal(await dialog.getByLabel('Status').getByRole('option').count(), 4)
  await dialog.getByLabel('Status').selectOption('shipped')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Updated order status').waitFor()
  assert.equal((await dataOf(calls, `/api/orders/order/${orderId}`)).status, 'shipped')

  await rowOf(page, 'Shipped').getByRole('button', { name: 'Edit' }).click()
  assert.equal(await dialog.getByLabel('Status').inputValue(), 'shipped')
  await change(calls, 'PATCH', `/api/orders/update-order-status/${orderId}`, { status: 'processing' })
  await dialog.getByLabel('Status').selectOption('completed')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('processing').waitFor()
  assert.equal((await dataOf(calls, `/api/orders/order/${orderId}`)).status, 'processing')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await dataOf(calls, `/api/orders/order/${orderId}`)).status, 'completed')

  await inDatabase(shop, (client) =>
    client.query('update orders set refunded_cents = 1 where payment_id = $1', [orderId]),
  )
  const customer = await row.getByText(/@/).innerText()
  await row.getByRole('button', { name: 'View' }).click()
  await dialog.getByText('From processing to completed').waitFor()
  await dialog.getByText('$0.01', { exact: true }).waitFor()
  await dialog.getByText(customer, { exact: true }).waitFor()
  await dialog.getByText('The refund then shows here.').waitFor()
  await dialog.getByLabel('Status').selectOption('shipped')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Updated order status').waitFor()
  await rowOf(page, 'Shipped').waitFor()
  assert.equal((await dataOf(calls, `/api/orders/order/${orderId}`)).status, 'shipped')
  // The form begins with what somebody else has set between two looks at the order.
  await row.getByRole('button', { name: 'View' }).click()
  await dialog.getByText('From completed to shipped').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await change(calls, 'PATCH', `/api/orders/update-order-status/${orderId}`, { status: 'pending' })
  await row.getByRole('button', { name: 'View' }).click()
  await dialog.getByText('From shipped to pending').waitFor()
  assert.equal(await dialog.getByLabel('Status').inputValue(), 'pending')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('status').getByText(orderId).waitFor()
  await page.getByText('No orders found').waitFor()
  assert.equal((await calls.get(`/api/orders/order/${orderId}`)).status(), 404)
  await leave()
})

/** What the browser reports when somebody returns to the tab. */
const returnToTab = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')))

test('a dashboard and an order’s page that stayed open are up to date when somebody returns to them', async () => {
  const { page, leave, calls } = await newAdmin()
  const buy = async () => {
    const session = await openSession(shop)
    await pay(session.url)
    return ((await (await confirm(shop, session.id)).json()) as { data: { orderId: string } }).data
  }
  // Another one stays pending.
  const [{ orderId }] = [await buy(), await buy()]
  const pending = await calls.get('/api/orders/?status=pending&limit=1')
  const waiting = Number(pending.headers()['x-total-count'])
  await page.goto('/dashboard/admin')
  const link = page.getByRole('link', { name: /orders? (is|are) pending$/ })
  await link.getByText(new RegExp(`^${waiting} `)).waitFor()
  const orders = page
    .getByRole('term')
    .filter({ hasText: 'All Orders' })
    .locator('..')
    .getByRole('definition')
  const before = Number(await orders.innerText())
  const customer = await page.context().newPage()
  await openHydrated(customer, `/orders/${orderId}`)
  await customer.getByRole('heading', { level: 1, name: 'Payment pending' }).waitFor()

  await change(calls, 'PATCH', `/api/orders/update-order-status/${orderId}`, { status: 'shipped' })
  await returnToTab(customer)
  await customer.getByRole('heading', { level: 1, name: 'Payment shipped' }).waitFor()
  await customer.close()
  await calls.delete(`/api/orders/delete-order/${orderId}`, { headers: { origin: shop.url } })
  await returnToTab(page)
  await link.getByText(new RegExp(`^${waiting - 1} `)).waitFor()
  await orders.getByText(String(before - 1), { exact: true }).waitFor()
  await leave()
})

async function expectRefusalWithoutReload(page: Page, save: string, why: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  const asked: string[] = []
  const listen = (request: Request) => {
    // The shop's own list is read ahead, for an admin who leaves the dashboard.
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && /^\/api\/(?!products)/.test(pathname)) asked.push(pathname)
  }
  page.on('request', listen)
  await dialog.getByRole('button', { name: save }).click()
  await dialog.getByRole('alert').getByText(why).waitFor()
  await waitForPaint(page)
  page.off('request', listen)
  assert.deepEqual(asked, [])
}

test('the reason for a refused change stays in its dialog, and the list reloads only after closing it', async () => {
  const { page, leave, calls } = await newAdmin(/412|404|Error updating/)
  const order = async () => {
    const session = await openSession(shop)
    await pay(session.url)
    const answer = (await (await confirm(shop, session.id)).json()) as { data: { orderId: string } }
    return answer.data.orderId
  }
  const newUser = await calls.post('/api/auth/register', {
    data: { username: 'leaving', email: 'leaving@b.example', password: 'a-password-of-nine' },
    headers: { origin: shop.url },
  })
  const { _id: userId } = ((await newUser.json()) as { data: { _id: string } }).data
  const [taken, deleted] = [await order(), await order()]
  const dialog = page.getByRole('dialog')
  for (const [list, label, choice, elsewhere, why, leaveIt, gone] of [
    [
      `manage-orders?status=pending&search=${taken}`,
      'Status',
      'processing',
      () => change(calls, 'PATCH', `/api/orders/update-order-status/${taken}`, { status: 'completed' }),
      'completed',
      'Leave it completed',
      'No orders found',
    ],
    [
      `manage-orders?search=${deleted}`,
      'Status',
      'shipped',
      () => calls.delete(`/api/orders/delete-order/${deleted}`, { headers: { origin: shop.url } }),
      'Somebody else has deleted it',
      'Cancel',
      'No orders found',
    ],
    [
      'users?search=leaving@b.example',
      'Role',
      'admin',
      () => calls.delete(`/api/auth/users/${userId}`, { headers: { origin: shop.url } }),
      'Somebody else has deleted it',
      'Cancel',
      'Nobody found',
    ],
  ] as const) {
    await page.goto(`/dashboard/${list}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel(label).selectOption(choice)
    await elsewhere()
    await expectRefusalWithoutReload(page, 'Save', why)
    await dialog.getByRole('button', { name: leaveIt }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText(gone).waitFor()
  }
  await leave()
})

test('a late response does not close a dialog that was opened in the meantime', async () => {
  const { page, leave } = await newAdmin()
  await page.goto('/dashboard/manage-orders')
  const deleting = await holdRequests(page, /delete-order/)
  await page.getByRole('row').nth(2).getByRole('button', { name: 'Delete' }).click()
  const yes = page.getByRole('alertdialog').getByRole('button', { name: 'Delete' })
  await yes.click()
  await deleting.requested
  assert.equal(await yes.getAttribute('aria-busy'), 'true')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByRole('row').nth(1).getByRole('button', { name: 'Edit' }).click()
  const status = page.getByRole('dialog').getByLabel('Status')
  await status.selectOption('shipped')
  const listed = page.waitForResponse(/api\/orders\/\?/)
  deleting.release()
  await page.getByText(/^Order .* was deleted$/).waitFor()
  await listed
  // If the page went a step back in the history, it would have done so by now.
  await waitForPaint(page)
  assert.equal(await status.inputValue(), 'shipped')
  await leave()
})

test('an unsaved draft is hidden from the next admin in the same browser and restored for its author', async () => {
  const { page, leave, calls } = await newAdmin()
  const next = { username: 'Next', email: 'next.admin@example.com', password: 'bodkin and thimble' }
  const headers = { origin: shop.url }
  const reply = await calls.post('/api/auth/register', { data: next, headers })
  const { data } = (await reply.json()) as { data: { _id: string } }
  await change(calls, 'PUT', `/api/auth/users/${data._id}`, { role: 'admin' })

  const name = page.locator('form#product').getByLabel('Name')
  await page.goto('/dashboard/add-product')
  await name.fill('Half a Comb')
  const menu = page.getByRole('navigation', { name: 'Admin dashboard' })
  await menu.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL(`${shop.url}/`)
  await logIn(page, next)
  await page.goto('/dashboard/add-product')
  await name.waitFor()
  assert.equal(await name.inputValue(), '')
  await logIn(page, demoAdmin)
  await page.goto('/dashboard/add-product')
  await name.waitFor()
  assert.equal(await name.inputValue(), 'Half a Comb')
  assert.equal((await calls.delete(`/api/auth/users/${data._id}`, { headers })).status(), 200)
  await leave()
})

test('an admin promotes and deletes a user; the last admin cannot be deleted or demoted', async () => {
  const { page, leave, calls } = await newAdmin(/409|Error (updating|deleting) user/)
  // Pasted text may be enclosed in characters that change the text's direction.
  await page.goto('/dashboard/users?search=%E2%80%AAcustomer%40%E2%80%AC')
  const row = rowOf(page, 'customer@haberdash.example')
  const dialog = page.getByRole('dialog')
  await row.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await dialog.getByLabel('Email').getAttribute('readonly'), '')
  await dialog.getByLabel('Role').selectOption('admin')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('User role updated successfully!').waitFor()
  await row.getByText('admin', { exact: true }).waitFor()

  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('User deleted successfully!').waitFor()
  await page.getByText('Nobody found').waitFor()

  await page.goto(`/dashboard/users?search=${encodeURIComponent(demoAdmin.email)}`)
  const own = rowOf(page, demoAdmin.email)
  await own.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete your own account?' })
  await question.getByText(`${demoAdmin.email} will be logged out at once`).waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This is the last admin').waitFor()
  await own.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await dialog.getByLabel('Role').inputValue(), 'admin')
  await dialog.getByLabel('Role').selectOption('user')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('The role was not changed.').waitFor()
  assert.equal(await dialog.getByLabel('Role').inputValue(), 'user', 'what was chosen is still there')
  assert.equal((await dataOf(calls, '/api/auth/me')).role, 'admin')
  await leave()
})

test('an admin who gives up the admin role or deletes their own account is logged out', async () => {
  const { leave, calls } = await newAdmin()
  const other = { username: 'Leaves', email: 'leaves@haberdash.example', password: 'bodkin and thimble' }
  const reply = await calls.post('/api/auth/register', { data: other, headers: { origin: shop.url } })
  const { data } = (await reply.json()) as { data: { _id: string } }
  for (const [button, role, confirm] of [
    ['Edit', 'dialog', 'Save'],
    ['Delete', 'alertdialog', 'Delete'],
  ] as const) {
    await change(calls, 'PUT', `/api/auth/users/${data._id}`, { role: 'admin' })
    const own = await newCustomer(browser, shop.url, { as: other, allowed: /401.*\/api\/auth\/users\?/ })
    await own.page.goto(`/dashboard/users?search=${encodeURIComponent(other.email)}`)
    await own.page.getByRole('button', { name: button }).click()
    if (button === 'Edit') await own.page.getByLabel('Role').selectOption('user')
    await own.page.getByRole(role).getByRole('button', { name: confirm }).click()
    await own.page.waitForURL(`${shop.url}/`)
    await own.page.getByRole('banner').getByRole('link', { name: 'Log in' }).waitFor()
    await own.leave()
  }
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

test('a payment of a different amount is listed until an admin marks it as settled', async () => {
  const { page, leave } = await newAdmin(/ERR_FAILED|Error settling a payment/)
  const listed = page.waitForResponse('**/api/orders/breaks?**')
  await page.goto('/dashboard/manage-orders')
  await listed
  const id = await makePaymentBreak()
  await returnToTab(page)
  const section = page.getByRole('region', { name: '1 payment needs a look' })
  await section.getByText(`Session ${id}`).waitFor()
  await section.getByText('A different amount was paid: $1.00 recorded').waitFor()
  await section.getByRole('button', { name: 'Mark as settled' }).click()
  const dialog = page.getByRole('dialog')
  // The request fails: the dialog stays open and says so.
  await page.route(/\/api\/orders\/breaks/, (route) => route.abort())
  await dialog.getByRole('button', { name: 'Mark as settled' }).click()
  await dialog.getByRole('alert').getByText('The payment was not marked as settled.').waitFor()
  await page.unroute(/\/api\/orders\/breaks/)
  await dialog.getByRole('button', { name: 'Mark as settled' }).click()
  await page.getByText('The payment is marked as settled').waitFor()
  await section.waitFor({ state: 'hidden' })
  await page.goto('/dashboard/admin')
  await page.getByText('Total Earning').waitFor()
  assert.equal(await page.getByText('needs a look').count(), 0)
  const closed = await inDatabase(shop, (client) =>
    client.query('select closed_by_name from payment_breaks where session_id = $1', [id]),
  )
  assert.deepEqual(closed.rows, [{ closed_by_name: 'Ruth Calloway' }])
  await leave()
})

test('each payment break is explained, with advice on what to do', async () => {
  const { page, leave } = await newAdmin()
  const expected = [
    ['amount', 'A different amount was paid: $1.00 recorded, $2.00 reported', /^Refund it and .* or settle/],
    ['currency', 'It was paid in a different currency: 100 recorded, 200 reported', /^Refund it and ask/],
    ['payment', 'There was nothing to pay, or nothing to find the payment by', /^Check .* refund it there/],
    ['mode', 'It was paid in the wrong mode, test or live', /right key.* there is nothing to refund\.$/],
    ['reference', 'It was paid for another cart, or for none that is known', /ordered, and refund it\.$/],
    ['session', 'It was paid through a different session', /paid twice, and if so refund one of the two/],
    ['order', 'One cart was paid twice', /^The first payment has its order\. Refund this one\.$/],
    ['unheard of', 'It differs from what was recorded', /^Compare .* refund it if they do not match\.$/],
  ] as const
  const breaks = expected.map(([reason], index) => ({
    sessionId: `cs_test_${index}`,
    checkoutId: null,
    reason,
    recorded: '100',
    reported: '200',
    createdAt: new Date().toISOString(),
  }))
  await page.route('**/api/orders/breaks?**', (route) =>
    route.fulfill({ json: { data: breaks }, headers: { 'x-total-count': String(breaks.length) } }),
  )
  await page.goto('/dashboard/manage-orders')
  const payments = page.getByRole('region', { name: '8 payments need a look' }).getByRole('listitem')
  await payments.nth(7).waitFor()
  for (const [index, [, what, toDo]] of expected.entries()) {
    const [problem = '', advice = ''] = await payments.nth(index).locator('p').allInnerTexts()
    assert.ok(problem.startsWith(what), problem)
    assert.match(advice, toDo)
  }
  await leave()
})

test('the reason why a payment could not be marked as settled stays until its dialog is closed', async () => {
  const { page, leave } = await newAdmin(/404|Error settling a payment/)
  const id = await makePaymentBreak()
  await page.goto('/dashboard/manage-orders')
  const section = page.getByRole('region', { name: '1 payment needs a look' })
  await section.getByRole('button', { name: 'Mark as settled' }).click()
  // The shop does the same when the provider corrects its report.
  await inDatabase(shop, (client) => client.query('delete from payment_breaks where session_id = $1', [id]))
  await expectRefusalWithoutReload(page, 'Mark as settled', 'The payment was not marked as settled.')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await section.waitFor({ state: 'hidden' })
  await leave()
})

/** Makes a payment whose amount differs, so that it has no order; returns its session's id. */
async function makePaymentBreak(): Promise<string> {
  const { id, url } = await openSession(shop)
  await inDatabase(shop, (client) =>
    client.query('update checkouts set amount_cents = 100 where session_id = $1', [id]),
  )
  await pay(url)
  assert.equal((await confirm(shop, id)).status, 409)
  return id
}

test('a failed deletion is reported, leaves the row in place and can be retried', async () => {
  const { page, leave, calls } = await newAdmin(/ERR_FAILED|Error deleting (product|order|user)/)
  const data = { username: 'Goes Soon', email: 'goes@soon.example', password: 'long-enough-1' }
  assert.equal((await calls.post('/api/auth/register', { data })).status(), 201)
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

test('a product that an admin adds or changes appears in the shop immediately', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, {
    ...desktop,
    as: demoAdmin,
    savesData: true,
  })
  const main = page.getByRole('main')
  const menu = async (name: string) => {
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.locator('#account-menu').getByRole('link', { name }).click()
  }
  const goShopping = () =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Shop' }).click()
  await openHydrated(page, '/contact')
  await goShopping()
  await main.getByRole('article').first().waitFor()
  await menu('Add Product')
  await fillProduct(page, 'At Once Comb')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Product added successfully!').waitFor()
  await goShopping()
  await main.getByRole('link', { name: 'At Once Comb' }).click()
  const heading = page.getByRole('heading', { level: 1, name: 'At Once Comb' })
  await heading.waitFor()
  await main.getByText('$19.90', { exact: true }).waitFor()
  await menu('Manage Items')
  await rowOf(page, 'At Once Comb').getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Price', { exact: true }).fill('22.50')
  await page.getByRole('button', { name: 'Update product' }).click()
  await page.getByText('Product updated successfully!').waitFor()
  await rowOf(page, 'At Once Comb').getByRole('link', { name: 'At Once Comb' }).click()
  await heading.waitFor()
  await main.getByText('$22.50', { exact: true }).waitFor()
  await leave()
})

const views: [name: string, options: BrowserContextOptions][] = [
  ['on a desktop', desktop],
  ['on a phone in dark mode', { ...phone, colorScheme: 'dark' }],
]
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

test('on a phone no status filter is left alone on its line', async () => {
  const { page, leave } = await newAdmin(undefined, phone)
  await page.goto('/dashboard/manage-orders')
  const links = page.getByRole('navigation', { name: 'Status' }).getByRole('link')
  await links.nth(4).waitFor()
  await page.waitForSelector('.lettered')
  const tops = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top))
  for (const top of tops) assert.ok(tops.filter((each) => each === top).length > 1, tops.join())
  await leave()
})

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

test('admin pages are shown when the session check fails, which is sent at most twice per page', async () => {
  const { page, leave } = await newAdmin(/503/)
  let asked = 0
  await page.route('**/api/auth/me', (route) => {
    asked += 1
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' })
  })
  for (const path of ['admin', 'add-product', 'manage-products', 'users']) {
    asked = 0
    await page.goto(`/dashboard/${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    // A late request of this page must not be counted for the next one.
    await page.waitForLoadState('networkidle')
    assert.ok(asked > 0 && asked <= 2, `${path}: asked ${asked} times`)
  }
  await leave()
})

test('a status or role chosen while offline stays selected and can be saved once online again', async () => {
  const { page, leave } = await newAdmin(/ERR_INTERNET_DISCONNECTED|Error updating/)
  const dialog = page.getByRole('dialog')
  const saveWithKeys = async () => {
    // A refusal can be read a moment before the button can be pressed again.
    await dialog.getByRole('button', { name: 'Save' }).and(page.locator(':not([aria-busy])')).focus()
    await page.keyboard.press('Enter')
  }
  const person = { username: 'Ilya', email: 'ilya@haberdash.example', password: 'plum-teapot-9' }
  assert.equal((await page.request.post('/api/auth/register', { data: person })).status(), 201)
  for (const [address, label, choice, refused, saved] of [
    ['manage-orders', 'Status', 'shipped', 'The status was not changed.', 'Updated order status'],
    [
      `users?search=${encodeURIComponent(person.email)}`,
      'Role',
      'admin',
      'The role was not changed.',
      'User role updated successfully!',
    ],
  ] as const) {
    await page.goto(`/dashboard/${address}`)
    await page.getByRole('button', { name: 'Edit' }).first().click()
    await dialog.getByLabel(label).selectOption(choice)
    await page.context().setOffline(true)
    await saveWithKeys()
    await dialog.getByRole('alert').getByText(refused).waitFor()
    assert.equal(await dialog.getByLabel(label).inputValue(), choice)
    await page.context().setOffline(false)
    await saveWithKeys()
    await page.getByText(saved).waitFor()
    await dialog.waitFor({ state: 'hidden' })
  }
  await leave()
})
