import { asc, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { EditProfile, ListedUser, ListUsers, User } from '#shop/accounts/contract.ts'
import type { Checked } from '#shop/contract/endpoint.ts'
import { literally, onlyRow, type Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { idsOfPage, limitedTo } from '#shop/platform/page-window.ts'
import { countOfRows } from '#shop/platform/row-counts.ts'
import { hashPassword } from './passwords.ts'
import { users } from './tables.ts'

export type UserRow = typeof users.$inferSelect

/** In the words of the index that has them: a value would be unknown to the database when it chooses an index. */
export const isAdmin = sql`${users.role} = 'admin'`

/**
 * Makes the first admin; does nothing once there is one. False when nobody is admin: nobody was named, or a customer has
 * the e-mail.
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
 * Undefined when the e-mail is taken. Its row is then written again as it was: the answer takes as long as for a
 * free one, so that time does not tell who is a customer.
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

/** Keeps a user from being deleted until the transaction ends; undefined when there is none any more. */
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

/** A search finds so many, the newest: more could be counted only by reading them all. */
const mostFound = 500
/** Among so many of the newest is looked for what no index knows: a sign alone. */
const nearby = 10_000
/** And among so many for what is frequent: enough have it. */
const nearest = 2500
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
  const total = await countAll(db)
  const counted = { list: 'users' } as const
  return { total, ids: await idsOfPage(db, { rows: users, paging: { ...paging, total }, counted }) }
}

/**
 * What is frequent among many is found among the newest; what is not, by the index of letters, wherever it is. That
 * knows one or two letters where a word begins.
 */
async function findUsers(db: Db, search: string, paging: Paging): Promise<Found> {
  if ((await countAll(db)) <= nearby) return foundAmong(db, search, paging, sql`${users}`)
  if (!/[\p{L}\p{N}]/u.test(search)) return foundAmong(db, search, paging, newestOf(nearby))
  const near = await foundAmong(db, search, paging, newestOf(nearest))
  if (near.total >= enough) return near
  const isShort = !/[\p{L}\p{N}]{3}/u.test(search)
  const isFound = isShort ? or(inArray(users.id, near.few), beginsWord(search)) : hasText(search)
  // Collected first and put in order then: "offset 0" keeps the database from reading in order instead.
  return foundAmong(db, search, paging, sql`(select * from ${users} where ${isFound} offset 0) as ${users}`)
}

const newestOf = (amount: number) =>
  sql`(select * from ${users} order by ${sql.join(newestFirst, sql`, `)} ${limitedTo(amount)}) as ${users}`

/** @returns also all that were found, where those are less than enough */
async function foundAmong(
  db: Db,
  search: string,
  { page, limit }: Paging,
  from: SQL,
): Promise<Found & { few: string[] }> {
  const { rows } = await db.execute<Found & { few: string[] }>(sql`
    with found as materialized (
      select id from ${from} where ${hasText(search)}
      order by ${sql.join(newestFirst, sql`, `)} ${limitedTo(mostFound)}
    ),
    counted as (select count(*) as total from found)
    select (select total from counted)::float8 as total,
      array(select id from found offset ${(page - 1) * limit} limit ${limit}) as ids,
      array(select id from found where (select total from counted) < ${enough}) as few`)
  return onlyRow(rows)
}

/** As it is indexed, so that a part of a name is found among many; see the migrations. */
const indexed = sql`lower(${users.username} || E'\\n' || ${users.email})`

function hasText(search: string): SQL {
  return sql`${indexed} like lower(${`%${literally(search)}%`})`
}

/** In a name or, as its first word, in an e-mail. */
function beginsWord(search: string): SQL {
  const patterns = ['', '% ', '%\n'].map((before) => `${before}${literally(search)}%`)
  return sql.join(
    patterns.map((pattern) => sql`${indexed} like lower(${pattern})`),
    sql` or `,
  )
}

async function countAll(db: Db): Promise<number> {
  const { rows } = await db.execute<{ all: number }>(sql`select ${countOfRows('users')} as all`)
  return onlyRow(rows).all
}

export function userReply(row: UserRow): User {
  const { profileImage, bio, profession } = row
  return { ...listedUser(row), profileImage, bio, profession }
}

export function listedUser({ id, username, email, role, createdAt }: UserRow): ListedUser {
  return { _id: id, username, email, role, createdAt: createdAt.toISOString() }
}
