import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eq, like } from 'drizzle-orm'
import type { Order, PaymentBreak } from '#shop/orders/contract.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeBreak, makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, signal } from '#shop/testing/payments.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { windowOf } from '#shop/platform/page-window.ts'
import { insertCheckout } from './checkouts.ts'
import { checkouts, orderLines, orders, orderStatusChanges, paymentBreaks } from './tables.ts'

type Problem = { title: string; code: string }
type Caller = Awaited<ReturnType<typeof makeUser>>
type Orders = { data: Order[] }

let shop: TestApp
let admin: Caller
let customer: Caller
before(async () => {
  shop = await startTestApp()
  admin = await makeUser(shop.database.db, { role: 'admin', username: 'Boss' })
  customer = await makeUser(shop.database.db)
})
after(() => shop.close())

const get = <T>(url: string, headers: Record<string, string> = {}) => shop.call<T & Problem>({ url, headers })
const setStatus = (id: string, payload: object, headers: Record<string, string> = admin.headers) =>
  shop.call<{ data: Order; message: string } & Problem>({
    method: 'PATCH',
    url: `/api/orders/update-order-status/${id}`,
    payload,
    headers,
  })
const remove = (id: string, headers: Record<string, string> = admin.headers) =>
  shop.call<{ data: object; message: string } & Problem>({
    method: 'DELETE',
    url: `/api/orders/delete-order/${id}`,
    headers,
  })
const rowOf = async (id: string) => (await shop.database.db.select().from(orders).where(eq(orders.id, id)))[0]
const changesOf = (id: string) =>
  shop.database.db.select().from(orderStatusChanges).where(eq(orderStatusChanges.orderId, id))
const ids = ({ body }: { body: Orders }) => body.data.map(({ _id }) => _id)

describe('a user’s orders', () => {
  const ordersOf = (email: string, headers: Record<string, string> = {}, query = '') =>
    get<Orders>(`/api/orders/${encodeURIComponent(email)}${query}`, headers)

  test('are those placed while signed in, newest first with lines, and only the user and admins see them', async () => {
    const { db } = shop.database
    const { user, headers } = await makeUser(db)
    const older = await makeOrder(db, { userId: user.id, createdAt: new Date('2026-01-01') })
    const newer = await makeOrder(db, { userId: user.id, email: 'typed-otherwise@example.com' })
    await makeOrder(db, { userId: user.id, deletedAt: new Date() })
    await makeOrder(db, { userId: customer.user.id })
    await makeOrder(db, { email: user.email })
    assert.equal((await ordersOf(user.email)).status, 401)
    assert.equal((await ordersOf(user.email, customer.headers)).status, 403)
    assert.equal((await ordersOf('unknown@example.com', customer.headers)).status, 403)
    assert.equal((await ordersOf('unknown@example.com', admin.headers)).status, 404)
    assert.equal((await ordersOf('a\u0000b', admin.headers)).status, 404)
    for (const [email, who] of [
      [user.email, headers],
      [` ${user.email.toUpperCase()}`, headers],
      [user.email, admin.headers],
    ] as const) {
      const answer = await ordersOf(email, who)
      assert.equal(answer.headers['x-total-count'], '2')
      assert.deepEqual(ids(answer), [newer.id, older.id])
      assert.equal(answer.body.data[0]?.lines[0]?.price, 25)
    }
    assert.deepEqual(ids(await ordersOf(user.email, headers, '?page=2&limit=1')), [older.id])
  })

  test('do not include what a guest bought with the same e-mail', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
    await submitCard(session.url)
    assert.equal((await confirm(shop, session.id)).status, 200)
    const later = await makeUser(db, { email: 'guest@example.com' })
    assert.deepEqual(ids(await ordersOf('guest@example.com', later.headers)), [])
  })
})

