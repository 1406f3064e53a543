import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Database, Db } from '#shop/platform/database.ts'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import { hashOf, newToken } from '#shop/platform/ids.ts'
import { tryPeriodically } from '#shop/platform/run-periodically.ts'
import type { Viewer } from '#shop/platform/route.ts'
import { sessions, users } from './tables.ts'

export const sessionLimits = { idleHours: 24, absoluteDays: 14 } as const

const idleSince = sql`now() - make_interval(hours => ${sessionLimits.idleHours})`
const oldestCreatedAt = sql`now() - make_interval(days => ${sessionLimits.absoluteDays})`

/** A session created while the database's clock was ahead would otherwise outlive its limits by as much. */
const newestCreatedAt = sql`now() + interval '1 hour'`

/** Over https the prefix `__Host-` binds the cookie to this host, the path `/` and secure connections. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-sid' : 'sid'
}

/** The ways to send a session's token, as the OpenAPI document names them. */
export const waysToSignIn = (publicUrl: string) =>
  ({
    session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(publicUrl) },
    bearer: { type: 'http', scheme: 'bearer' },
  }) as const

/** The token of a request: a program's `Authorization: Bearer`, or the browser's cookie. */
export function tokenOf(request: FastifyRequest, cookieName: string): string | undefined {
  const bearer = /^Bearer +([\w-]{20,200})$/i.exec(request.headers.authorization ?? '')
  return bearer?.[1] ?? request.cookies[cookieName]
}

/** The user whose token this is, with their current role; null once the session has ended or was idle too long. */
export async function findViewer(db: Db, token: string): Promise<Viewer | null> {
  const tokenHash = hashOf(token)
  const rows = await db
    .select({ id: users.id, email: users.email, role: users.role, isSeenLongAgo })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        gt(sessions.lastSeenAt, idleSince),
        gt(sessions.createdAt, oldestCreatedAt),
        lt(sessions.createdAt, newestCreatedAt),
      ),
    )
  const found = rows[0]
  if (!found) return null
  if (found.isSeenLongAgo) await keepAlive(db, tokenHash)
  return { id: found.id, email: found.email, role: found.role, tokenHash }
}

/** Limits the writes to one in five minutes, however many requests a page makes. */
const isSeenLongAgo = sql<boolean>`${sessions.lastSeenAt} < now() - interval '5 minutes'`

/** While the database takes no writes, those who only read are still served. */
async function keepAlive(db: Db, tokenHash: string): Promise<void> {
  try {
    await db
      .update(sessions)
      .set({ lastSeenAt: sql`now()` })
      .where(and(eq(sessions.tokenHash, tokenHash), isSeenLongAgo))
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error
  }
}

/**
 * Starts a session and ends the one whose token the browser had, so that a token that somebody else planted there
 * is worthless afterwards (session fixation).
 *
 * @returns the new token; undefined when the user is gone, or the password was changed while it was being checked
 */
export async function startSession(
  tx: Db,
  user: { id: string; passwordHash: string },
  oldToken: string | undefined,
): Promise<string | undefined> {
  // Other sign-ins may hold this lock too, but a password change waits for it, and then finds and ends this session.
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash)))
    .for('share')
  if (rows.length === 0) return undefined
  if (oldToken) await endSession(tx, hashOf(oldToken))
  const token = newToken()
  await tx.insert(sessions).values({ tokenHash: hashOf(token), userId: user.id })
  return token
}

export async function endSession(db: Db, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash))
}

/** @returns the hashes of their tokens */
export async function endSessionsOf(tx: Db, userId: string): Promise<string[]> {
  const ended = await tx
    .delete(sessions)
    .where(eq(sessions.userId, userId))
    .returning({ tokenHash: sessions.tokenHash })
  return ended.map(({ tokenHash }) => tokenHash)
}

const isExpired = or(lte(sessions.lastSeenAt, idleSince), lte(sessions.createdAt, oldestCreatedAt))

/** Rows that one statement deletes: few enough for nobody to wait long for it. */
const maxDeletedAtOnce = 10_000

/** Deletes expired sessions, except for those that another transaction has locked. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  const expiredSessions = db
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(isExpired)
    .limit(maxDeletedAtOnce)
    .for('update', { skipLocked: true })
  let deletedCount = maxDeletedAtOnce
  while (deletedCount === maxDeletedAtOnce) {
    const rows = await db
      .delete(sessions)
      .where(inArray(sessions.tokenHash, expiredSessions))
      .returning({ userId: sessions.userId })
    deletedCount = rows.length
  }
}

/** Deletes expired sessions now and every hour, until stopped. */
export function deleteExpiredSessionsHourly({ db }: Database, log: (line: string) => void) {
  return tryPeriodically(
    3_600_000,
    () => deleteExpiredSessions(db),
    'Expired sessions will be deleted later',
    log,
  )
}
