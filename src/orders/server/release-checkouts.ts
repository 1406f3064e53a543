import { eq, inArray } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import { checkouts } from './tables.ts'

/** Rows per statement, so that it ends in time: a script may have opened a hundred thousand as one user. */
const mostReleased = 10_000

/** Takes a user who is about to be deleted off their checkouts; those that are paid later become a guest's orders. */
export async function releaseCheckouts(tx: Db, userId: string): Promise<void> {
  const theirs = tx
    .select({ id: checkouts.id })
    .from(checkouts)
    .where(eq(checkouts.userId, userId))
    .limit(mostReleased)
  const releaseSome = tx.update(checkouts).set({ userId: null }).where(inArray(checkouts.id, theirs))
  while ((await releaseSome.execute()).rowCount === mostReleased);
}
