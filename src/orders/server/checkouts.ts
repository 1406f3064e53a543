import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  lt,
  ne,
  notExists,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { prepareOnce } from '#shop/platform/statements.ts'
import { isOpenBreak } from './payment-breaks.ts'
import { checkouts, orders, paymentBreaks, type CheckoutRow } from './tables.ts'

/** The provider wants at least 30 minutes; an hour leaves room to repeat the request with the same end. */
const sessionMinutes = 60

/** In the words of its index: a value would be unknown to the database when it chooses an index. */
const isUnfinished = sql`${checkouts.state} in ('creating', 'open')`

type NewCheckout = Omit<typeof checkouts.$inferInsert, 'expiresAt'> & {
  userId: string | null
  shipTo: string[]
}

/**
 * For an hour from now, by the database's clock like everything that asks whether it is over: the processes of a shop may
 * have clocks of their own, and what one takes for over another is just opening. Undefined when another checkout holds the
 * same request key.
 */
export async function insertCheckout(db: Db, row: NewCheckout): Promise<CheckoutRow | undefined> {
  const question = prepareOnce(db, `insert_checkout_${row.userId ? 'user' : 'guest'}`, (name) => {
    const given = (field: string) => sql.placeholder(field)
    return db
      .insert(checkouts)
      .values({
        id: given('id'),
        // A user who is deleted at this moment checks out as a guest.
        userId: row.userId ? sql`(select id from users where id = ${given('userId')} for key share)` : null,
        lines: given('lines'),
        amountCents: given('amountCents'),
        currency: given('currency'),
        returnTo: given('returnTo'),
        shipTo: given('shipTo'),
        expiresAt: sql`now() + make_interval(mins => ${sql.raw(`${sessionMinutes}`)})`,
        requestKey: given('requestKey'),
        requestHash: given('requestHash'),
      })
      .onConflictDoNothing()
      .returning()
      .prepare(name)
  })
  return (await question.execute(row))[0]
}

