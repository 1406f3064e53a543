import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { demoAdmin } from '#shop/platform/config.ts'
import { maxPictureBytes } from '#shop/uploads/picture-limits.ts'
import {
  desktop,
  holdRequests,
  logIn,
  newCustomer,
  openHydrated,
  phone,
  stopTimers,
  submitWithoutButton,
  waitForPaint,
} from './browser.ts'
import { dataOf, openAdminShop, rowOf, type Json } from './open-admin-shop.ts'
import { buy } from './shop-calls.ts'
import { inDatabase } from './shop-database.ts'

const { shop, browser, newAdmin, change, register } = await openAdminShop()

const idOf = (link: string | null) => link?.split('/').at(-1) ?? ''

/** Opens the form of a list's first product; returns the product's id. */
async function editFirst(page: Page, list: string): Promise<string> {
  await page.goto(`/dashboard/manage-products?${list}`)
  await page.getByRole('link', { name: 'Edit' }).first().click()
  await page.waitForURL('**/dashboard/update-product/*')
  return idOf(page.url())
}

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
  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
  const uploading = await holdRequests(page, /uploadImage/)
  await page.locator('input[type=file]').setInputFiles('demo/pictures/aluminum-beard-comb.webp')
  await uploading.requested
  const add = page.getByRole('button', { name: 'Add product' })
  await add.and(page.locator('[aria-busy=true]')).waitFor()
  await name.press('Enter')
  await submitWithoutButton(name)
  uploading.release()
  await page.getByText('Uploaded image successfully!').waitFor()
  assert.ok(
    !requestedPaths.some((path) => path.endsWith('create-product')),
    'nothing is added without its picture',
  )
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

test('a file that is too large or not a picture is refused; pasted and dropped pictures are accepted', async () => {
  const { page, leave, calls } = await newAdmin(/415|Error uploading image/)
  await stopTimers(page, 5000)
  // The demo's own, which have pictures.
  const { products } = (await dataOf(calls, '/api/products/trending')) as { products: Json[] }
  await page.goto('/dashboard/add-product')
  const notes = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('only text') }
  await page.locator('input[type=file]').setInputFiles(notes)
  await page.getByText('Failed to upload image, please try again!').waitFor()
  const main = page.getByRole('group', { name: 'Image', exact: true })
  await main.getByText('Only JPEG, PNG, WebP and AVIF pictures can be uploaded.').waitFor()
  // It is not even sent.
  const large = { ...notes, buffer: Buffer.alloc(maxPictureBytes + 1) }
  await page.locator('input[type=file]').setInputFiles(large)
  await main.getByText('A picture may be at most 8 MiB.').waitFor()
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

test('a picture that was replaced while it was read is not sent, and one being sent is given up with the page', async () => {
  const { page, leave } = await newAdmin()
  await stopTimers(page, 5000)
  await page.addInitScript(() => {
    const { readAsDataURL } = FileReader.prototype
    FileReader.prototype.readAsDataURL = function (file) {
      FileReader.prototype.readAsDataURL = readAsDataURL
      const finishReading = () =>
        new Promise((finished) => {
          this.addEventListener('load', finished)
          readAsDataURL.call(this, file)
        })
      Object.assign(window, { finishReading })
    }
  })
  await page.goto('/dashboard/add-product')
  const main = page.getByRole('group', { name: 'Image', exact: true })
  const choose = (name: string) =>
    main.locator('input[type=file]').setInputFiles(`demo/pictures/${name}.webp`)
  await choose('aluminum-beard-comb')
  await choose('black-gym-duffel')
  await page.getByText('Uploaded image successfully!').waitFor()
  let sent = 0
  await page.route('**/uploadImage', () => void (sent += 1))
  await page.evaluate('finishReading().then(() => undefined)')
  await waitForPaint(page)
  assert.equal(sent, 0)
  const sending = page.waitForRequest('**/uploadImage')
  await choose('black-silk-bow-tie')
  await sending
  const givenUp = page.waitForEvent('requestfailed')
  await page.getByRole('link', { name: 'Manage Items' }).first().click()
  assert.match((await givenUp).url(), /uploadImage/)
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

test('an unsaved draft is hidden from the next admin in the same browser and restored for its author', async () => {
  const { page, leave, calls } = await newAdmin()
  const next = { username: 'Next', email: 'next.admin@example.com', password: 'bodkin and thimble' }
  const nextId = await register(calls, next)
  await change(calls, 'PUT', `/api/auth/users/${nextId}`, { role: 'admin' })

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
  await change(calls, 'DELETE', `/api/auth/users/${nextId}`)
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
  const made = {
    name: 'Striped Boating Blazer',
    category: 'formal dress',
    color: 'blue',
    price: 89,
    description: 'For the river.',
  }
  const added = await calls.post('/api/products/create-product', {
    data: made,
    headers: { origin: shop.url },
  })
  assert.equal(added.status(), 201)
  // The newest products are bought, and so this one.
  const orderId = await buy(shop)
  await page.goto('/dashboard/manage-products?search=Striped+Boating+Blazer')
  const row = rowOf(page, made.name)
  const id = idOf(await row.getByRole('link', { name: made.name }).getAttribute('href'))
  const question = page.getByRole('alertdialog')
  await row.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('“Striped Boating Blazer” leaves the shop for good.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  await dataOf(calls, `/api/products/${id}`)

  await row.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Product deleted successfully!').waitFor()
  await row.waitFor({ state: 'hidden' })
  await page.locator('#list-count:focus').waitFor()
  assert.equal((await calls.get(`/api/products/${id}`)).status(), 404)
  await page.goto(`/dashboard/manage-orders?search=${orderId}`)
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByRole('dialog').getByText(made.name).waitFor()
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

test('reloading a page that is still loading keeps its scroll position', async () => {
  const { page, leave } = await newAdmin()
  // After three seconds the page would stop waiting for its content.
  await stopTimers(page, 3000)
  await page.setViewportSize(phone.viewport)
  await page.goto('/dashboard/manage-products')
  await page.getByRole('row').nth(5).waitFor()
  await page.evaluate(() => scrollTo(0, 1500))
  let sessionCheck = Promise.withResolvers<Route>()
  await page.route('**/api/auth/me', (route) => sessionCheck.resolve(route))
  await page.reload()
  await sessionCheck.promise
  // As far down as a page can scroll that has no content yet.
  await page.waitForFunction(() => scrollY > 0 || document.documentElement.scrollHeight <= innerHeight)
  sessionCheck = Promise.withResolvers<Route>()
  await page.reload()
  await (await sessionCheck.promise).continue()
  await page.waitForFunction(() => Math.abs(scrollY - 1500) < 3)
  await leave()
})
