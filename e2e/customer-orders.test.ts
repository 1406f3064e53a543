import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoCustomer } from '#shop/platform/config.ts'
import { desktop, newCustomer, waitForText } from './browser.ts'
import { openShop } from './open-shop.ts'

const { shop, browser } = await openShop()

const ownOrdersUrl = /\/api\/orders\/[^/]+(@|%40)/

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

test('the statuses of payments stand below each other, however long the amounts are', async () => {
  const { page, leave } = await newCustomer(browser, shop.url, { ...desktop, as: demoCustomer })
  await page.route(ownOrdersUrl, async (route) => {
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: { amount: number }[] }
    const json = { data: data.map((payment, index) => ({ ...payment, amount: index === 0 ? 9 : 2400 })) }
    await route.fulfill({ response: answer, json })
  })
  await page.goto('/dashboard/payments')
  await waitForText(page, '$9.00')
  const statuses = page.getByRole('main').getByRole('listitem').getByText('Status:')
  const lefts = await statuses.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
  assert.ok(lefts.length > 1)
  assert.equal(new Set(lefts).size, 1)
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
    const secondPage = page.waitForRequest(
      (request) => call.test(request.url()) && /page=2\b/.test(request.url()),
    )
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.waitForURL(`**/dashboard/${path}?page=2`)
    await (await secondPage).response()
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
