import { and, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Role } from '#shop/accounts/contract.ts'
import type { Db } from '#shop/platform/database.ts'
import { notFound, notSignedIn, ShopError } from '#shop/platform/errors.ts'
import { locks } from '#shop/platform/locks.ts'
import type { Viewer } from '#shop/platform/route.ts'
import { transaction } from '#shop/platform/statements.ts'
import { endSessionsOf } from './session.ts'
import { isAdmin, type UserRow } from './store.ts'
import { sessions, users } from './tables.ts'

/** What other domains do before a user is deleted, in the same transaction, while the user's row is locked. */
export type BeforeDeletion = (tx: Db, userId: string) => Promise<void>

/**
 * Ends the user's sessions too, so that nobody goes on with the rights of the old role.
 *
 * @throws ShopError 401 if the admin has been removed meanwhile, 404, or 409 `last_admin`
 */
export async function changeRole(
  db: NodePgDatabase,
  admin: Viewer,
  { userId, role }: { userId: string; role: Role },
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    await lockAdminChanges(tx, admin)
    if (role !== 'admin') await requireAnotherAdmin(tx, userId)
    const before = (await tx.select().from(users).where(eq(users.id, userId)).for('no key update'))[0]
    if (!before) throw notFound()
    if (before.role === role) return before
    await tx.update(users).set({ role }).where(eq(users.id, userId))
    await endSessionsOf(tx, userId)
    return { ...before, role }
  })
}

/**
 * Sessions are deleted with the user; orders, checkouts and reviews stay, without a user.
 *
 * @throws ShopError 401 if the admin has been removed meanwhile, 404, or 409 `last_admin`
 */
export async function deleteUser(
  db: NodePgDatabase,
  admin: Viewer,
  userId: string,
  beforeDeletion: BeforeDeletion,
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockAdminChanges(tx, admin)
    await requireAnotherAdmin(tx, userId)
    const isUser = eq(users.id, userId)
    // Everybody locks the user before what is theirs: the opposite order could deadlock.
    const rows = await tx.select({ id: users.id }).from(users).where(isUser).for('update')
    if (rows.length === 0) throw notFound()
    await beforeDeletion(tx, userId)
    await tx.delete(users).where(isUser)
  })
}

/**
 * One such transaction at a time: two admins who remove each other at the same moment would otherwise each still
 * see the other. An advisory lock, unlike row locks, does not block orders and sessions that reference an admin.
 *
 * @throws ShopError 401 if the admin was demoted, deleted or signed out while this waited: otherwise a request that
 *   they have sent in time could make them an admin again
 */
async function lockAdminChanges(tx: Db, { tokenHash }: Viewer): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${locks.admins})`)
  const rows = await tx
    .select({ id: users.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, tokenHash), isAdmin))
  if (rows.length === 0) throw notSignedIn()
}

async function requireAnotherAdmin(tx: Db, userId: string): Promise<void> {
  const admins = await tx.select({ id: users.id }).from(users).where(isAdmin).limit(2)
  if (admins.length > 1 || admins[0]?.id !== userId) return
  const title = 'You cannot remove the last admin'
  throw new ShopError(409, 'last_admin', title, { title })
}
