import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { priceRanges, productSorts, type ProductSort } from '#shop/catalogue/choices.ts'
import type { Product } from '#shop/catalogue/contract.ts'
import { countIndexEntriesRead } from '#shop/testing/statistics.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { isOffered } from './blocks.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
  await addLongList()
})
after(() => shop.close())

/** Until the end of the test, for one that would spoil the list of the others. */
async function useOwnShop(t: TestContext): Promise<void> {
  const common = shop
  shop = await startTestApp()
  t.after(async () => {
    await shop.close()
    shop = common
  })
}

type Query = Partial<Record<'category' | 'color' | 'minPrice' | 'maxPrice', string>> & { sort?: ProductSort }

const idsOf = async (query: Query, page: number, limit: number) => {
  const url = '/api/products'
  const answer = await shop.call<{ data: { products: Product[]; totalProducts: number } }>({
    url,
    query: { ...query, page: `${page}`, limit: `${limit}` },
  })
  return {
    ids: answer.body.data.products.map(({ _id }) => _id),
    total: answer.body.data.totalProducts,
  }
}

const totalOf = async (query: Query) => (await idsOf(query, 1, 1)).total

/** The list itself, by sorting all products. */
async function wholeList({ category, color, minPrice, maxPrice, sort = 'newest' }: Query): Promise<string[]> {
  const order = {
    newest: 'created_at desc, id',
    oldest: 'created_at, id desc',
    name: 'lower(name), created_at desc, id',
    '-name': 'lower(name) desc, created_at desc, id',
    price: 'price_cents, created_at desc, id',
    '-price': 'price_cents desc, created_at desc, id',
    category: 'category, created_at desc, id',
    '-category': 'category desc, created_at desc, id',
    rating: 'rating, created_at desc, id',
    '-rating': 'rating desc, created_at desc, id',
  }[sort]
  const { rows } = await shop.database.pool.query<{ ids: string[] }>(
    `select array(select id from products where deleted_at is null and category = coalesce($1, category)
      and color = coalesce($2, color) and price_cents >= coalesce($3::numeric, 0) * 100
      and price_cents <= coalesce($4::numeric, 1e6) * 100 order by ${order}) as ids`,
    [category, color, minPrice, maxPrice],
  )
  return rows[0]?.ids ?? []
}

/** On a busy machine, other work may keep a transaction idle for longer than the shop allows. */
const begin = 'begin; set local idle_in_transaction_session_timeout = 0'
const changeMany = (statement: string) => shop.database.pool.query(statement)

/** Adds `amount` products, a thousand in each statement; their names are numbered, or all the same. */
async function add(name: string, amount: number, at: string, isNumbered = true): Promise<void> {
  for (let from = 1; from <= amount; from += 1000) {
    await changeMany(
      `insert into products (id, name, category, color, description, price_cents, rating, created_at)
      select md5('${name}' || n), '${name}' ${isNumbered ? '|| n' : ''}, case when n % 3 = 0 then 'grooming' else 'formal dress' end,
        (array['red', 'gold'])[1 + n % 2], 'x', 1 + n * 7919 % 30000, n % 5 * (n % 4) / 3.0, ${at}
      from generate_series(${from}, ${Math.min(amount, from + 999)}) as n`,
    )
  }
}

async function addLongList(): Promise<void> {
  await add('long ago', 5000, "'2020-01-01'::timestamptz + n * interval '1 minute'")
  await add('at once', 9000, "'2021-01-01'", false)
  await add('one by one', 4500, "'2022-01-01'::timestamptz + n * interval '1 second'")
}

const filters: Query[] = [
  {},
  { category: 'grooming' },
  { color: 'red' },
  { category: 'formal dress', color: 'gold' },
  ...priceRanges.map(({ min, max }) => ({
    minPrice: `${min}`,
    ...(max !== null && { maxPrice: `${max}` }),
  })),
  { category: 'formal dress', color: 'red', minPrice: '100', maxPrice: '200' },
  { minPrice: '12.34', maxPrice: '234.56' },
  { color: 'red', minPrice: '12.34', maxPrice: '234.56' },
  { category: 'formal dress', minPrice: '12.34', maxPrice: '234.56' },
  { category: 'formal dress', color: 'gold', minPrice: '12.34', maxPrice: '234.56' },
  { category: 'grooming', minPrice: '299.5', maxPrice: '400' },
  { color: 'gold', minPrice: '301', maxPrice: '400' },
  // In cents, this is more than the database's integers hold.
  { minPrice: '12.34', maxPrice: '99999999' },
]

