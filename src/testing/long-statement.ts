import type { QueryConfig } from 'pg'

/** For statements over thousands of rows, which may take a busy machine longer than the shop's own time limits. */
export function longStatement(text: string): QueryConfig & { query_timeout: number } {
  const limits = `set local statement_timeout = '60s'; set local lock_timeout = '60s'`
  return { text: `${limits}; ${text}`, query_timeout: 60_000 }
}
