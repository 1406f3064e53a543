import { sql } from 'drizzle-orm'
import { onlyRow, type Database, type Db } from '#shop/platform/database.ts'
import { tryPeriodically } from '#shop/platform/run-periodically.ts'

const everyMs = 10_000
/** In a shop of a million products it takes up to ten milliseconds to find that one of them has a word. */
const mostAtOnce = 200

/**
 * Forgets those of the words that products have lost which no other product has: of many dead words that have a part
 * in common, as the numbers of former names, a search would look up these, and not those that lead to a product.
 *
 * @returns how many lost words were looked at; 0 as well if products are just being added, since these may have them
 */
export async function forgetWords(db: Db): Promise<number> {
  const { rows } = await db.execute<{ done: number }>(sql`select forget_words(${mostAtOnce}) as done`)
  return onlyRow(rows).done
}

/** Forgets some of the lost words now and every few seconds, until stopped. */
export function keepWordsForgotten({ db }: Database, log: (line: string) => void) {
  return tryPeriodically(
    everyMs,
    () => forgetWords(db),
    'Words of former products could not be forgotten, trying again in a few seconds',
    log,
  )
}