let comparisons = 0

async function compareAll(): Promise<void> {
  comparisons += 1
  for (const [index, filter] of filters.entries()) {
    // All products in every order; what a filter leaves in every fifth, and in others at each comparison.
    const isCompared = (place: number) => index === 0 || place % 5 === (index + comparisons) % 5
    for (const sort of productSorts.filter((_, place) => isCompared(place))) {
      const query = { ...filter, sort }
      const whole = await wholeList(query)
      const last = Math.ceil(whole.length / 100)
      const pages = [1, 12, Math.ceil(last / 3), Math.ceil(last / 2), last - 12, last]
      const compare = async (page: number, limit = 100) => {
        const { ids, total } = await idsOf(query, page, limit)
        const about = `${JSON.stringify(query)} page ${page} of ${last}`
        assert.equal(total, whole.length, about)
        assert.deepEqual(ids, whole.slice((page - 1) * limit, page * limit), about)
      }
      const there = pages.filter((each) => each >= 1 && each <= last)
      await Promise.all([...[...new Set(there)].map((page) => compare(page)), compare(2, 12)])
    }
  }
}

test('pages throughout a long list match a full sort, under every filter and in every sort order', async () => {
  const { pool } = shop.database
  const blocks = await pool.query<{ blocks: number; largest: number }>(
    'select count(*)::int as blocks, max(products)::int as largest from whole_product_blocks',
  )
  assert.ok((blocks.rows[0]?.blocks ?? 0) >= 5)
  assert.ok((blocks.rows[0]?.largest ?? 0) <= 4000)
  const names = await pool.query<{ products: number }>(
    'select products::int from whole_name_blocks order by 1',
  )
  assert.ok(names.rows.length >= 5)
  // Products of one name stay together.
  assert.deepEqual(
    names.rows.map(({ products }) => products).filter((each) => each > 4000),
    [9000],
  )
  await compareRatingBlocks()
  await compareAll()
})

const odd: Query = { minPrice: '77', maxPrice: '77.5' }
const ofOne: Query[] = [{ category: 'grooming' }, { color: 'red' }, { category: 'grooming', color: 'red' }]