describe('all orders', () => {
  const list = (query = '', headers: Record<string, string> = admin.headers) =>
    get<Orders>(`/api/orders/${query}`, headers)

  test('are listed for admins only, in pages, by status and by the beginning of an id or e-mail', async () => {
    const { db } = shop.database
    assert.equal((await list('', {})).status, 401)
    assert.equal((await list('?page=x', customer.headers)).status, 403)
    const made = []
    for (const [email, status] of [
      ['Find_Me@example.com', 'shipped'],
      ['findXme@example.com', 'pending'],
    ] as const) {
      made.push(await makeOrder(db, { email, status }))
    }
    const [first, second] = made.map(({ id }) => id)
    const gone = await makeOrder(db, { email: 'find_me@example.com', deletedAt: new Date() })
    assert.deepEqual(ids(await list('?limit=2')), [second, first])
    assert.deepEqual(ids(await list('?search=FIND')), [second, first])
    assert.deepEqual(ids(await list('?search=find_')), [first])
    assert.deepEqual(ids(await list('?search=find&status=pending')), [second])
    assert.deepEqual(ids(await list('?search=find%25')), [])
    assert.deepEqual(ids(await list(`?search=${made[0]?.paymentId.slice(0, 15)}`)), [first])
    assert.deepEqual(ids(await list(`?search=${second}`)), [second])
    assert.deepEqual(ids(await list(`?search=${gone.paymentId}`)), [])
    for (const bad of ['?status=paid', '?page=0', '?limit=101', '?search=%00']) {
      assert.equal((await list(bad)).status, 400, bad)
    }
  })

  test('have correct totals for every status, and each is on exactly one page', async () => {
    const rows = (await shop.database.db.select().from(orders)).filter(({ deletedAt }) => !deletedAt)
    for (const status of ['all', '', ...orderStatuses]) {
      const expected = rows.filter((row) => ['all', '', row.status].includes(status)).length
      for (const page of [1, 999]) {
        const answer = await list(`?status=${status}&page=${page}&limit=3`)
        assert.equal(answer.headers['x-total-count'], `${expected}`, status)
        assert.equal(answer.body.data.length, page === 1 ? Math.min(3, expected) : 0)
      }
    }
    const seen = []
    for (let page = 1; page <= Math.ceil(rows.length / 3); page += 1)
      seen.push(...ids(await list(`?page=${page}&limit=3`)))
    const newestFirst = ids(await list('?limit=100'))
    assert.deepEqual(seen, newestFirst)
    assert.deepEqual(seen.toSorted(), rows.map(({ id }) => id).toSorted())
  })
})

test('a page is counted from the nearer end of the list, and every row is on exactly one page', () => {
  for (const [total, limit] of [
    [0, 3],
    [1, 3],
    [3, 3],
    [7, 3],
    [12, 4],
    [100, 100],
  ] as const) {
    const list = Array.from({ length: total }, (_, index) => index)
    const pages = Array.from({ length: Math.ceil(total / limit) + 2 }, (_, index) => {
      const { isFromEnd, offset, limit: count } = windowOf({ page: index + 1, limit, total })
      assert.ok(offset <= total / 2)
      const walked = isFromEnd ? list.toReversed() : list
      const found = walked.slice(offset, offset + count)
      return isFromEnd ? found.toReversed() : found
    })
    assert.deepEqual(pages.flat(), list)
    assert.ok(
      pages.every((page, index) => page.length === Math.max(0, Math.min(limit, total - index * limit))),
    )
  }
})

