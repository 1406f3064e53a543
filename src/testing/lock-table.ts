import type { Database } from '#shop/platform/database.ts'
import { until } from './until.ts'

/** Makes everybody who reads or writes a table wait until `release`. */
export async function lockTable({ pool }: Pick<Database, 'pool'>, table: string) {
  const client = await pool.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  const countWaiting = async () => {
    const { rows } = await client.query<{ waiting: number }>(
      'select count(*)::int as waiting from pg_locks where not granted and relation = $1::regclass',
      [table],
    )
    return rows[0]?.waiting ?? 0
  }
  return {
    countWaiting,
    async untilWaiting(count: number) {
      await until(async () => (await countWaiting()) >= count, `${count} wait for ${table}`)
    },
    async release() {
      await client.query('rollback')
      client.release()
    },
  }
}
