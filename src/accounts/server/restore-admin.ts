import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { onlyRow } from '#shop/platform/database.ts'
import { transaction } from '#shop/platform/statements.ts'
import { endSessionsOf } from './session.ts'
import { newAdmin } from './store.ts'
import { users } from './tables.ts'

/**
 * For operators of a shop that no admin can sign in to: makes the account of this e-mail an admin with this
 * password, and ends its sessions.
 *
 * @returns whether the account was created for that
 */
export async function restoreAdmin(
  db: NodePgDatabase,
  login: { email: string; password: string },
): Promise<boolean> {
  const admin = await newAdmin(login)
  const { passwordHash, role } = admin
  return transaction(db, async (tx) => {
    const rows = await tx
      .insert(users)
      .values(admin)
      .onConflictDoUpdate({ target: users.email, set: { passwordHash, role } })
      .returning({ id: users.id })
    const { id } = onlyRow(rows)
    await endSessionsOf(tx, id)
    return id === admin.id
  })
}
