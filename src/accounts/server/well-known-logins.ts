import { eq, inArray, or } from 'drizzle-orm'
import type { Role } from '#shop/accounts/contract.ts'
import { demoAdmin, demoCustomer } from '#shop/platform/config.ts'
import type { Db } from '#shop/platform/database.ts'
import { isPassword } from './passwords.ts'
import { users } from './tables.ts'

export type Login = { email: string; password: string; role: Role }

/** Accounts with the passwords that every demo has, with which anybody could sign in; the customer's first. */
export async function wellKnownLogins(db: Db): Promise<Login[]> {
  const known = inArray(users.email, [demoAdmin.email, demoCustomer.email])
  const found = await db
    .select({ email: users.email, role: users.role, passwordHash: users.passwordHash })
    .from(users)
    // An admin of a demo may have been given another e-mail.
    .where(or(known, eq(users.role, 'admin')))
  const logins: Login[] = []
  for (const { email, role, passwordHash } of found) {
    const { password } = email === demoCustomer.email ? demoCustomer : demoAdmin
    if (await isPassword(password, passwordHash)) logins.push({ email, password, role })
  }
  return logins.sort((a, b) => b.role.localeCompare(a.role))
}
