import { sql } from 'drizzle-orm'
import { changeChannel, type Db } from './database.ts'
import { letterOrder } from './tables.ts'

/** A sample of how the database sorts text, as far as the blocks of names and ids depend on it. */
const currentLetters = sql`(
  select string_agg(letter, '' order by letter) || lower('É') from unnest('{Z,a,é,z,-b,_,0}'::text[]) as letter
)`

/**
 * A restore or a move may bring a shop into a database of another locale, along with blocks that were counted in the
 * order of its old one: far pages by name would leave out some products and show others twice.
 *
 * @param recount counts anew whatever depends on the order
 * @param say is called before that, since it can take a minute
 */
export async function recountIfReordered(
  tx: Db,
  recount: (tx: Db) => Promise<void>,
  say: () => void = () => undefined,
): Promise<void> {
  const rows = await tx
    .select({ isSame: sql<boolean>`${letterOrder.letters} = ${currentLetters}` })
    .from(letterOrder)
  if (rows[0]?.isSame) return
  say()
  await recount(tx)
  await tx.delete(letterOrder)
  await tx.execute(sql`insert into letter_order select ${currentLetters}`)
  await tx.execute(sql`select pg_notify(${changeChannel}, '')`)
}
