import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { onlyRow } from '#shop/platform/database.ts'
import { transaction } from '#shop/platform/statements.ts'
import { endSessionsOf } from './session.ts'
import { newAdmin } from './store.ts'
import { users } from './tables.ts'

/**
 * For whoever runs a shop that no admin can get into: the account of this e-mail is an admin's with this password then, and
 * whoever was signed in to it is not any more.
 *
 * @returns whether it was made for that
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
