/** What a database has to skip and to read, and from which end of its order. */
export type Window = { isFromEnd: boolean; offset: number; limit: number }

/**
 * Where a page lies in a list of this length. The database walks past everything before it, so what is nearer to
 * the end is counted from there: the last page costs no more than the first.
 */
export function windowOf(paging: { page: number; limit: number; total: number }): Window {
  const { page, limit, total } = paging
  const start = (page - 1) * limit
  const end = Math.min(start + limit, total)
  if (start >= total) return { isFromEnd: false, offset: 0, limit: 0 }
  if (start <= total / 2) return { isFromEnd: false, offset: start, limit: end - start }
  return { isFromEnd: true, offset: total - end, limit: end - start }
}
