import type { Problem } from '#shop/contract/problem.ts'
import { isRecord } from './ui/is-record.ts'

/** The problem that the server reported; `error` as RTK Query gives it, undefined when there was no response. */
export function problemOf(error: unknown): Problem | undefined {
  const data = isRecord(error) ? error.data : undefined
  return isProblem(data) ? data : undefined
}

/** The current state, when somebody else has changed it since the page read it. */
export function currentStateOf(error: unknown): unknown {
  const problem = problemOf(error)
  return problem?.code === 'stale' ? problem.data : undefined
}

/** The status of the response, or RTK Query's name for the failure when there was none. */
export function statusOf(error: unknown): unknown {
  return isRecord(error) ? error.status : undefined
}

/** Adds the response's `Retry-After` to the error: the `transformErrorResponse` of rate-limited endpoints. */
export function withWait<E extends object>(error: E, meta: { response?: Response } | undefined) {
  const seconds = Number(meta?.response?.headers.get('Retry-After'))
  return { ...error, retryAfterSeconds: seconds > 0 ? seconds : undefined }
}

/** Checks only what the page cannot do without; the contract promises the rest. */
function isProblem(value: unknown): value is Problem {
  return isRecord(value) && typeof value.code === 'string'
}
