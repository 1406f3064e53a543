import type { Problem } from '#shop/contract/problem.ts'
import { isRecord } from './ui/is-record.ts'

/** What the server said when it refused; `error` as RTK Query gives it, undefined when nobody answered. */
export function problemOf(error: unknown): Problem | undefined {
  const data = isRecord(error) ? error.data : undefined
  return isProblem(data) ? data : undefined
}

/** How it is now, when it was changed by somebody else since the page read it. */
export function currentStateOf(error: unknown): unknown {
  const problem = problemOf(error)
  return problem?.code === 'stale' ? problem.data : undefined
}

/** The answer's status, or the name of what came instead of one. */
export function statusOf(error: unknown): unknown {
  return isRecord(error) ? error.status : undefined
}

/** Keeps what a refusal says about when to come back: `transformErrorResponse` of calls that are limited. */
export function withWait<E extends object>(error: E, meta: { response?: Response } | undefined) {
  const seconds = Number(meta?.response?.headers.get('Retry-After'))
  return { ...error, retryAfterSeconds: seconds > 0 ? seconds : undefined }
}

/** As far as the page cannot do without; the contract promises the rest. */
function isProblem(value: unknown): value is Problem {
  return isRecord(value) && typeof value.code === 'string'
}
