/** What somebody looks for: signs that nothing is written with, which the shop refuses to look for, are left out. */
export function wordsOf(address: URLSearchParams): string {
  const typed = address.get('q') ?? ''
  return typed
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .slice(0, 200)
    .trim()
}