/** The plans of recent statements, for any values. A few may be missing, since names are forgotten. */
async function plansOf(t: TestContext, names: string, setting = ''): Promise<[name: string, plan: string][]> {
  const client = await shop.database.pool.connect()
  t.after(async () => {
    // It would report what it has read during the next test.
    await client.query('select pg_stat_force_next_flush()')
    client.release(true)
  })
  await client.query(`${setting}; discard plans`)
  const { rows } = await client.query<{ name: string; values: number }>(
    `select name, cardinality(parameter_types) as values from pg_prepared_statements where name ~ '${names}'`,
  )
  const plans: [string, string][] = []
  for (const { name, values } of rows) {
    const nothing = Array.from({ length: values }, () => 'null').join()
    const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute "${name}"(${nothing})`,
    )
    plans.push([name, lines.map((line) => line['QUERY PLAN']).join('\n')])
  }
  return plans
}

test('a short list is read by its filters and then sorted, not by scanning an index in its sort order', async (t) => {
  for (const sort of ['name', '-rating'] as const) {
    for (const filter of [...ofOne, odd, { ...odd, color: 'red' }]) await idsOf({ ...filter, sort }, 11, 10)
  }
  // In a large shop the planner would rather not sort, nor read pages of the table.
  const plans = await plansOf(t, '^sorted (?!first)', 'set enable_sort = off; set enable_bitmapscan = off')
  assert.ok(plans.length >= 6)
  for (const [name, plan] of plans) {
    assert.doesNotMatch(plan, /products_(name|rating)\w* on products\b/, name)
    // An index alone gives the order, and only the page is read from the table.
    if (name.endsWith('min max')) assert.match(plan, /Index Only Scan using products_price/, name)
  }
})

test('lists of one category or color use the index of that filter and do not scan all dates', async (t) => {
  for (const sort of ['newest', 'oldest'] as const) {
    for (const filter of ofOne) {
      for (const page of [1, 30, 220, 305, 615, 925]) await idsOf({ ...filter, sort }, page, 10)
    }
  }
  const plans = await plansOf(t, '^(near|from) .*est +(cat|col|cat col)$')
  assert.ok(plans.length >= 6)
  for (const [name, plan] of plans) {
    assert.match(plan, /products_c\w+ on products\b/, name)
    // The index by date is only read from a place that counts have found, which is close to the page.
    for (const [, condition] of plan.matchAll(/products_newest on products\b.*\n(.*)/g))
      assert.match(condition ?? '', /created_at [<=] block\.starts_at/, name)
  }
})

test('a page in a price range reads few index entries, however wide the range and whatever was queried before', async () => {
  const wide: Query = { color: 'red', minPrice: '1', maxPrice: '299' }
  for (const sort of ['newest', 'name'] as const) {
    for (let page = 1; page <= 8; page += 1) await idsOf({ ...wide, sort }, page, 10)
    // The one range has nearly all products of a color, the other next to none of any color.
    for (const query of [wide, { color: 'red', ...odd }]) {
      const readBefore = await countIndexEntriesRead(shop.database, 'products')
      const { total } = await idsOf({ ...query, sort }, 1, 11)
      const read = (await countIndexEntriesRead(shop.database, 'products')) - readBefore
      assert.ok(total > 0 && read < 700, `${sort}: ${read} entries for one of ${total}`)
    }
  }
  // By price, counts say where any page lies, in any range.
  const readBefore = await countIndexEntriesRead(shop.database, 'products')
  const { ids, total } = await idsOf({ color: 'red', minPrice: '1', maxPrice: '45', sort: 'price' }, 30, 20)
  const read = (await countIndexEntriesRead(shop.database, 'products')) - readBefore
  assert.ok(total > 1000 && ids.length === 20 && read < 300, `${read} entries for 20 of ${total}`)
})

test('for a page far on in a price range, blocks are summed along an index in the order of the list', async (t) => {
  const range: Query = { minPrice: '12.34', maxPrice: '234.56' }
  for (const sort of ['newest', 'oldest', 'name', '-name', 'rating', '-rating'] as const) {
    for (const filter of [{}, { category: 'grooming' }, { color: 'red' }])
      await idsOf({ ...range, ...filter, sort }, 200, 10)
  }
  const plans = await plansOf(t, '^from .*priced -?(newest|oldest|name|rating) ', 'set enable_sort = off')
  assert.ok(plans.length >= 12)
  for (const [name, plan] of plans) {
    assert.match(plan, /GroupAggregate[^]*?Index Scan .*using product_\w*blocks_prices/, name)
    assert.doesNotMatch(plan, /HashAggregate/, name)
  }
})

test('a page is correct and cheap to read when the whole price range lies at the far end of the list', async () => {
  for (let from = 1; from <= 3000; from += 1000) {
    await changeMany(
      `insert into products (id, name, category, color, description, price_cents, created_at)
      select md5('zz' || n), 'zz' || n, 'jewellery', 'red', 'x', 40000 + n, '2019-01-01'::timestamptz + n * interval '1 second'
      from generate_series(${from}, ${from + 999}) as n`,
    )
  }
  const range: Query = { minPrice: '399', maxPrice: '431' }
  for (const query of [
    { ...range, category: 'jewellery', sort: 'name' },
    { ...range, category: 'jewellery', color: 'red', sort: 'name' },
    { ...range, sort: 'newest' },
    { ...range, color: 'red', sort: 'newest' },
  ] satisfies Query[]) {
    const whole = await wholeList(query)
    for (const page of [1, 7, 150, 294, 300]) {
      const readBefore = await countIndexEntriesRead(shop.database, 'products')
      const { ids, total } = await idsOf(query, page, 10)
      const read = (await countIndexEntriesRead(shop.database, 'products')) - readBefore
      const about = `${JSON.stringify(query)} page ${page}: ${read} entries`
      assert.deepEqual([total, ids], [3000, whole.slice((page - 1) * 10, page * 10)], about)
      assert.ok(read < 8000, about)
    }
  }
})

test('a page whose products lie on both sides of many blocks without matches is complete', async () => {
  for (let from = 1; from <= 1100; from += 550) {
    await changeMany(
      `insert into products (id, name, category, color, description, price_cents)
      select md5('aa' || n), 'aa' || n, 'jewellery', 'red', 'x', 50000 + n from generate_series(${from}, ${from + 549}) as n`,
    )
  }
  await changeMany(
    `insert into products (id, name, category, color, description, price_cents)
    select md5('zx' || n), 'zx' || n, 'jewellery', 'red', 'x', 50000 + n from generate_series(1, 10) as n`,
  )
  // The last two products before these blocks, and the first one after them.
  const query: Query = { minPrice: '499', maxPrice: '511', sort: 'name' }
  assert.deepEqual((await idsOf(query, 367, 3)).ids, (await wholeList(query)).slice(1098, 1101))
})

test('changing a product reads few index entries, even if thousands of other products share one name', async () => {
  const client = await shop.database.pool.connect()
  const readHere = async () => {
    const { rows } = await client.query<{ read: number }>(
      `select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as read
      from pg_index where indrelid = 'products'::regclass`,
    )
    return rows[0]?.read ?? 0
  }
  await client.query('begin; set constraints all immediate')
  const before = await readHere()
  await client.query(`update products set price_cents = 77 where id = md5('long ago7')`)
  const read = (await readHere()) - before
  await client.query('rollback')
  client.release()
  assert.ok(read < 500, `${read} entries of indexes`)
})

/** Asserts that no block is too large, in either direction. Returns how many changes are still to be added. */
async function compareRatingBlocks(): Promise<number> {
  const { rows } = await shop.database.pool.query<Record<'blocks' | 'largest' | 'noted', number>>(
    `select count(*)::int as blocks, max(products)::int as largest,
      (select count(*)::int from product_rating_changes) as noted
    from whole_rating_blocks group by sign`,
  )
  assert.equal(rows.length, 2)
  for (const { blocks, largest } of rows) assert.ok(blocks >= 5 && largest <= 4000, JSON.stringify(rows))
  return rows[0]?.noted ?? 0
}

test('pages still match a full sort after many concurrent inserts, updates and deletes', async (t) => {
  await useOwnShop(t)
  await addLongList()
  const { pool } = shop.database
  const changes = [
    `update products set deleted_at = now() where md5(id) < '2'`,
    `update products set price_cents = price_cents % 20000 + 1, color = 'gold' where md5(id) > 'd'`,
    `update products set deleted_at = null where md5(id) < '1'`,
    `delete from products where md5(id) between '3' and '35'`,
    `update products set created_at = '2021-01-01' where md5(id) between '7' and '75'`,
    `update products set category = 'grooming' where md5(id) between '8' and '85'`,
    `update products set rating = 4 where md5(id) between '9' and '95'`,
    `update products set name = upper(name) || md5(id) where md5(id) between 'a' and 'a5'`,
  ]
  // Like reviews, a few products at a time, and often enough for their notes to be folded several times meanwhile.
  const review = async (from: number) => {
    for (let n = from; n < from + 60; n += 1) {
      await pool.query(
        `update products set rating = $1 where id in (select id from products where id > md5($2) order by id limit 3 for update)`,
        [1 + (n % 17) / 4, `${n}`],
      )
    }
  }
  const adding = [1, 2, 3, 4, 5].map((n) => () => add(`wave ${n} `, 1000, `'2021-0${n}-01'`))
  for (const change of changes) {
    // Changes of the same rows run one after the other, as they might deadlock. Adding products never does.
    await Promise.all([changeMany(change), ...adding.splice(0, 1).map((each) => each())])
  }
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((each) => review(each * 60)))
  assert.ok((await compareRatingBlocks()) > 0)
  await compareAll()
  await changeMany('truncate products cascade')
  assert.deepEqual(await idsOf({}, 1, 10), { ids: [], total: 0 })
  await add('again', 4100, 'now()')
  await compareAll()
})

test('an import in one transaction is counted when it commits, and does not block other changes until then', async (t) => {
  const { pool } = shop.database
  const client = await pool.connect()
  t.after(() => client.release(true))
  const totals = async () => [await totalOf({ color: 'gold' }), await totalOf({ color: 'silver' })]
  const [gold = 0, silver = 0] = await totals()
  const insert = (color: string, name: string) =>
    `insert into products (id, name, category, color, description, price_cents)
    select '${name}-' || n, '${name}', 'grooming', '${color}', 'x', 100 from generate_series(1, 50) as n`
  await client.query(begin)
  for (let part = 1; part <= 20; part += 1) await client.query(insert('gold', `import-${part}`))
  await client.query(`delete from products where id like 'import-1-%'`)
  await client.query(`update products set color = 'silver' where id like 'import-2-%'`)
  const { rows } = await client.query<{ counted: number }>(
    `select (n_tup_ins + n_tup_upd)::int as counted from pg_stat_xact_user_tables where relname = 'product_counts'`,
  )
  assert.equal(rows[0]?.counted, 0)
  await pool.query(insert('gold', 'meanwhile'))
  assert.deepEqual(await totals(), [gold + 50, silver])
  await client.query('commit')
  assert.deepEqual(await totals(), [gold + 50 + 18 * 50, silver + 50])
  // The test's products have ratings without reviews, and nobody is an admin.
  const broken = await brokenInvariants(shop.database.db)
  assert.deepEqual(
    broken.filter((what) => !/rating|admin/.test(what)),
    [],
  )
})

test('a commit takes the lock for counts before the lock for ratings, whatever the transaction changed first', async (t) => {
  const { pool } = shop.database
  const [holder, client] = [await pool.connect(), await pool.connect()]
  t.after(() => [holder, client].forEach((each) => each.release(true)))
  const locks = (isGranted: boolean, key: number) =>
    pool.query(
      `select from pg_locks where locktype = 'advisory' and objid = ${key} and granted = ${isGranted}
      and database = (select oid from pg_database where datname = current_database())`,
    )
  const insert = (from: number, upTo: number) =>
    `insert into products (id, name, category, color, description, price_cents)
    select 'in-order-' || n, 'In order', 'grooming', 'gold', 'x', 100 from generate_series(${from}, ${upTo}) as n`
  // The transaction that writes every thousandth note adds all of them up.
  const rate = `update products set rating = 5 - rating where id like 'in-order-%'`
  for (const changes of [[insert(1, 600)], [rate, insert(601, 601)]]) {
    await holder.query(`${begin}; select pg_advisory_xact_lock(727306152)`)
    await client.query('begin')
    for (const change of changes) await client.query(change)
    const committing = client.query('commit')
    await until(async () => (await locks(false, 727306152)).rowCount === 1)
    assert.equal((await locks(true, 727306153)).rowCount, 0)
    await holder.query('commit')
    await committing
  }
})

test('products that a transaction adds to a new category and changes again are counted in their final state', async (t) => {
  const client = await shop.database.pool.connect()
  t.after(() => client.release(true))
  await client.query(begin)
  await client.query(
    `insert into products (id, name, category, color, description, price_cents)
    select 'again-' || n, 'Again ' || n, 'headgear', 'violet', 'x', 100 + n from generate_series(1, 600) as n`,
  )
  await client.query(`update products set price_cents = price_cents + 5000 where category = 'headgear'`)
  await client.query(`delete from products where id in ('again-1', 'again-2')`)
  await client.query('commit')
  for (const blocks of ['product_blocks', 'product_name_blocks', 'product_rating_blocks where sign = 1']) {
    const { rows } = await client.query<{ prices: number[] }>(
      `select array_agg(price order by price) as prices
      from (select * from ${blocks}) as block cross join unnest(prices) as price
      where category = 'headgear' and color = 'violet'`,
    )
    // Some ratings may still be notes.
    const prices = rows[0]?.prices ?? []
    assert.ok(prices.length > 0 && prices.every((price) => price > 5102), blocks)
    if (!blocks.includes('rating')) assert.equal(prices.length, 598, blocks)
  }
})

test('products inserted by a database function are counted, whatever the caller’s search_path', async (t) => {
  const client = await shop.database.pool.connect()
  t.after(() => client.release(true))
  const query: Query = { category: 'elsewhere' }
  await client.query('create schema elsewhere')
  await client.query(
    `create function elsewhere.add() returns void language sql set search_path = public
    as $$ insert into products (id, name, category, color, description, price_cents)
      values ('elsewhere', 'Elsewhere', 'elsewhere', 'gold', 'x', 100) $$`,
  )
  await client.query('set search_path = elsewhere')
  await client.query('select add()')
  assert.equal(await totalOf(query), 1)
})

test('prices_after applies added and removed prices, and a price both added and removed cancels out', async () => {
  const after = async (prices: number[], changes: number[]) => {
    const { rows } = await shop.database.pool.query<{ prices: number[] }>(
      'select prices_after($1::int[], $2::int[]) as prices',
      [prices, changes],
    )
    return rows[0]?.prices
  }
  const many = Array.from({ length: 30 }, () => 9)
  for (const others of [[], many]) {
    const changes = (few: number[]) => [...few, ...others].sort((one, other) => one - other)
    assert.deepEqual(await after([1, 5], changes([-7, 7])), [1, 5, ...others])
    assert.deepEqual(await after([], changes([-7, 7, -7, 7])), others)
    assert.deepEqual(await after([1, 5, 5, 8], changes([-5, -1, 2, 6, -6])), [2, 5, 8, ...others])
    assert.deepEqual(await after([1], changes([])), [1, ...others])
  }
})

test('while rating changes are being folded, smaller changes do not wait, but a very large one does', async () => {
  const { pool } = shop.database
  const noted = async () => {
    const { rows } = await pool.query<{ notes: number }>(
      'select count(*)::int as notes from product_rating_changes',
    )
    return rows[0]?.notes ?? 0
  }
  const holder = await pool.connect()
  await holder.query(`${begin}; select pg_advisory_xact_lock(727306153)`)
  await add('a few ', 2000, 'now()')
  assert.ok((await noted()) >= 4000)
  let isDone = false
  const many = changeMany(
    `update products set rating = 5 - rating where id in (select id from products limit 3000)`,
  ).then(() => (isDone = true))
  const waiting = `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
  while ((await pool.query(waiting)).rowCount === 0) assert.equal(isDone, false)
  await holder.query('commit')
  holder.release()
  await many
  assert.equal(await noted(), 0)
  await compareAll()
})

