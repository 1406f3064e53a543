import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import { demoAdmin } from '#shop/platform/config.ts'
import { holdRequests, newCustomer, openHydrated, phone, waitForPaint } from './browser.ts'
import { countPending, dataOf, openAdminShop, rowOf } from './open-admin-shop.ts'
import { buy, confirm, openSession, pay } from './shop-calls.ts'
import { inDatabase } from './shop-database.ts'

const { shop, browser, newAdmin, change, register } = await openAdminShop()

test('an admin views, edits and deletes an order, and is told when another admin has changed it', async () => {
  const { page, leave, calls } = await newAdmin(/412|404/)
  const orderId = await buy(shop)
  await page.goto('/dashboard/manage-orders')
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Pending' }).click()
  await page.waitForURL('**?status=pending')
  const row = rowOf(page, orderId)
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
  // Another one stays pending.
  const [orderId] = [await buy(shop), await buy(shop)]
  const waiting = await countPending(calls)
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
  await change(calls, 'DELETE', `/api/orders/delete-order/${orderId}`)
  await returnToTab(page)
  await link.getByText(new RegExp(`^${waiting - 1} `)).waitFor()
  await orders.getByText(String(before - 1), { exact: true }).waitFor()
  await leave()
})

test('a late response does not close a dialog that was opened in the meantime', async () => {
  const { page, leave } = await newAdmin()
  const [deleted, edited] = [await buy(shop), await buy(shop)]
  await page.goto('/dashboard/manage-orders')
  const deleting = await holdRequests(page, /delete-order/)
  await rowOf(page, deleted).getByRole('button', { name: 'Delete' }).click()
  const yes = page.getByRole('alertdialog').getByRole('button', { name: 'Delete' })
  await yes.click()
  await deleting.requested
  assert.equal(await yes.getAttribute('aria-busy'), 'true')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await rowOf(page, edited).getByRole('button', { name: 'Edit' }).click()
  const status = page.getByRole('dialog').getByLabel('Status')
  await status.selectOption('shipped')
  const listed = page.waitForResponse(/api\/orders\/\?/)
  deleting.release()
  await page.getByText(`Order ${deleted} was deleted`).waitFor()
  await listed
  // If the page went a step back in the history, it would have done so by now.
  await waitForPaint(page)
  assert.equal(await status.inputValue(), 'shipped')
  await leave()
})

async function expectRefusalWithoutReload(page: Page, save: string, why: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  const requestedPaths: string[] = []
  const listen = (request: Request) => {
    // The shop's own list is read ahead, for an admin who leaves the dashboard.
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && /^\/api\/(?!products)/.test(pathname)) requestedPaths.push(pathname)
  }
  page.on('request', listen)
  await dialog.getByRole('button', { name: save }).click()
  await dialog.getByRole('alert').getByText(why).waitFor()
  await waitForPaint(page)
  page.off('request', listen)
  assert.deepEqual(requestedPaths, [])
}

