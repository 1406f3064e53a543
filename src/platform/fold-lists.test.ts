import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { orderStatuses } from '#shop/orders/steps.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { fillShop } from '#shop/testing/fill.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { foldLists } from './fold-lists.ts'
import { recountIfReordered } from './letter-order.ts'

let shop: TestApp
let headers: Record<string, string>
before(async () => {
  shop = await startTestApp()
  headers = (await makeUser(shop.database.db, { role: 'admin' })).headers
  await fillShop(shop.database.connection, { products: 5, orders: 14_000, users: 10 }, () => {})
})
after(() => shop.close())

const limit = 100
const page = async (query: Record<string, string>) => {
  const answer = await shop.call<{ data: { _id: string }[] }>({ url: '/api/orders/', query, headers })
  return { ids: answer.body.data.map(({ _id }) => _id), total: Number(answer.headers['x-total-count']) }
}

/** Each page of each list of orders has what the whole list has there. */
async function compareLists(): Promise<void> {
  for (const status of [undefined, ...orderStatuses]) {
    const { rows } = await shop.database.pool.query<{ id: string }>(
      `select id from orders where deleted_at is null and status = coalesce($1, status) order by created_at desc, id`,
      [status],
    )
    const ids = rows.map(({ id }) => id)
    const last = Math.ceil(ids.length / limit)
    const some = [1, 11, 12, Math.ceil(last / 3), Math.ceil(last / 2), last - 12, last, last + 1]
    for (const number of some.filter((each) => each > 0)) {
      const query = { page: `${number}`, limit: `${limit}`, ...(status && { status }) }
      const expected = { ids: ids.slice((number - 1) * limit, number * limit), total: ids.length }
      assert.deepEqual(await page(query), expected, `${status ?? 'all'}, page ${number} of ${last}`)
    }
  }
}

/** A block counts the rows from its start to that of the next block. */
async function compareBlocks(): Promise<void> {
  const counted = await shop.database.pool.query(
    `select list, starts_at, starts_id, kind, rows from list_blocks where rows <> 0 order by 1, 2, 3, 4`,
  )
  const there = await shop.database.pool.query(`
    select list, starts_at, starts_id, kind, count(*) as rows
    from listed_rows cross join lateral (
      select starts_at, starts_id from list_blocks
      where list = listed_rows.list
        and (starts_at > listed_rows.created_at or starts_at = listed_rows.created_at and starts_id <= listed_rows.id)
      order by starts_at, starts_id desc limit 1
    ) as block
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`)
  assert.ok(counted.rows.length > 20)
  assert.deepEqual(counted.rows, there.rows)
}

test('pages at the start, in the middle and at the end of long order lists match the full list', compareLists)

test('pages and list blocks are right after many orders changed while the blocks were being counted', async () => {
  const { pool, connection } = shop.database
  const parts = Array.from({ length: 8 }, (_, n) => `id like '${n}%'`)
  const fold = () => foldLists(connection).catch(() => undefined)
  await Promise.all([
    pool.query(`update orders set created_at = '2025-03-31 23:59:59.9' where id > 'b'`),
    fold(),
    ...parts.map((some, n) =>
      pool.query(`update orders set status = '${orderStatuses[n % 4]}' where ${some}`),
    ),
    fold(),
  ])
  await compareLists()
  await Promise.all([
    ...parts.map((some) => pool.query(`update orders set deleted_at = now() where ${some} and id like '%7'`)),
    fold(),
    pool.query(`update orders set deleted_at = null where id like '1%'`),
    fillShop(shop.database.connection, { products: 0, orders: 5000, users: 0 }, () => {}),
    fold(),
  ])
  await compareLists()
  await foldLists(connection)
  await compareBlocks()
  await compareLists()
})

test('noted changes are added to the list blocks even when the server has a statement timeout', async () => {
  const { connection, pool } = shop.database
  await pool.query(`update orders set status = 'shipped' where id < '4'`)
  await pool.query(
    "do $$ begin execute format('alter database %I set statement_timeout = 10', current_database()); end $$",
  )
  await foldLists(connection)
  const { rows } = await pool.query('select from list_notes')
  assert.equal(rows.length, 0)
})

test('a database that sorts text as it did when it was made is not counted anew', async () => {
  await recountIfReordered(shop.database.db, async () => assert.fail())
})
