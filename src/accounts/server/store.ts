import { eq, sql } from 'drizzle-orm'
import type { EditProfile, ListedUser, User } from '#shop/accounts/contract.ts'
import type { Checked } from '#shop/contract/endpoint.ts'
import type { Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
import { hashPassword } from './passwords.ts'
import { users } from './tables.ts'

export type UserRow = typeof users.$inferSelect

/** As written in the partial index on admins: with a parameter, PostgreSQL could not tell that it applies. */
export const isAdmin = sql`${users.role} = 'admin'`

/**
 * Makes the first admin; does nothing once there is one.
 *
 * @returns false when there is still no admin: none was given, or a customer has the e-mail
 */
export async function ensureAdmin(
  db: Db,
  admin: { email: string; password: string } | undefined,
): Promise<boolean> {
  const isThere = async () =>
    (await db.select({ id: users.id }).from(users).where(isAdmin).limit(1)).length > 0
  if (await isThere()) return true
  if (!admin) return false
  await db
    .insert(users)
    .values(await newAdmin(admin))
    .onConflictDoNothing()
  return isThere()
}

export async function newAdmin({ email, password }: { email: string; password: string }) {
  const passwordHash = await hashPassword(password)
  return { id: newId(), username: 'admin', email, passwordHash, role: 'admin' } as const
}

/**
 * Undefined when the e-mail is taken. The existing row is then rewritten unchanged, so that the response takes as
 * long as for a free e-mail and its time does not reveal who is a customer.
 */
export async function insertUser(
  db: Db,
  user: { username: string; email: string; passwordHash: string },
): Promise<UserRow | undefined> {
  const id = newId()
  const rows = await db
    .insert(users)
    .values({ ...user, id })
    .onConflictDoUpdate({ target: users.email, set: { email: sql`${users.email}` } })
    .returning()
  return rows.find((row) => row.id === id)
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return (await db.select().from(users).where(eq(users.id, id)))[0]
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return (await db.select().from(users).where(eq(users.email, email)))[0]
}

/** Locks a user against deletion until the transaction ends; undefined when the user is gone. */
export async function holdUser(tx: Db, id: string): Promise<UserRow | undefined> {
  const statement = prepareOnce(tx, 'hold_user', (name) => {
    const isUser = eq(users.id, sql.placeholder('id'))
    return tx.select().from(users).where(isUser).for('key share').prepare(name)
  })
  return (await statement.execute({ id }))[0]
}

export async function updateProfile(
  db: Db,
  id: string,
  profile: Omit<Checked<EditProfile>['body'], 'userId'>,
): Promise<UserRow | undefined> {
  const { username, profileImage, bio, profession } = profile
  const changed = { username, profileImage, bio, profession }
  return (await db.update(users).set(changed).where(eq(users.id, id)).returning())[0]
}

export function userReply(row: UserRow): User {
  const { profileImage, bio, profession } = row
  return { ...listedUser(row), profileImage, bio, profession }
}

export function listedUser({ id, username, email, role, createdAt }: UserRow): ListedUser {
  return { _id: id, username, email, role, createdAt: createdAt.toISOString() }
}
