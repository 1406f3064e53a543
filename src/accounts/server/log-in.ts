import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { logIn as contract, type User } from '#shop/accounts/contract.ts'
import { ShopError } from '#shop/platform/errors.ts'
import { networkOf, type Limiter } from '#shop/platform/http/limits.ts'
import { transaction } from '#shop/platform/statements.ts'
import { isPassword } from './passwords.ts'
import { startSession } from './session.ts'
import { findUserByEmail, userReply, type UserRow } from './store.ts'

export type SigningIn = { db: NodePgDatabase; limiter: Limiter }

/** Who tries: the account is the e-mail as it was typed, whether there is such an account or not. */
type Attempt = { email: string; password: string; address: string }

/**
 * A new session for whoever knows the password.
 *
 * @throws ShopError 401, the same for a wrong password and an unknown e-mail; 429 after too many failures; 503
 */
export async function logIn(
  parts: SigningIn,
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
 * Every attempt counts as failed from the moment its turn comes until it turns out right, so that guesses sent all
 * at once are counted one by one.
 */
export async function requirePassword(
  limiter: Limiter,
  { email, password, address }: Attempt,
  user: UserRow | undefined,
): Promise<UserRow> {
  // Of its own password whoever has an account never runs out, and each takes a turn that others wait for.
  for (const key of [address, email]) limiter.check('passwords', key)
  limiter.count('passwords', address)
  const home = `${email} ${networkOf(address)}`
  // Where the owner has signed in before, only failures from there count: strangers can not lock them out for ever.
  const account = limiter.countOf('knownHomes', home) > 0 ? home : email
  const begin = () => {
    limiter.check('failedLoginsOfAccount', account)
    limiter.check('failedLoginsOfAddress', address)
    limiter.count('failedLoginsOfAccount', account)
    limiter.count('failedLoginsOfAddress', address)
  }
  // Who signs in now and then comes before those who do so without end, from however many addresses.
  const asked = limiter.countOf('passwords', address) + limiter.countOf('failedLoginsOfAddress', address)
  const isRight = await isPassword(password, user?.passwordHash, begin, asked)
  if (!isRight || !user) throw wrongPassword()
  // Only right ones: nobody else closes an account so.
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
