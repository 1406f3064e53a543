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
  default_transaction_isolation: String.raw`read\ committed`,
}

/**
 * The server ends every statement after three seconds. When it is silent for longer, the connection was lost
 * without notice, as after a failover. It is given up, and the next query gets another one.
 */
const silenceMs = 6000

/** Adds the bounds, unless the connection is one `withoutBounds` already. */
export function withBounds(connection: pg.PoolConfig): pg.PoolConfig {
  return { query_timeout: silenceMs, ...withSettings(connection, bounds) }
}

/** For work that may take as long as it needs, even where a server has bounds of its own. */
export function withoutBounds(connection: pg.PoolConfig): pg.PoolConfig {
  return { ...withSettings(connection, noBounds), query_timeout: 0 }
}

/** The `options` of an address count together with ours, not instead of them. */
function withSettings(connection: pg.PoolConfig, within: typeof bounds): pg.PoolConfig {
  const ours = Object.entries({ ...within, ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  const address = new URL(connection.connectionString ?? 'postgres:')
  const theirs = address.searchParams.get('options')
  if (theirs === null) return { options: ours, ...connection }
  address.searchParams.delete('options')
  return { ...connection, connectionString: address.href, options: `${theirs} ${ours}` }
}