describe('update-order-status', () => {
  test('sets the status, advances updatedAt, and records the admin in a history that only admins see', async () => {
    const order = await makeOrder(shop.database.db)
    let last = order.updatedAt.getTime()
    const wanted = ['completed', 'pending', 'pending', 'shipped'] as const
    for (const status of wanted) {
      const { status: code, body } = await setStatus(order.paymentId, { status, amount: 1, userId: 'x' })
      assert.equal(code, 200)
      assert.equal(body.message, 'Updated order status')
      assert.equal(body.data.status, status)
      assert.ok(Date.parse(body.data.updatedAt) > last)
      last = Date.parse(body.data.updatedAt)
    }
    const row = await rowOf(order.id)
    assert.deepEqual(row, { ...order, status: 'shipped', updatedAt: row?.updatedAt })
    const { body } = await get<{ data: Order }>(`/api/orders/order/${order.id}`, admin.headers)
    const steps = body.data.history?.map(({ from, to, by }) => [from, to, by._id, by.username])
    assert.deepEqual(steps, [
      ['pending', 'completed', admin.user.id, 'Boss'],
      ['completed', 'pending', admin.user.id, 'Boss'],
      ['pending', 'shipped', admin.user.id, 'Boss'],
    ])
    for (const headers of [{}, customer.headers]) {
      const seen = await get<{ data: Order }>(`/api/orders/order/${order.id}`, headers)
      assert.equal('history' in seen.body.data, false)
    }
  })

  test('is refused to customers and visitors, for unknown statuses and for unknown orders', async () => {
    const order = await makeOrder(shop.database.db, { userId: customer.user.id })
    assert.equal((await setStatus(order.id, { status: 'shipped' }, {})).status, 401)
    assert.equal((await setStatus(order.id, { status: 'shipped' }, customer.headers)).status, 403)
    for (const status of ['paid', '', null, 1, ['shipped'], 'SHIPPED']) {
      assert.equal((await setStatus(order.id, { status })).status, 400, String(status))
    }
    assert.equal((await setStatus('unknown', { status: 'shipped' })).status, 404)
    assert.deepEqual(await rowOf(order.id), order)
    assert.deepEqual(await changesOf(order.id), [])
  })

  test('accepts one of many concurrent changes with the same If-Match; the others get a 412 with the new order', async () => {
    const order = await makeOrder(shop.database.db)
    const seen = { ...admin.headers, 'if-match': `"${order.updatedAt.toISOString()}"` }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        setStatus(order.id, { status: orderStatuses[(index % 3) + 1] }, seen),
      ),
    )
    const winner = answers.find(({ status }) => status === 200)
    const losers = answers.filter(({ status, body }) => status === 412 && body.code === 'stale')
    assert.equal(losers.length, 11)
    for (const { body } of losers) assert.deepEqual(body.data, winner?.body.data)
    assert.equal((await changesOf(order.id)).length, 1)
  })

  test('keeps an unbroken history up to the current status under concurrent changes without If-Match', async () => {
    const order = await makeOrder(shop.database.db)
    await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const { updatedAt } = order
        return setStatus(order.id, { status: orderStatuses[index % 4], ...(index % 2 && { updatedAt }) })
      }),
    )
    const { data } = (await get<{ data: Order }>(`/api/orders/order/${order.id}`, admin.headers)).body
    const end = (data.history ?? []).reduce((current, { from, to }) => {
      assert.equal(from, current)
      return to
    }, order.status)
    assert.equal(end, data.status)
  })
})

describe('delete-order', () => {
  test('hides the order but keeps its row and lines, and repeated webhook events do not restore it', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    const owner = await makeUser(db)
    const session = await openSession(shop, [{ _id: product.id, quantity: 2 }], owner.headers)
    await submitCard(session.url)
    const { orderId } = (await confirm(shop, session.id)).body.data
    assert.equal((await remove(orderId, {})).status, 401)
    assert.equal((await remove(orderId, owner.headers)).status, 403)
    assert.equal((await get(`/api/orders/order/${orderId}`)).status, 200)
    const { status, body } = await remove(orderId)
    assert.equal(status, 200)
    assert.ok(body.message.includes(orderId))
    assert.equal((await remove(orderId)).status, 404)
    assert.equal((await setStatus(orderId, { status: 'shipped' })).status, 404)
    assert.equal((await get(`/api/orders/order/${orderId}`, admin.headers)).status, 404)
    await signal(shop, 'checkout.session.completed', { id: session.id, object: 'checkout.session' })
    assert.equal((await confirm(shop, session.id)).status, 410)
    const [row, ...more] = await db.select().from(orders).where(eq(orders.sessionId, session.id))
    assert.ok(row?.deletedAt && more.length === 0)
    assert.equal((await db.select().from(orderLines).where(eq(orderLines.orderId, row.id))).length, 1)
    const theirs = await get<Orders>(`/api/orders/${owner.user.email}`, owner.headers)
    assert.deepEqual(theirs.body.data, [])
  })

  test('succeeds for one of twenty concurrent requests; the others get a 404', async () => {
    const order = await makeOrder(shop.database.db)
    const answers = await Promise.all(Array.from({ length: 20 }, () => remove(order.id)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 404).length, 19)
  })
})

test('an order is found by the longest ids that the provider may give', async () => {
  const [paymentId, sessionId] = [`pi_${'a'.repeat(252)}`, `cs_test_${'a'.repeat(247)}`]
  const { id } = await makeOrder(shop.database.db, { paymentId, sessionId })
  assert.equal((await confirm(shop, sessionId)).body.data.orderId, paymentId)
  assert.equal((await get<{ data: Order }>(`/api/orders/order/${paymentId}`)).body.data._id, id)
  assert.deepEqual(ids(await get<Orders>(`/api/orders/?search=${paymentId}`, admin.headers)), [id])
  assert.equal((await setStatus(paymentId, { status: 'processing' })).status, 200)
})

