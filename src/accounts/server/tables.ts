import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { roles } from '#shop/accounts/contract.ts'
import { now } from '#shop/platform/columns.ts'

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    username: text('username').notNull(),
    /** Trimmed and in lower case. The unique constraint alone decides whether an address is taken. */
    email: text('email').notNull().unique(),
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: roles }).notNull().default('user'),
    profileImage: text('profile_image'),
    bio: text('bio').notNull().default(''),
    profession: text('profession').notNull().default(''),
    createdAt: now('created_at'),
  },
  (table) => [
    // With what is searched (see the migrations), so that a search among the newest users is an index-only scan.
    index('users_created').on(table.createdAt.desc().nullsFirst(), table.id, sql`search_text`),
    index('users_admins')
      .on(table.id)
      .where(sql`${table.role} = 'admin'`),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the token: somebody who reads the table cannot sign in with it. */
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: now('created_at'),
    lastSeenAt: now('last_seen_at'),
  },
  (table) => [index('sessions_user').on(table.userId)],
)
