import type pg from 'pg'

/** On every statement, so that one slow query can not hold a connection, or a row, for ever. */
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
/** What the shop counts on, whatever a server has for its default. */
const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  // To compile a question, or to start processes for parts of it, takes longer than any of ours.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  // Otherwise a connection plans the first five questions of a kind one by one, which takes as long as to answer them, and
  // goes by these then.
  plan_cache_mode: 'force_generic_plan',
  // What an index of words finds is noted in so much. Beyond it whole pages are, and each text on them is taken apart again:
  // of a million products a hundred thousand took 15 seconds with the standard, 4MB.
  work_mem: '32MB',
  default_transaction_isolation: String.raw`read\ committed`,
}

/**
 * The server ends every statement after three seconds. When it says nothing for longer, the connection is lost without
 * a word, as after a failover, and is given up: whatever is asked next gets another one.
 */
const silenceMs = 6000

/** Unless the connection is one `withoutBounds` already. */
export function withBounds(connection: pg.PoolConfig): pg.PoolConfig {
  return { query_timeout: silenceMs, ...withSettings(connection, bounds) }
}

/** For what may take as long as it needs, also where a server has bounds of its own. */
export function withoutBounds(connection: pg.PoolConfig): pg.PoolConfig {
  return { ...withSettings(connection, noBounds), query_timeout: 0 }
}

/** What an address says of its own `options` counts beside ours, not instead of them. */
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
