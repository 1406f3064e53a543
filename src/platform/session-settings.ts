import type pg from 'pg'

/** On every statement, so that one slow query cannot hold a connection, or a row, for ever. */
const bounds = {
  statement_timeout: 3000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 5000,
}
const noBounds: typeof bounds = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}
/** What the shop relies on, whatever a server's defaults are. */
const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  // The pool closes what is idle by itself. A server that does so would fail the request that comes at that moment.
  idle_session_timeout: 0,
  // To compile a query, or to start parallel workers for it, takes longer than any of ours.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // Otherwise a connection plans the first five runs of a statement for their values, which takes as long as the
  // runs themselves, and judges the generic plan by these.
  plan_cache_mode: 'force_generic_plan',
  // In this memory a bitmap scan of a word index notes the rows it finds. Beyond it the scan notes whole pages,
  // and each text on them is taken apart again: to find a hundred thousand of a million products took 15 seconds
  // with the default, 4MB.
  work_mem: '32MB',
  default_transaction_isolation: 'read committed',
}

/**
 * The server ends every statement after three seconds. When it is silent for longer, the connection was lost
 * without notice, as after a failover. It is given up, and the next query gets another one.
 */
const silenceMs = 6000

/** How to reach a database, and the bounds that each of its connections gets. */
export type Connection = pg.PoolConfig & { bounds?: typeof bounds }

/** Adds the bounds, unless the connection is one `withoutBounds` already. */
export function withBounds(connection: Connection): Connection & { bounds: typeof bounds } {
  return { query_timeout: silenceMs, ...connection, bounds: connection.bounds ?? bounds }
}

/** For work that may take as long as it needs, even where a server has bounds of its own. */
export function withoutBounds(connection: Connection): Connection & { bounds: typeof bounds } {
  return { ...connection, bounds: noBounds, query_timeout: 0 }
}

/**
 * By statements, and not by the `options` that a connection begins with: PgBouncer refuses these, or drops them if
 * told to.
 */
export async function applySettings(client: pg.ClientBase, within: typeof bounds): Promise<void> {
  const statements = Object.entries({ ...within, ...settings }).map(
    ([name, value]) => `set ${name} = '${value}'`,
  )
  await client.query(statements.join('; '))
}
