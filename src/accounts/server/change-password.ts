import { and, eq } from 'drizzle-orm'
import { invalidInput, notSignedIn, ShopError } from '#shop/platform/errors.ts'
import type { Viewer } from '#shop/platform/route.ts'
import { transaction } from '#shop/platform/statements.ts'
import { requireUncommon } from './common-passwords.ts'
import { requirePassword, type LogInParts } from './log-in.ts'
import { hashPassword } from './passwords.ts'
import { endSessionsOf, startSession } from './session.ts'
import { findUser } from './store.ts'
import { users } from './tables.ts'

/**
 * Asks for the current password, which somebody at an unlocked screen does not know. Ends every session of the
 * account, also a stolen copy of this browser's session: the browser goes on with a new one.
 *
 * @returns the token of the new session
 * @throws ShopError 400 for a wrong current or a common new password, 401 if the session has ended meanwhile, 429
 *   after too many attempts, 503
 */
export async function changePassword(
  parts: LogInParts,
  viewer: Viewer,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  address: string,
): Promise<string> {
  requireUncommon(newPassword, 'newPassword')
  const { id, email, tokenHash } = viewer
  const found = await findUser(parts.db, id)
  if (!found) throw notSignedIn()
  const user = await requirePassword(
    parts.limiter,
    { email, password: currentPassword, address },
    found,
  ).catch(rethrowAsWrongCurrent)
  const passwordHash = await hashPassword(newPassword)
  const token = await transaction(parts.db, async (tx) => {
    await tx
      .update(users)
      .set({ passwordHash })
      // Only if the password that was checked is still the current one: of two concurrent changes one succeeds.
      .where(and(eq(users.id, id), eq(users.passwordHash, user.passwordHash)))
    const ended = await endSessionsOf(tx, id)
    // Another change, a sign-out or the user's deletion came first: nothing is changed.
    if (!ended.includes(tokenHash)) throw notSignedIn()
    return startSession(tx, { id, passwordHash }, undefined)
  })
  if (!token) throw notSignedIn()
  return token
}

/** The page takes a 401 to mean that the session has ended. */
function rethrowAsWrongCurrent(error: unknown): never {
  throw error instanceof ShopError && error.status === 401 ? wrongCurrent() : error
}

function wrongCurrent(): ShopError {
  return invalidInput([{ path: 'currentPassword', message: 'is not correct' }])
}
