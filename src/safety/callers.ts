import { eq } from 'drizzle-orm'
import { hashPassword } from '#shop/accounts/server/passwords.ts'
import { sessions, users } from '#shop/accounts/server/tables.ts'
import type { RouteAccess } from '#shop/platform/route.ts'
import { makeUser } from '#shop/testing/factories.ts'
import type { TestApp } from '#shop/testing/test-app.ts'

export type Person = Awaited<ReturnType<typeof makeUser>>

/** What the caller is to the shop at the time of the call. */
type Standing = 'nobody' | 'user' | 'owner' | 'admin'

/** `headers` prove the `standing`. `owner` is the person whose things the call is about. */
type Caller = { standing: Standing; headers(shop: TestApp, owner: Person): Promise<Record<string, string>> }

export const password = 'plum-teapot-9'
let passwordHash: Promise<string> | undefined

/** Somebody signed in whose password is known. */
export async function newPerson(shop: TestApp, role: 'user' | 'admin' = 'user'): Promise<Person> {
  passwordHash ??= hashPassword(password)
  return makeUser(shop.database.db, { role, passwordHash: await passwordHash })
}

export const cookieOf = ({ token }: { token: string }) => ({ cookie: `sid=${token}` })

export const callers = {
  'a stranger': { standing: 'nobody', headers: async () => ({}) },
  'a stranger with an invented session': {
    standing: 'nobody',
    headers: async () => cookieOf({ token: 'a'.repeat(43) }),
  },
  'another user': { standing: 'user', headers: async (shop) => cookieOf(await newPerson(shop)) },
  'another user’s program': { standing: 'user', headers: async (shop) => (await newPerson(shop)).headers },
  'the owner': { standing: 'owner', headers: async (_shop, owner) => cookieOf(owner) },
  'an admin': { standing: 'admin', headers: async (shop) => cookieOf(await newPerson(shop, 'admin')) },
  'an admin’s program': {
    standing: 'admin',
    headers: async (shop) => (await newPerson(shop, 'admin')).headers,
  },
  'somebody who was an admin until another one changed it': {
    standing: 'nobody',
    headers: async (shop) => {
      const [former, admin] = [await newPerson(shop, 'admin'), await newPerson(shop, 'admin')]
      const url = `/api/auth/users/${former.user.id}`
      await shop.call({ method: 'PUT', url, headers: admin.headers, payload: { role: 'user' } })
      return cookieOf(former)
    },
  },
  'an admin whose role has changed while the session has not': {
    standing: 'user',
    headers: async (shop) => {
      const former = await newPerson(shop, 'admin')
      await shop.database.db.update(users).set({ role: 'user' }).where(eq(users.id, former.user.id))
      return cookieOf(former)
    },
  },
  'a deleted user': {
    standing: 'nobody',
    headers: async (shop) => {
      const [former, admin] = [await newPerson(shop), await newPerson(shop, 'admin')]
      const url = `/api/auth/users/${former.user.id}`
      await shop.call({ method: 'DELETE', url, headers: admin.headers })
      return cookieOf(former)
    },
  },
  'an admin who has logged out': {
    standing: 'nobody',
    headers: async (shop) => {
      const former = await newPerson(shop, 'admin')
      await shop.call({ method: 'POST', url: '/api/auth/logout', headers: former.headers })
      return cookieOf(former)
    },
  },
  'an admin who was idle for a day': {
    standing: 'nobody',
    headers: async (shop) => {
      const former = await newPerson(shop, 'admin')
      const lastSeenAt = new Date(Date.now() - 24.1 * 3_600_000)
      await shop.database.db.update(sessions).set({ lastSeenAt }).where(eq(sessions.userId, former.user.id))
      return cookieOf(former)
    },
  },
} satisfies Record<string, Caller>

/** The status that this caller must get; `success` where they may make the call. */
export function expectedStatus(access: RouteAccess['access'], is: Standing, success: number): number {
  if (access === 'signed') return 400
  if (access === 'anyone' || access === 'file') return success
  if (is === 'nobody') return 401
  if (access === 'user' || is === 'admin') return success
  return access !== 'admin' && is === 'owner' ? success : 403
}
