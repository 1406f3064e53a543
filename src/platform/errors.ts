/** What a refusal says besides its status; see `Problem`. */
type Extras = {
  title?: string
  errors?: { path: string; message: string }[]
  /** What the caller needs to go on, e.g. the cart as it is now. */
  data?: unknown
  retryAfterSeconds?: number
}

/** An expected refusal. Most other errors are faults of ours and answered with 500; see `answerError`. */
export class ShopError extends Error {
  readonly status: number
  readonly code: string
  readonly extras: Extras

  constructor(status: number, code: string, detail: string, extras: Extras = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.extras = extras
  }
}

export function invalidInput(errors: { path: string; message: string }[]): ShopError {
  const detail = errors.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ')
  return new ShopError(400, 'invalid_input', detail, { title: 'Invalid input', errors })
}

export function wrongType(detail: string): ShopError {
  return new ShopError(415, 'wrong_type', detail, { title: 'Unsupported media type' })
}

export function notSignedIn(): ShopError {
  return new ShopError(401, 'not_signed_in', 'You must be logged in', { title: 'You must be logged in' })
}

/** Refuses access to what belongs to somebody else. */
export function notAllowed(): ShopError {
  return new ShopError(403, 'not_allowed', 'Access denied!', { title: 'Access denied!' })
}

export function notFound(detail = 'There is nothing at this address.'): ShopError {
  return new ShopError(404, 'not_found', detail, { title: 'Not found' })
}

/**
 * Whether an `If-Match` names another version than this one; see
 * https://www.rfc-editor.org/rfc/rfc9110#field.if-match
 */
export function isOutdated(ifMatch: string | undefined, updatedAt: Date): boolean {
  return ifMatch !== undefined && ifMatch !== '*' && !ifMatch.includes(`"${updatedAt.toISOString()}"`)
}

/** Somebody else changed it since the caller looked; `data` is how it is now. */
export function stale(data: unknown): ShopError {
  const title = 'Somebody else has changed this in the meantime'
  return new ShopError(412, 'stale', `${title}. Please look at it again.`, { title, data })
}

export function unavailable(code: string, detail: string, retryAfterSeconds = 5): ShopError {
  return new ShopError(503, code, detail, { title: 'Not available right now', retryAfterSeconds })
}

export function databaseUnavailable(): ShopError {
  return unavailable('database_unavailable', 'The shop cannot reach its database right now.')
}

/** What the database or the network said, without the errors around it. */
export function innermostCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // A host with two addresses fails with two errors in one that has no message itself.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner instanceof Error ? innermostCause(inner) : error
}

/** The innermost cause as text. The messages around it may quote what a customer sent. */
export function reasonOf(error: unknown): string {
  return String(innermostCause(error))
}

/** What went wrong, and where: the reason and the stack frames, but not the messages between them. */
export function faultOf(error: unknown): { reason: string; stack: string | undefined } {
  const lines = error instanceof Error ? error.stack?.split('\n') : undefined
  return { reason: reasonOf(error), stack: lines?.filter((line) => /^\s+at /.test(line)).join('\n') }
}

/** The same as text. An error of the database, printed as it is, would show the values of its statement. */
export function describeFault(error: unknown): string {
  const { reason, stack } = faultOf(error)
  return stack ? `${reason}\n${stack}` : reason
}
