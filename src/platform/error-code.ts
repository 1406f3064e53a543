/** What Node, the system or PostgreSQL call it, such as `ENOENT` or `40P01`; '' for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
