import { inArray, or } from 'drizzle-orm'
import type { Role } from '#shop/accounts/contract.ts'
import { demoAdmin, demoCustomer, isLoopback, modeOf, type Config } from '#shop/platform/config.ts'
import type { Db } from '#shop/platform/database.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { isPassword } from './passwords.ts'
import { isAdmin } from './store.ts'
import { users } from './tables.ts'

export type Login = { email: string; password: string; role: Role }

/**
 * Finds accounts that still have a demo's well-known password. On a host other than loopback they stop the start.
 * On loopback with a PUBLIC_URL elsewhere, where a proxy may let others in, they do so if real cards are charged,
 * and are logged otherwise.
 *
 * @returns the logins of a demo, to be shown to whoever starts it
 * @throws StartError naming the variable
 */
export async function findWellKnownLogins(
  db: Db,
  { host, publicUrl, isDemo, payments }: Config,
  log: (line: string) => void,
): Promise<Login[]> {
  const isLoopbackHost = isLoopback(host)
  const isForOthers = !isLoopbackHost || !isLoopback(new URL(publicUrl).hostname)
  if (!isDemo && !isForOthers) return []
  const logins = await wellKnownLogins(db)
  if (isForOthers && logins.length > 0) {
    const where = isLoopbackHost ? `PUBLIC_URL ${publicUrl}` : `HOST ${host}`
    const emails = logins.map(({ email }) => email).join(' and ')
    const harm = `${where} lets others in as ${emails}, with the demo's well-known password`
    if (!isLoopbackHost || modeOf(payments.secretKey) === 'live') {
      throw new StartError(`${harm}: change it first, or begin with an empty database`)
    }
    log(harm)
  }
  return isDemo ? logins : []
}

/** Accounts with the passwords that every demo has, and that anybody could sign in with; customers first. */
async function wellKnownLogins(db: Db): Promise<Login[]> {
  const known = inArray(users.email, [demoAdmin.email, demoCustomer.email])
  const found = await db
    .select({ email: users.email, role: users.role, passwordHash: users.passwordHash })
    .from(users)
    // A demo's admin may have another e-mail: `ADMIN_EMAIL` changes it.
    .where(or(known, isAdmin))
  const logins: Login[] = []
  for (const { email, role, passwordHash } of found) {
    const { password } = email === demoCustomer.email ? demoCustomer : demoAdmin
    if (await isPassword(password, passwordHash)) logins.push({ email, password, role })
  }
  return logins.sort((a, b) => b.role.localeCompare(a.role))
}
