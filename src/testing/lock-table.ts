import type { Database } from '#shop/platform/database.ts'
import { until } from './until.ts'

/** Makes everybody who reads or writes a table wait until `release`, or the end of an `await using` block. */
export async function lockTable({ pool }: Pick<Database, 'pool'>, table: string) {
  const client = await pool.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  const countWaiting = async () => {
    const { rows } = await client.query<{ waiting: number }>(
      // The databases of other test files are copies of one, whose tables have the same numbers.
      `select count(*)::int as waiting from pg_locks where not granted and relation = $1::regclass
        and database = (select oid from pg_database where datname = current_database())`,
      [table],
    )
    return rows[0]?.waiting ?? 0
  }
  let isReleased = false
  const release = async () => {
    if (isReleased) return
    isReleased = true
    await client.query('rollback')
    client.release()
  }
  return {
    countWaiting,
    async untilWaiting(count: number) {
      await until(async () => (await countWaiting()) >= count, `${count} wait for ${table}`)
    },
    release,
    [Symbol.asyncDispose]: release,
  }
}
