import type { QueryConfig } from 'pg'

/** Of thousands of rows at once, for which a busy machine may need longer than a shop lets any statement take. */
export function longStatement(text: string): QueryConfig & { query_timeout: number } {
  const limits = `set local statement_timeout = '60s'; set local lock_timeout = '60s'`
  return { text: `${limits}; ${text}`, query_timeout: 60_000 }
}
