import { asc, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { EditProfile, ListedUser, ListUsers, User } from '#shop/accounts/contract.ts'
import type { Checked } from '#shop/contract/endpoint.ts'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { idsOfPage, limitedTo } from '#shop/platform/page-window.ts'
import { countRows } from '#shop/platform/row-counts.ts'
import { ask, unseen } from '#shop/platform/statements.ts'
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
  return (await tx.select().from(users).where(eq(users.id, id)).for('key share'))[0]
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

/** A search finds at most so many users, the newest: to count more, it would have to read all that match. */
const mostFound = 500
/**
 * So many of the newest users are searched without an index: all users of a smaller shop, or, in a larger one, for
 * text without letters and digits, which the index does not find.
 */
const nearby = 10_000
/** Frequent text is searched for among so many of the newest, and that is all if `enough` of them have it. */
const nearest = 2500
/** If only `hardlyOne` of so many has the text, `nearest` would not have enough either and is skipped. */
const some = 500
const hardlyOne = 2
const enough = 24

export async function listUsers(
  db: Db,
  { search = '', ...paging }: z.output<ListUsers['query']>,
): Promise<{ users: ListedUser[]; total: number }> {
  const { total, ids } = await (search ? findUsers(db, search, paging) : pageOfUsers(db, paging))
  const rows = await db
    .select()
    .from(users)
    .where(inArray(users.id, ids))
    .orderBy(...newestFirst)
  return { users: rows.map(listedUser), total }
}

type Paging = { page: number; limit: number }
type Found = { total: number; ids: string[] }

const newestFirst = [desc(users.createdAt), asc(users.id)]

async function pageOfUsers(db: Db, paging: Paging): Promise<{ total: number; ids: SQL }> {
  const total = await countRows(db, 'users')
  const counted = { list: 'users' } as const
  return { total, ids: await idsOfPage(db, { rows: users, paging: { ...paging, total }, counted }) }
}

/**
 * Among many users, frequent text is found by reading the newest ones, rare text by the trigram index, among all.
 * The index finds one or two letters only where a word begins.
 */
async function findUsers(db: Db, search: string, paging: Paging): Promise<Found> {
  const asked = { search, ...paging }
  const among = (amount: number) => foundIn(db, `newest ${amount}`, newestOf(amount), asked)
  if (!/[\p{L}\p{N}]/u.test(search) || (await countRows(db, 'users')) <= nearby) return among(nearby)
  const isShort = !/[\p{L}\p{N}]{3}/u.test(search)
  const first = isShort ? undefined : await among(some)
  const near = first && first.total <= hardlyOne ? first : await among(nearest)
  if (near.total >= enough) return near
  return isShort
    ? foundIn(db, 'beginning so', beginningSo, { ...asked, near: near.few })
    : foundIn(db, 'with letters', withLetters, asked)
}

const newest = sql.join(newestFirst, sql`, `)
const newestOf = (amount: number) => sql`select * from ${users} order by ${newest} ${limitedTo(amount)}`

/** The expression of the trigram index (see the migrations), which finds parts of names among many users. */
const indexed = sql`lower(${users.username} || E'\\n' || ${users.email})`
/** The subquery makes PostgreSQL build the pattern once, and not for each row. */
const isLike = (before: SQL) =>
  sql`${indexed} like (select lower(${before} || ${unseen('letters', 'text')} || '%'))`
const hasText = isLike(sql`'%'`)
/** Matches the beginning of any word of a name, or of the e-mail. */
const beginsWord = or(isLike(sql`''`), isLike(sql`'% '`), isLike(sql`E'%\\n'`))

// Collects the matches before it sorts them: "offset 0" keeps PostgreSQL from reading users in order instead.
const withLetters = sql`select * from ${users} where ${hasText} offset 0`
const beginningSo = sql`select * from ${users}
  where ${or(sql`${users.id} = any(${unseen('near', 'text[]')})`, beginsWord)} offset 0`

/**
 * @param name of the rows that are searched: each has a prepared statement of its own
 * @returns also `few`: all ids that were found, if those are less than `enough`
 */
async function foundIn(
  db: Db,
  name: string,
  where: SQL,
  { search, page, limit, near }: Paging & { search: string; near?: string[] },
): Promise<Found & { few: string[] }> {
  const rows = await ask<Found & { few: string[] }>(
    db,
    `users ${name}`,
    () => sql`
      with found as materialized (
        select id from (${where}) as ${users} where ${hasText} order by ${newest} ${limitedTo(mostFound)}
      ),
      counted as (select count(*) as total from found)
      select (select total from counted)::float8 as total,
        array(select id from found offset ${unseen('offset', 'bigint')} limit ${unseen('limit', 'bigint')}) as ids,
        array(select id from found where (select total from counted) < ${sql.raw(`${enough}`)}) as few`,
    { letters: literally(search), near, offset: (page - 1) * limit, limit },
  )
  return onlyRow(rows)
}

export function userReply(row: UserRow): User {
  const { profileImage, bio, profession } = row
  return { ...listedUser(row), profileImage, bio, profession }
}

export function listedUser({ id, username, email, role, createdAt }: UserRow): ListedUser {
  return { _id: id, username, email, role, createdAt: createdAt.toISOString() }
}
