import { asc, desc, inArray, or, sql, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { ListedUser, ListUsers } from '#shop/accounts/contract.ts'
import { escapeForLike, onlyRow, type Db } from '#shop/platform/database.ts'
import { idsOfPage, limitedTo, type Paging } from '#shop/platform/page-window.ts'
import { countOfRows, countRows } from '#shop/platform/row-counts.ts'
import { queryPrepared, typedPlaceholder } from '#shop/platform/statements.ts'
import { listedUser } from './store.ts'
import { users } from './tables.ts'

/** A search finds at most this many users, the newest: to count more, it would have to read all that match. */
const mostFound = 500
/**
 * This many of the newest users are searched without an index: all users of a smaller shop, or, in a larger one, for
 * text without letters and digits, which the index does not find.
 */
const smallShopScanLimit = 10_000
/** In a larger shop this many of the newest are searched, and no others if `enoughMatches` of them match. */
const largeShopScanLimit = 2500
/**
 * If at most `fewMatches` of this many match, `largeShopScanLimit` would not have enough either, and the rest of
 * them is skipped, except for short text.
 */
const firstScanLimit = 500
const fewMatches = 2
const enoughMatches = 24

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
  const isSign = !/[\p{L}\p{N}]/u.test(search)
  const isShort = !/[\p{L}\p{N}]{3}/u.test(search)
  const values = { ...paging, letters: escapeForLike(search), isSign, isShort }
  const newestMatches = await readFound(db, 'newest', amongNewest, values)
  if (newestMatches.isAll || newestMatches.total >= enoughMatches) return newestMatches
  return isShort
    ? readFound(db, 'by word beginning', byWordBeginning, { ...values, near: newestMatches.few })
    : readFound(db, 'with letters', withLetters, values)
}

const newest = sql.join(newestFirst, sql`, `)

/** A column with username and e-mail in lower case and without accents; see the migrations. */
const searched = sql`${users}.search_text`
/** The subquery makes PostgreSQL build the pattern once, and not for each row. */
const isLike = (before: SQL) =>
  sql`${searched} like (select folded(${before} || ${typedPlaceholder('letters', 'text')} || '%'))`
const hasText = isLike(sql`'%'`)
/** Matches the beginning of any word of a name, or of the e-mail. */
const beginsWord = or(isLike(sql`''`), isLike(sql`'% '`), isLike(sql`E'%\\n'`))

/** CTEs, of which `matching` has the ids and dates of users that match, and whether these are all there are. */
type Matches = { ctes: SQL; isAll: SQL }

/** Matches between two positions of the list by date, which is not read unless the condition holds. */
const between = (from: number, to: number, condition: SQL) => sql`
  select id, created_at from (
    select * from ${users} order by ${newest} ${limitedTo(to - from, from)}
  ) as ${users} where ${condition} and ${hasText}`

const isAll = sql`(select is_all from size)`
const isWorthwhile = sql`(${typedPlaceholder('isShort', 'boolean')} or (select count(*) > ${sql.raw(`${fewMatches}`)} from first))`
const amongNewest: Matches = {
  isAll,
  ctes: sql`
    size as (
      select ${typedPlaceholder('isSign', 'boolean')} or ${countOfRows('users')} <= ${sql.raw(`${smallShopScanLimit}`)} as is_all
    ),
    first as materialized (${between(0, firstScanLimit, sql`true`)}),
    matching as (
      select * from first
      union all ${between(firstScanLimit, smallShopScanLimit, isAll)}
      union all ${between(firstScanLimit, largeShopScanLimit, sql`not ${isAll} and ${isWorthwhile}`)}
    )`,
}

const byIndex = (condition: SQL | undefined): Matches => ({
  isAll: sql`true`,
  // Collects the matches before they are sorted: "offset 0" keeps PostgreSQL from reading users in order instead.
  ctes: sql`matching as (
    select id, created_at from (select * from ${users} where ${condition} offset 0) as ${users} where ${hasText}
  )`,
})
const withLetters = byIndex(hasText)
const byWordBeginning = byIndex(or(sql`${users.id} = any(${typedPlaceholder('near', 'text[]')})`, beginsWord))

/**
 * @param name of the rows that are searched: each has a prepared statement of its own
 * @returns also `few`: all ids that were found, if those are less than `enoughMatches`
 */
async function readFound(
  db: Db,
  name: string,
  matches: Matches,
  {
    page,
    limit,
    ...values
  }: Paging & { letters: string; isSign: boolean; isShort: boolean; near?: string[] },
) {
  const rows = await queryPrepared<Found & { isAll: boolean; few: string[] }>(
    db,
    `users ${name}`,
    () => sql`
      with ${matches.ctes},
      found as materialized (select id from matching order by created_at desc, id ${limitedTo(mostFound)}),
      counted as (select count(*) as total from found)
      select (select total from counted)::float8 as total, ${matches.isAll} as "isAll",
        array(select id from found offset ${typedPlaceholder('offset', 'bigint')} limit ${typedPlaceholder('limit', 'bigint')}) as ids,
        array(select id from found where (select total from counted) < ${sql.raw(`${enoughMatches}`)}) as few`,
    { ...values, offset: (page - 1) * limit, limit },
  )
  return onlyRow(rows)
}
