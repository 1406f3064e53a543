import { problemOf, statusOf } from './api-problem.ts'
import { isRecord } from './ui/is-record.ts'

/** The message for a failed change: `what` happened, why, and what to do next. */
export function failureOf(error: unknown, what: string): string {
  if (isUnanswered(error))
    return `${what} The shop could not be reached: please check your connection and try again.`
  const problem = problemOf(error)
  switch (statusOf(error)) {
    case 401:
      return `${what} Your session has ended: please log in again.`
    case 404:
      return `${what} Somebody else has deleted it in the meantime.`
    case 412:
      return `${what} Somebody else has changed it in the meantime.`
    case 400:
      return `${what} ${problem?.errors?.length ? 'Please check the marked fields' : (problem?.title ?? 'Please try again')}.`
    case 403:
    case 409:
    case 413:
    case 415:
    case 429:
      return `${what} ${problem?.title ?? 'Please try again'}.`
    default:
      return `${what} Please try again in a moment.`
  }
}

/** Error messages by the name of the field, to be shown after the label that the field has on the page. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  const errors = problemOf(error)?.errors ?? []
  return Object.fromEntries(
    errors.map(({ path, message }) => [
      path.split('.')[0] ?? path,
      message.replace(/^.* (?=is required$)/, ''),
    ]),
  )
}

/** The message for too many attempts (429), such as to log in; undefined for any other error. */
export function tooOften(error: unknown): string | undefined {
  const wait = waitOf(error)
  return wait && `That was a few attempts too many. Please wait ${wait}, then try again.`
}

/** After a 429, how long to wait, rounded up; undefined for any other error. */
export function waitOf(error: unknown): string | undefined {
  if (!isRecord(error) || error.status !== 429) return undefined
  const seconds = Number(error.retryAfterSeconds) || 60
  const [count, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Whether there was no response. Refetching a list would fail too, and close the dialog with what was chosen. */
export function isUnanswered(error: unknown): boolean {
  return ['FETCH_ERROR', 'TIMEOUT_ERROR'].includes(String(statusOf(error)))
}
