import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
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

/** The provider requires at least 30 minutes. An hour leaves time to retry the request with the same expiry. */
const sessionMinutes = 60

/** The literal condition of its partial index: the planner could not match parameters with that. */
const isUnfinished = sql`${checkouts.state} in ('creating', 'open')`

type NewCheckout = Omit<typeof checkouts.$inferInsert, 'expiresAt'> & {
  userId: string | null
  shipTo: string[]
}

/**
 * Inserts a checkout that expires in an hour. Its expiry, like every check of it, goes by the database's clock:
 * the clocks of the shop's processes may differ, and one would take for expired what another is just opening.
 * Returns undefined when another checkout holds the same request key.
 */
export async function insertCheckout(db: Db, row: NewCheckout): Promise<CheckoutRow | undefined> {
  const statement = prepareOnce(db, `insert_checkout_${row.userId ? 'user' : 'guest'}`, (name) => {
    const placeholder = (field: string) => sql.placeholder(field)
    return db
      .insert(checkouts)
      .values({
        id: placeholder('id'),
        // If the user has just been deleted, it becomes a guest's checkout.
        userId: row.userId
          ? sql`(select id from users where id = ${placeholder('userId')} for key share)`
          : null,
        lines: placeholder('lines'),
        amountCents: placeholder('amountCents'),
        currency: placeholder('currency'),
        returnTo: placeholder('returnTo'),
        shipTo: placeholder('shipTo'),
        expiresAt: sql`now() + make_interval(mins => ${sql.raw(`${sessionMinutes}`)})`,
        requestKey: placeholder('requestKey'),
        requestHash: placeholder('requestHash'),
      })
      .onConflictDoNothing()
      .returning()
      .prepare(name)
  })
  return (await statement.execute(row))[0]
}

export async function findCheckout(db: Db, id: string): Promise<CheckoutRow | undefined> {
  const statement = prepareOnce(db, 'find_checkout', (name) =>
    db
      .select()
      .from(checkouts)
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  return (await statement.execute({ id }))[0]
}

/**
 * Finds the checkout that has this session recorded, whatever reference the provider reports now; if there is
 * none, the checkout that the session names.
 */
export async function findCheckoutOf(
  db: Db,
  session: { id: string; checkoutId: string | null },
): Promise<CheckoutRow | undefined> {
  const statement = prepareOnce(db, 'find_checkout_of', (name) => {
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
  return (await statement.execute({ sessionId: session.id, checkoutId: session.checkoutId }))[0]
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

/** Serializes everything that ends a checkout. In a transaction, only that of its user comes before this lock. */
export async function lockCheckout(tx: Db, id: string): Promise<void> {
  const statement = prepareOnce(tx, 'lock_checkout', (name) => {
    const isThis = eq(checkouts.id, sql.placeholder('id'))
    return tx.select({ id: checkouts.id }).from(checkouts).where(isThis).for('update').prepare(name)
  })
  await statement.execute({ id })
}

/**
 * Records the session in which the checkout is paid. The checkout is then `open`, even if it had expired
 * meanwhile; one that is `paid` or under `review` stays so.
 */
export async function recordSession(
  db: Db,
  id: string,
  session: { id: string; url: string | null },
): Promise<void> {
  const statement = prepareOnce(db, 'record_session', (name) =>
    db
      .update(checkouts)
      .set({
        sessionId: sql`${sql.placeholder('sessionId')}`,
        sessionUrl: sql`${sql.placeholder('sessionUrl')}`,
        // A webhook event may have been processed before this response came. A checkout that has expired meanwhile can
        // be paid after all, so the sweep must look after it again.
        state: sql`case when ${checkouts.state} in ('creating', 'expired') then 'open' else ${checkouts.state} end`,
      })
      .where(eq(checkouts.id, sql.placeholder('id')))
      .prepare(name),
  )
  await statement.execute({ id, sessionId: session.id, sessionUrl: session.url })
}

/**
 * Marks a checkout that can no longer be paid as expired and frees its request key for a new one. Does nothing if
 * another session was recorded since it was read, because that one can be paid.
 */
export async function expireCheckout(
  db: Db,
  checkout: Pick<CheckoutRow, 'id' | 'sessionId'>,
  when?: SQL,
): Promise<void> {
  const isAsRead = sql`${checkouts.sessionId} is not distinct from ${checkout.sessionId}`
  await db
    .update(checkouts)
    .set({ state: 'expired', requestKey: null })
    .where(and(eq(checkouts.id, checkout.id), isUnfinished, isAsRead, when))
}

/** Condition: the checkout's hour has passed. */
export const hasExpired = lt(checkouts.expiresAt, sql`now()`)

/**
 * Frees the request key of a checkout whose order was deleted, or whose break is closed or given back: a customer
 * who wants the same again must not be sent to a session that is over. Returns false when neither holds.
 */
export async function freeKeyIfUndone(db: Db, id: string): Promise<boolean> {
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

/** Ends a checkout. One that is `paid` stays so, whatever is wrong with another payment for it. */
export async function finishCheckout(
  tx: Db,
  id: string,
  state: 'paid' | 'review',
  sessionId: string,
): Promise<void> {
  const statement = prepareOnce(tx, `finish_checkout_${state}`, (name) => {
    const newSessionId = sql`${sql.placeholder('sessionId')}`
    const isFree = state === 'review' ? ne(checkouts.state, 'paid') : undefined
    return (
      tx
        .update(checkouts)
        // On review, a session that is already recorded stays: the payment may have come in another one.
        .set({
          state,
          sessionId: state === 'paid' ? newSessionId : sql`coalesce(${checkouts.sessionId}, ${newSessionId})`,
        })
        .where(and(eq(checkouts.id, sql.placeholder('id')), isFree))
        .prepare(name)
    )
  })
  await statement.execute({ id, sessionId })
}

/** How long past its expiry a checkout stays in every sweep: enough to be asked about more than once. */
const endingMinutes = 5

/**
 * Unfinished checkouts after `after`, oldest first, at most a hundred.
 *
 * @param isThorough also those that expired more than five minutes ago
 */
export async function listUnfinishedCheckouts(
  db: Db,
  { after, isThorough }: { after: CheckoutRow | undefined; isThorough: boolean },
): Promise<CheckoutRow[]> {
  // Compared in the database: a Date has only milliseconds, so the row of `after` would come after itself.
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