test('products that a rating change moves to the front are listed before all products counted earlier', async () => {
  const { pool } = shop.database
  await pool.query(`insert into products (id, name, category, color, description, price_cents, rating)
    select md5('best' || n), 'Best', 'grooming', 'white', 'x', 100, 5 from generate_series(1, 2500) as n`)
  const { rows } = await pool.query<{ notes: number }>(
    `select count(*)::int as notes from product_rating_changes where color = 'white'`,
  )
  assert.equal(rows[0]?.notes, 0)
  await pool.query(
    `update products set rating = 1 where id in (select md5('best' || n) from generate_series(1, 30) as n)`,
  )
  const query = { color: 'white', sort: 'rating' } as const
  const whole = await wholeList(query)
  for (const page of [1, 2, 12]) {
    assert.deepEqual((await idsOf(query, page, 20)).ids, whole.slice((page - 1) * 20, page * 20))
  }
})

test('the database counts lists for exactly the price ranges that the shop offers, and for all prices', async () => {
  const { rows } = await shop.database.pool.query<{ minCents: number; maxCents: number }>(
    'select min_cents as "minCents", max_cents as "maxCents" from counted_price_ranges()',
  )
  assert.ok(rows.every(isOffered))
  assert.equal(rows.length, 1 + priceRanges.length)
})

test('pages in a price range that the database has no counts for are still correct', async (t) => {
  await useOwnShop(t)
  await add('uncounted ', 4100, 'now()')
  const range: Query = { minPrice: '100', maxPrice: '200' }
  for (const blocks of ['product_blocks', 'product_name_blocks', 'product_rating_blocks'])
    await shop.database.pool.query(`delete from ${blocks} where min_cents = 10000 and max_cents = 20000`)
  for (const sort of ['newest', 'name', 'rating', 'category'] as const) {
    const whole = await wholeList({ ...range, sort })
    for (const page of [2, 30, Math.ceil(whole.length / 100)]) {
      const { ids } = await idsOf({ ...range, sort }, page, 100)
      assert.deepEqual(ids, whole.slice((page - 1) * 100, page * 100), `${sort} page ${page}`)
    }
  }
})
