/** The highest page that the server accepts; no list is that long. */
const highest = 999_999_999

/** The page that a list's address asks for, from 1; odd values count as if they were not there. */
export function pageOf(params: URLSearchParams): number {
  const page = params.get('page') ?? ''
  return /^\d+$/.test(page) ? Math.min(Math.max(1, Number(page)), highest) : 1
}
