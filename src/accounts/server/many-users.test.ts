import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ListedUser } from '#shop/accounts/contract.ts'
import { codeOf } from '#shop/platform/error-code.ts'
import { foldLists } from '#shop/platform/fold-lists.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

let shop: TestApp
let headers: Record<string, string>
before(async () => {
  shop = await startTestApp()
  // A random id or e-mail could contain what is searched for.
  const admin = { id: 'admin', username: 'Admin', email: 'admin@example.com', role: 'admin' } as const
  headers = (await makeUser(shop.database.db, admin)).headers
})
after(() => shop.close())

const list = async (query: Record<string, string>) => {
  const answer = await shop.call<{ data: ListedUser[] }>({ url: '/api/auth/users', query, headers })
  return { ids: answer.body.data.map(({ _id }) => _id), total: Number(answer.headers['x-total-count']) }
}

const add = (name: string, amount: number, at: string) =>
  shop.database.pool.query(
    `insert into users (id, email, username, password_hash, created_at)
    select md5($1 || n), $1 || n || '@example.com', initcap($1) || ' ' || n, '', ${at} from generate_series(1, $2::int) as n`,
    [name, amount],
  )

async function wholeList(matches = 'true'): Promise<string[]> {
  const { rows } = await shop.database.pool.query<{ id: string }>(
    `select id from users where ${matches} order by created_at desc, id`,
  )
  return rows.map(({ id }) => id)
}

async function compareAll(): Promise<void> {
  const whole = await wholeList()
  const limit = 100
  const last = Math.ceil(whole.length / limit)
  for (const page of [
    1,
    12,
    Math.ceil(last / 3),
    Math.ceil(last / 2),
    Math.ceil(last / 1.5),
    last - 12,
    last,
  ]) {
    const { ids, total } = await list({ page: `${page}`, limit: `${limit}` })
    assert.equal(total, whole.length)
    assert.deepEqual(ids, whole.slice((page - 1) * limit, page * limit), `page ${page} of ${last}`)
  }
}

test('in a small shop, a search covers even the oldest users, and finds at most 500', async () => {
  await add('ines', 600, "'2024-02-01'::timestamptz - n * interval '1 minute'")
  const oldest = await wholeList(`username = 'Ines 600'`)
  assert.deepEqual(await list({ search: 'ines 600' }), { ids: oldest, total: 1 })
  assert.equal((await list({ search: 'ines' })).total, 500)
})

test('pages throughout a long user list match the full ordered list, before and after folding', async () => {
  await add('anna', 6000, "'2024-01-01'::timestamptz + n * interval '5 minutes'")
  await add('ben', 4000, "'2024-03-31 23:59:59.9'")
  await add('carla', 3000, "'2024-04-01'::timestamptz + n * interval '7 hours'")
  await compareAll()
  await foldLists(shop.database.connection)
  await compareAll()
})

test('pages of a long user list stay correct after concurrent inserts, deletes, updates and folding', async () => {
  const { pool, connection } = shop.database
  // Of two at once, one may find that the other has folded since it began.
  const fold = () =>
    foldLists(connection).catch((error: unknown) => assert.equal(codeOf(error), '40001', String(error)))
  await Promise.all([
    pool.query(`delete from users where role = 'user' and md5(id) < '1'`),
    fold(),
    ...[1, 2, 3, 4].map((n) => add(`wave ${n} `, 300, `'2024-0${n}-15'`)),
    pool.query(`update users set created_at = '2023-05-05' where md5(id) > 'f5' and role = 'user'`),
    fold(),
    pool.query(`update users set username = 'Carl ' || id where md5(id) between 'c' and 'c5'`),
  ])
  await compareAll()
  await foldLists(connection)
  await compareAll()
})

test('in a large shop, a search finds rare and frequent text, newest users first', async () => {
  const rare = await wholeList(`email like '%anna77%'`)
  assert.ok(rare.length > 5)
  assert.deepEqual(await list({ search: 'NNA77' }), { ids: rare, total: rare.length })
  const newest = await wholeList()
  const ofAnyAge = await wholeList(`email like '%577@%'`)
  assert.ok(newest.indexOf(ofAnyAge.at(0) ?? '') < 500 && newest.indexOf(ofAnyAge.at(-1) ?? '') > 2500)
  assert.deepEqual(await list({ search: '577@' }), { ids: ofAnyAge, total: ofAnyAge.length })
  const frequent = await wholeList(`lower(username || E'\\n' || email) like '%carla%'`)
  const found = await list({ search: 'carla', page: '2', limit: '10' })
  assert.deepEqual(found.ids, frequent.slice(10, 20))
  assert.deepEqual(await list({ search: 'nobody@' }), { ids: [], total: 0 })
})

async function named(username: string, email: string, createdAt: string): Promise<string> {
  const { user } = await makeUser(shop.database.db)
  await shop.database.pool.query(
    'update users set username = $2, email = $3, created_at = $4 where id = $1',
    [user.id, username, email, createdAt],
  )
  return user.id
}

test('in a large shop, a search ignores accents and case, for new and for old users', async () => {
  const ids = [
    await named('Zoë Noël', 'new@example.com', '2100-01-01'),
    await named('ZOE NOEL', 'old@example.com', '2020-01-01'),
  ]
  for (const search of ['zoe noel', 'Zoé Noe', 'ZOË'])
    assert.deepEqual(await list({ search }), { ids, total: 2 })
})

test('in a large shop, a search for a single symbol also finds a user who is not among the newest', async () => {
  const id = await named('★', 'star@example.com', '2024-03-31 23:59:59.95')
  const place = (await wholeList()).indexOf(id)
  assert.ok(place > 2500 && place < 10_000)
  assert.deepEqual(await list({ search: '★' }), { ids: [id], total: 1 })
})

test('in a large shop, a search for two letters finds word beginnings, and inside words only among the newest', async () => {
  const [first, last, email] = [
    await named('Qi Chen', 'one@example.com', '2020-01-03'),
    await named('Ann Qi', 'two@example.com', '2020-01-02'),
    await named('Nobody', 'qi@example.com', '2020-01-01'),
  ]
  const accented = await named('Nobody Qí', 'five@example.com', '2019-02-01')
  await named('Tariqi', 'three@example.com', '2019-01-01')
  const within = await named('Iraqi', 'four@example.com', '2100-01-01')
  assert.deepEqual(await list({ search: 'QI' }), { ids: [within, first, last, email, accented], total: 5 })
})
