import { failureOf } from '#shop/web/api-failure.ts'
import { problemOf } from '#shop/web/api-problem.ts'

/** Why a user was not changed or deleted, and what to do first. */
export function userFailure(error: unknown, what: string): string {
  if (problemOf(error)?.code !== 'last_admin') return failureOf(error, what)
  return `${what} This is the last admin: make somebody else an admin first.`
}
