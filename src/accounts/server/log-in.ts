import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { logIn as contract, type User } from '#shop/accounts/contract.ts'
import { ShopError } from '#shop/platform/errors.ts'
import { networkOf, type Limiter } from '#shop/platform/http/limits.ts'
import { transaction } from '#shop/platform/statements.ts'
import { isPassword } from './passwords.ts'
import { startSession } from './session.ts'
import { findUserByEmail, userReply, type UserRow } from './store.ts'

export type LogInParts = { db: NodePgDatabase; limiter: Limiter }

/** An attempt counts against its e-mail whether or not there is such an account. */
type Attempt = { email: string; password: string; address: string }

/**
 * Starts a session if the password is right.
 *
 * @throws ShopError 401, the same for a wrong password and an unknown e-mail; 429 after too many attempts; 503
 */
export async function logIn(
  parts: LogInParts,
  attempt: Attempt,
  oldToken: string | undefined,
): Promise<{ token: string; user: User }> {
  const found = await findUserByEmail(parts.db, attempt.email)
  const user = await requirePassword(parts.limiter, attempt, found)
  const token = await transaction(parts.db, (tx) => startSession(tx, user, oldToken))
  if (!token) throw wrongPassword()
  return { token, user: userReply(user) }
}

/**
 * Counts every attempt as failed from the moment its comparison begins until it turns out right, so that guesses
 * sent concurrently cannot all pass the limit before the first one fails.
 */
export async function requirePassword(
  limiter: Limiter,
  { email, password, address }: Attempt,
  user: UserRow | undefined,
): Promise<UserRow> {
  // Right passwords are limited too: each comparison takes a slot that others wait for, and the limits on failures
  // would let the owner of an account take them without end.
  for (const key of [address, email]) limiter.check('passwords', key)
  limiter.count('passwords', address)
  const home = `${email} ${networkOf(address)}`
  // From a network where the owner has signed in before, only failures from there count: strangers elsewhere
  // cannot lock the owner out.
  const account = limiter.countOf('knownHomes', home) > 0 ? home : email
  const checkAndCount = () => {
    limiter.check('failedLoginsOfAccount', account)
    limiter.check('failedLoginsOfAddress', address)
    limiter.count('failedLoginsOfAccount', account)
    limiter.count('failedLoginsOfAddress', address)
  }
  // An address that signs in now and then goes before those that do so without end, however many those are.
  const recentAttempts =
    limiter.countOf('passwords', address) + limiter.countOf('failedLoginsOfAddress', address)
  const isRight = await isPassword(password, user?.passwordHash, checkAndCount, recentAttempts)
  if (!isRight || !user) throw wrongPassword()
  // Only right passwords count here: otherwise anybody could use up the limit of somebody else's account.
  limiter.count('passwords', email)
  limiter.reset('knownHomes', home)
  limiter.count('knownHomes', home)
  limiter.reset('failedLoginsOfAccount', account)
  limiter.uncount('failedLoginsOfAddress', address)
  return user
}

function wrongPassword(): ShopError {
  const title = contract.titles.invalid
  return new ShopError(401, 'wrong_password', title, { title })
}
