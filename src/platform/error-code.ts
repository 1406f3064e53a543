/**
 * The code that Node, the system or PostgreSQL gave an error, such as `ENOENT` or `40P01`; '' for anything else.
 */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The error and its causes, the outermost first. What drizzle throws has the database's own error as its cause. */
export function* causesOf(error: unknown): Generator<Error, void> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}