describe('payment breaks', () => {
  const breaks = (headers: Record<string, string>, query = '') =>
    get<{ data: PaymentBreak[] }>(`/api/orders/breaks${query}`, headers)
  const close = (sessionId: string, headers: Record<string, string> = admin.headers) =>
    shop.call<{ data: { closedAt: string } } & Problem>({
      method: 'POST',
      url: `/api/orders/breaks/${sessionId}/close`,
      headers,
    })
  const rowOf = async (sessionId: string) =>
    (await shop.database.db.select().from(paymentBreaks).where(eq(paymentBreaks.sessionId, sessionId)))[0]

  test('are shown to admins, newest first', async () => {
    const older = await makeBreak(shop.database.db, { createdAt: new Date('2026-01-01') })
    const newer = await makeBreak(shop.database.db)
    assert.equal((await breaks({})).status, 401)
    assert.equal((await breaks(customer.headers)).status, 403)
    const { body, headers } = await breaks(admin.headers)
    assert.equal(headers['x-total-count'], '2')
    assert.deepEqual(
      body.data.map(({ sessionId }) => sessionId),
      [newer, older],
    )
    const createdAt = '2026-01-01T00:00:00.000Z'
    const difference = { reason: 'amount', recorded: '100', reported: '1' }
    assert.deepEqual(body.data[1], { ...difference, createdAt, sessionId: older, checkoutId: null })
    const oldest = await makeBreak(shop.database.db, { createdAt: new Date('2025-01-01') })
    const { body: rest } = await breaks(admin.headers, '?page=2&limit=2')
    assert.deepEqual(
      rest.data.map(({ sessionId }) => sessionId),
      [oldest],
    )
    for (const each of [older, newer, oldest]) await close(each)
  })

  test('leave the list when an admin closes them, and record the first admin who did so', async () => {
    const { db } = shop.database
    const [settled, open] = [await makeBreak(db), await makeBreak(db)]
    const { body } = await close(settled)
    const row = await rowOf(settled)
    assert.equal(row?.closedAt?.toISOString(), body.data.closedAt)
    assert.deepEqual([row?.closedById, row?.closedByName], [admin.user.id, 'Boss'])
    const left = await breaks(admin.headers)
    assert.equal(left.headers['x-total-count'], '1')
    assert.deepEqual(
      left.body.data.map(({ sessionId }) => sessionId),
      [open],
    )
    // It is closed already: a second admin changes nothing.
    const other = await makeUser(db, { role: 'admin', username: 'Deputy' })
    assert.deepEqual((await close(settled, other.headers)).body.data, body.data)
    assert.equal((await rowOf(settled))?.closedByName, 'Boss')
    // Once the money was given back, nothing is left to close.
    const givenBack = await makeBreak(db, { givenBackAt: new Date() })
    for (const id of ['cs_test_never', givenBack]) assert.equal((await close(id)).status, 404)
    assert.equal((await close(open, customer.headers)).status, 403)
    assert.equal((await rowOf(open))?.closedAt, null)
    await close(open)
  })

  test('stay closed when webhook events repeat, and the same cart and key can be paid for in a new session', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    const payload = { products: [{ _id: product.id, quantity: 1 }] }
    const checkOut = async () =>
      shop.call<{ id: string; url: string }>({
        method: 'POST',
        url: '/api/orders/create-checkout-session',
        payload,
        headers: { 'idempotency-key': `again-${product.id}` },
      })
    const { id, url } = (await checkOut()).body
    await submitCard(url)
    await db.update(checkouts).set({ amountCents: 1 }).where(eq(checkouts.sessionId, id))
    assert.equal((await confirm(shop, id)).status, 409)
    await close(id)
    assert.equal((await signal(shop, 'checkout.session.completed', { id })).status, 200)
    assert.equal((await confirm(shop, id)).status, 409)
    // Even if the payment now matches: the goods have gone out by hand, or the money back.
    await db.update(checkouts).set({ amountCents: product.priceCents }).where(eq(checkouts.sessionId, id))
    assert.equal((await confirm(shop, id)).status, 409)
    assert.equal((await rowOf(id))?.closedByName, 'Boss')
    assert.equal(
      (await breaks(admin.headers)).body.data.filter(({ sessionId }) => sessionId === id).length,
      0,
    )
    const again = await checkOut()
    assert.notEqual(again.body.id, id)
    await submitCard(again.body.url)
    assert.equal((await confirm(shop, again.body.id)).status, 200)
  })
})

