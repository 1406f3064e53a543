import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'drizzle-orm'
import { openDatabase, type Database } from '#shop/platform/database.ts'
import { createTestDatabase } from '#shop/testing/test-database.ts'
import { queryPrepared, prepareOnce } from './statements.ts'

let database: Database
let drop: () => Promise<void>
before(async () => {
  const created = await createTestDatabase()
  database = openDatabase(created.connection, () => {})
  drop = created.drop
})
after(async () => {
  await database.close()
  await drop()
})

const addTo = async (number: number) => {
  const write = () => sql`select ${sql.placeholder('one')}::int + ${sql.raw(`${number}`)} as sum`
  const rows = await queryPrepared<{ sum: number }>(database.db, `${number} and one`, write, { one: 1 })
  return rows[0]?.sum
}

test('a connection keeps at most 100 prepared queries beside permanent ones, and still runs all others', async () => {
  const warnings: string[] = []
  process.on('warning', ({ message }) => warnings.push(message))
  const numbers = Array.from({ length: 250 }, (_, index) => index)
  const sums = numbers.map((number) => number + 1)
  const lasting = prepareOnce(database.db, 'lasting', (name) =>
    database.db
      .select({ one: sql`1` })
      .from(sql`(select 1) as row`)
      .prepare(name),
  )
  await lasting.execute()
  for (const number of numbers) assert.equal(await addTo(number), number + 1)
  const { rows } = await database.pool.query<{ name: string }>('select name from pg_prepared_statements')
  assert.equal(rows.length, 101)
  assert.ok(
    rows.some(({ name }) => name === '249 and one'),
    'what was asked last is among them',
  )
  assert.ok(
    rows.some(({ name }) => name === 'lasting'),
    'so is what is never forgotten',
  )
  // On all connections at once, in another order.
  assert.deepEqual(await Promise.all(numbers.toReversed().map(addTo)), sums.toReversed())
  assert.deepEqual(await Promise.all(numbers.map(addTo)), sums)
  // The driver warns when a connection gets a query while it runs another one.
  assert.deepEqual(warnings, [])
})

test('statements whose names differ only beyond what PostgreSQL keeps of a name are two', async (t) => {
  const warn = t.mock.method(console, 'error', () => undefined)
  const beginning = 'a name as long as all that is known of a search, and then'.padEnd(63, '.')
  const askFor = (answer: string) =>
    queryPrepared<{ answer: string }>(
      database.db,
      `${beginning} ${answer}`,
      () => sql`select ${sql.raw(`'${answer}'`)} as answer`,
      {},
    )
  for (const answer of ['one', 'two', 'one']) assert.deepEqual(await askFor(answer), [{ answer }])
  assert.equal(warn.mock.callCount(), 0, 'the driver has nothing to warn of')
})
