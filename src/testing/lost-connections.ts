import type pg from 'pg'

type Loss<T> = {
  /** A statement that takes the lock which the work then waits for. */
  lock: string
  work: () => Promise<T>
  /** How many connections to end while they wait. */
  times: number
}

/**
 * Runs work that must wait for a lock, and ends its connections while they wait, as a server does that is being
 * stopped. The work may finish before `times` connections have ended: `ended` says how many have.
 */
export async function loseConnections<T>(
  pool: pg.Pool,
  { lock, work, times }: Loss<T>,
): Promise<{ answer: T; ended: number }> {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(lock)
  let isDone = false
  const answer = work().finally(() => (isDone = true))
  const ended = new Set<number>()
  while (ended.size < times && !isDone) {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    for (const { pid } of rows) ended.add(pid)
  }
  await client.query('rollback')
  client.release()
  return { answer: await answer, ended: ended.size }
}