test('the reason for a refused change stays in its dialog, and the list reloads only after closing it', async () => {
  const { page, leave, calls } = await newAdmin(/412|404|Error updating/)
  const person = { username: 'leaving', email: 'leaving@b.example', password: 'a-password-of-nine' }
  const userId = await register(calls, person)
  const [taken, deleted] = [await buy(shop), await buy(shop)]
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
      () => change(calls, 'DELETE', `/api/orders/delete-order/${deleted}`),
      'Somebody else has deleted it',
      'Cancel',
      'No orders found',
    ],
    [
      'users?search=leaving@b.example',
      'Role',
      'admin',
      () => change(calls, 'DELETE', `/api/auth/users/${userId}`),
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

test('a status or role chosen while offline stays selected and can be saved once online again', async () => {
  const { page, leave, calls } = await newAdmin(/ERR_INTERNET_DISCONNECTED|Error updating/)
  const dialog = page.getByRole('dialog')
  const saveWithKeys = async () => {
    // A refusal can be read a moment before the button can be pressed again.
    await dialog.getByRole('button', { name: 'Save' }).and(page.locator(':not([aria-busy])')).focus()
    await page.keyboard.press('Enter')
  }
  const person = { username: 'Ilya', email: 'ilya@haberdash.example', password: 'plum-teapot-9' }
  const personId = await register(calls, person)
  for (const [address, label, choice, refused, saved] of [
    [
      `manage-orders?search=${await buy(shop)}`,
      'Status',
      'shipped',
      'The status was not changed.',
      'Updated order status',
    ],
    [
      `users?search=${encodeURIComponent(person.email)}`,
      'Role',
      'admin',
      'The role was not changed.',
      'User role updated successfully!',
    ],
  ] as const) {
    await page.goto(`/dashboard/${address}`)
    await page.getByRole('button', { name: 'Edit' }).click()
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
  // Another test needs the last admin.
  await change(calls, 'DELETE', `/api/auth/users/${personId}`)
  await leave()
})

test('on a phone with wider letter spacing, the names of an order’s facts stay in one piece', async () => {
  const { page, leave } = await newAdmin(undefined, phone)
  await page.goto('/dashboard/manage-orders')
  await page.evaluate(() => (document.documentElement.style.letterSpacing = '0.12em'))
  const linesOf = (facts: Locator) =>
    facts.getByText('Customer', { exact: true }).evaluate((word) => {
      const range = document.createRange()
      range.selectNodeContents(word)
      return range.getClientRects().length
    })
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'View' }) })
  await row.first().waitFor()
  assert.equal(await linesOf(row.first()), 1)
  await row.first().getByRole('button', { name: 'View' }).click()
  assert.equal(await linesOf(page.getByRole('dialog', { name: 'Order' })), 1)
  await leave()
})

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

const breakOf = (page: Page, sessionId: string) =>
  page
    .getByRole('region', { name: /needs? a look$/ })
    .getByRole('listitem')
    .filter({ hasText: `Session ${sessionId}` })

test('a payment of a different amount is listed until an admin marks it as settled', async () => {
  const { page, leave } = await newAdmin(/ERR_FAILED|Error settling a payment/)
  const listed = page.waitForResponse('**/api/orders/breaks?**')
  await page.goto('/dashboard/manage-orders')
  await listed
  const id = await makePaymentBreak()
  await returnToTab(page)
  const payment = breakOf(page, id)
  await payment.getByText('A different amount was paid: $1.00 recorded').waitFor()
  await payment.getByRole('button', { name: 'Mark as settled' }).click()
  const dialog = page.getByRole('dialog')
  // The request fails: the dialog stays open and says so.
  await page.route(/\/api\/orders\/breaks/, (route) => route.abort())
  await dialog.getByRole('button', { name: 'Mark as settled' }).click()
  await dialog.getByRole('alert').getByText('The payment was not marked as settled.').waitFor()
  await page.unroute(/\/api\/orders\/breaks/)
  await dialog.getByRole('button', { name: 'Mark as settled' }).click()
  await page.getByText('The payment is marked as settled').waitFor()
  await payment.waitFor({ state: 'hidden' })
  await page.goto('/dashboard/admin')
  await page.getByText('Total Earning').waitFor()
  assert.equal(await payment.count(), 0)
  const closed = await inDatabase(shop, (client) =>
    client.query('select closed_by_name from payment_breaks where session_id = $1', [id]),
  )
  assert.deepEqual(closed.rows, [{ closed_by_name: 'Ruth Calloway' }])
  await leave()
})

test('the reason why a payment could not be marked as settled stays until its dialog is closed', async () => {
  const { page, leave } = await newAdmin(/404|Error settling a payment/)
  const id = await makePaymentBreak()
  await page.goto('/dashboard/manage-orders')
  const payment = breakOf(page, id)
  await payment.getByRole('button', { name: 'Mark as settled' }).click()
  // The shop does the same when the provider corrects its report.
  await inDatabase(shop, (client) => client.query('delete from payment_breaks where session_id = $1', [id]))
  await expectRefusalWithoutReload(page, 'Mark as settled', 'The payment was not marked as settled.')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await payment.waitFor({ state: 'hidden' })
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
  const otherId = await register(calls, other)
  for (const [button, role, confirm] of [
    ['Edit', 'dialog', 'Save'],
    ['Delete', 'alertdialog', 'Delete'],
  ] as const) {
    await change(calls, 'PUT', `/api/auth/users/${otherId}`, { role: 'admin' })
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