describe('a deleted user', () => {
  const removeUser = (id: string) =>
    shop.call({ method: 'DELETE', url: `/api/auth/users/${id}`, headers: admin.headers })

  test('leaves orders behind that are unchanged except for the user id', async () => {
    const { user } = await makeUser(shop.database.db)
    const order = await makeOrder(shop.database.db, { userId: user.id, email: 'kept@example.com' })
    assert.equal((await removeUser(user.id)).status, 200)
    assert.deepEqual(await rowOf(order.id), { ...order, userId: null })
  })

  test('leaves no checkout with the user id, even if some are being opened at the same moment', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    for (let round = 0; round < 10; round += 1) {
      const { user, headers } = await makeUser(db)
      const payload = { products: [{ _id: product.id, quantity: 1 }] }
      const url = '/api/orders/create-checkout-session'
      const answers = await Promise.all([
        ...[1, 2, 3].map(() => shop.call<unknown>({ method: 'POST', url, payload, headers })),
        removeUser(user.id),
      ])
      assert.ok(
        answers.every(({ status }) => status === 201 || status === 200),
        JSON.stringify(answers),
      )
      const left = await db.select().from(checkouts).where(eq(checkouts.userId, user.id))
      assert.deepEqual(left, [])
    }
  })

  test('leaves one order without a user id if a payment is confirmed at the same moment', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    for (let round = 0; round < 10; round += 1) {
      const { user, headers } = await makeUser(db)
      const session = await openSession(shop, [{ _id: product.id, quantity: 1 }], headers)
      await submitCard(session.url)
      const [removed, confirmed] = await Promise.all([removeUser(user.id), confirm(shop, session.id)])
      assert.deepEqual([removed.status, confirmed.status], [200, 200])
      const [row, ...more] = await db.select().from(orders).where(eq(orders.sessionId, session.id))
      assert.ok(row && more.length === 0)
      assert.equal(row.userId, null)
      const checkout = (await db.select().from(checkouts).where(eq(checkouts.sessionId, session.id)))[0]
      assert.deepEqual([checkout?.userId, checkout?.state], [null, 'paid'])
    }
  })

  test('whose deletion has to wait does not deadlock with a checkout that is asked for twice', async () => {
    const { db, pool } = shop.database
    const { user } = await makeUser(db)
    const row = { userId: user.id, lines: [], amountCents: 500, currency: 'usd', returnTo: '/', shipTo: [] }
    const insert = (id: string) => insertCheckout(db, { ...row, id, requestKey: user.id, requestHash: '' })
    await insert(`${user.id}-1`)
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select from users where id = $1 for key share', [user.id])
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const countWaiting = async () => (await pool.query(waiting)).rowCount ?? 0
    const removing = removeUser(user.id)
    await until(async () => (await countWaiting()) === 1)
    const second = insert(`${user.id}-2`)
    await Promise.race([second, until(async () => (await countWaiting()) === 2)])
    await client.query('commit')
    client.release()
    assert.equal((await removing).status, 200)
    assert.equal(await second, undefined)
  })

  test('is removed from 20,001 checkouts in statements of at most 10,000 rows each', async (t) => {
    const { db, pool } = shop.database
    const { user } = await makeUser(db)
    await pool.query(
      `insert into checkouts (id, user_id, lines, amount_cents, currency, state, return_to, expires_at)
      select 'many-' || n, $1, '[]', 500, 'usd', 'expired', '/', now() from generate_series(1, 20001) as n`,
      [user.id],
    )
    await pool.query(`
      create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from changed) > 10000 then raise query_canceled; end if;
        return null;
      end
      $$;
      create trigger refuse_many after update on checkouts
        referencing new table as changed for each statement execute function refuse_many()`)
    t.after(() => pool.query('drop function refuse_many cascade'))
    assert.equal((await removeUser(user.id)).status, 200)
    assert.deepEqual(await db.select().from(checkouts).where(eq(checkouts.userId, user.id)), [])
    assert.equal(await db.$count(checkouts, like(checkouts.id, 'many-%')), 20_001)
  })
})