export async function findCheckout(db: Db, id: string): Promise<CheckoutRow | undefined> {
  const question = prepareOnce(db, 'find_checkout', (name) =>
    db
      .select()
      .from(checkouts)
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  return (await question.execute({ id }))[0]
}

/** The one that this session was recorded for, whatever the provider says by now, or else the one that it names. */
export async function findCheckoutOf(
  db: Db,
  session: { id: string; checkoutId: string | null },
): Promise<CheckoutRow | undefined> {
  const question = prepareOnce(db, 'find_checkout_of', (name) => {
    const isRecorded = sql`${checkouts.sessionId} is not distinct from ${sql.placeholder('sessionId')}`
    return db
      .select()
      .from(checkouts)
      .where(
        or(
          eq(checkouts.sessionId, sql.placeholder('sessionId')),
          eq(checkouts.id, sql.placeholder('checkoutId')),
        ),
      )
      .orderBy(desc(isRecorded))
      .limit(1)
      .prepare(name)
  })
  return (await question.execute({ sessionId: session.id, checkoutId: session.checkoutId }))[0]
}

export async function findCheckoutByKey(
  db: Db,
  requestKey: string,
): Promise<(CheckoutRow & { minutesLeft: number }) | undefined> {
  const minutesLeft = sql<number>`(extract(epoch from ${checkouts.expiresAt} - now()) / 60)::float8`
  return (
    await db
      .select({ ...getTableColumns(checkouts), minutesLeft })
      .from(checkouts)
      .where(eq(checkouts.requestKey, requestKey))
  )[0]
}

/** Serialises everything that ends a checkout; take it first in the transaction. */
export async function lockCheckout(tx: Db, id: string): Promise<void> {
  const question = prepareOnce(tx, 'lock_checkout', (name) => {
    const isThis = eq(checkouts.id, sql.placeholder('id'))
    return tx.select({ id: checkouts.id }).from(checkouts).where(isThis).for('update').prepare(name)
  })
  await question.execute({ id })
}

/**
 * Records where the checkout is paid. From then on it is open, also one that had expired meanwhile; one that is paid or
 * under review stays so.
 */
export async function keepSession(
  db: Db,
  id: string,
  session: { id: string; url: string | null },
): Promise<void> {
  const question = prepareOnce(db, 'keep_session', (name) =>
    db
      .update(checkouts)
      .set({
        sessionId: sql`${sql.placeholder('sessionId')}`,
        sessionUrl: sql`${sql.placeholder('sessionUrl')}`,
        // A webhook may have been quicker than this answer. One that was given up meanwhile can be paid after all:
        // it is looked after again.
        state: sql`case when ${checkouts.state} in ('creating', 'expired') then 'open' else ${checkouts.state} end`,
      })
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  await question.execute({ id, sessionId: session.id, sessionUrl: session.url })
}

/**
 * The key of a checkout that can not be paid any more is free for a new one. Does nothing when it has got a session since
 * it was read: that one can be paid.
 */
export async function expireCheckout(
  db: Db,
  read: Pick<CheckoutRow, 'id' | 'sessionId'>,
  when?: SQL,
): Promise<void> {
  const isAsRead = sql`${checkouts.sessionId} is not distinct from ${read.sessionId}`
  await db
    .update(checkouts)
    .set({ state: 'expired', requestKey: null })
    .where(and(eq(checkouts.id, read.id), isUnfinished, isAsRead, when))
}

/** Its hour has passed. */
export const isOver = lt(checkouts.expiresAt, sql`now()`)

/**
 * So is that of one whose order has been deleted, or whose payment fitted no order and is settled: who wants the same
 * again is not led to a session that is over. False when nothing was undone.
 */
export async function freeUndone(db: Db, id: string): Promise<boolean> {
  const isOfIt = eq(orders.checkoutId, checkouts.id)
  const deleted = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(isOfIt, isNotNull(orders.deletedAt)))
  const { checkoutId, sessionId } = paymentBreaks
  const isBroken = or(eq(checkoutId, checkouts.id), eq(sessionId, checkouts.sessionId))
  const broken = db.select({ sessionId }).from(paymentBreaks).where(and(isBroken, isOpenBreak))
  const isSettled = and(eq(checkouts.state, 'review'), notExists(broken))
  const rows = await db
    .update(checkouts)
    .set({ requestKey: null })
    .where(and(eq(checkouts.id, id), or(exists(deleted), isSettled)))
    .returning({ id: checkouts.id })
  return rows.length > 0
}

/** So many of one statement, which ends in time: a program may have opened a hundred thousand in the name of one user. */
const mostReleased = 10_000

/**
 * Takes a user who is about to be deleted off their checkouts; those that are paid later become a guest's orders.
 * Locked in the order in which settling locks, the checkout before the user, or the two would wait for each other.
 */
export async function releaseCheckouts(tx: Db, userId: string): Promise<void> {
  const theirs = tx
    .select({ id: checkouts.id })
    .from(checkouts)
    .where(eq(checkouts.userId, userId))
    .limit(mostReleased)
  const releaseSome = tx.update(checkouts).set({ userId: null }).where(inArray(checkouts.id, theirs))
  while ((await releaseSome.execute()).rowCount === mostReleased);
}

/** A checkout that has its order keeps it, whatever is found to be wrong with another payment for it. */
export async function finishCheckout(
  tx: Db,
  id: string,
  state: 'paid' | 'review',
  sessionId: string,
): Promise<void> {
  const question = prepareOnce(tx, `finish_checkout_${state}`, (name) => {
    const given = sql`${sql.placeholder('sessionId')}`
    const isFree = state === 'review' ? ne(checkouts.state, 'paid') : undefined
    return (
      tx
        .update(checkouts)
        // What came in another session does not make that the recorded one.
        .set({ state, sessionId: state === 'paid' ? given : sql`coalesce(${checkouts.sessionId}, ${given})` })
        .where(and(eq(checkouts.id, sql.placeholder('id')), isFree))
        .prepare(name)
    )
  })
  await question.execute({ id, sessionId })
}

/** Long enough to be asked about more than once when their time is over. */
const endingMinutes = 5

/**
 * Checkouts that are still open, oldest first, from `after` on.
 *
 * @param isThorough also those that should have been over for minutes
 */
export async function listUnfinishedCheckouts(
  db: Db,
  { after, isThorough }: { after: CheckoutRow | undefined; isThorough: boolean },
): Promise<CheckoutRow[]> {
  // Compared in the database: a Date has milliseconds, and the row itself would be later than its own.
  const isLater =
    after &&
    sql`(${checkouts.createdAt}, ${checkouts.id}) >
      (select created_at, id from checkouts where id = ${after.id})`
  const isCurrent = isThorough
    ? undefined
    : gt(checkouts.expiresAt, sql`now() - make_interval(mins => ${endingMinutes})`)
  return db
    .select()
    .from(checkouts)
    .where(and(isUnfinished, isCurrent, isLater))
    .orderBy(asc(checkouts.createdAt), asc(checkouts.id))
    .limit(100)
}
