/**
 * The code that Node, the system or PostgreSQL gave an error, such as `ENOENT` or `40P01`; '' for anything else.
 */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
