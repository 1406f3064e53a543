import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { User } from '#shop/accounts/contract.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'

/** What the page shows of the signed-in user; the server trusts only its cookie. */
export type Session = User | null
export type SessionRoot = { session: Session }

/** The key in the browser's storage. */
export const storageKey = 'user'

/** Starts signed out, as the server renders it; `keepSession` restores the last visit's user in the browser. */
const sessionSlice = createSlice({
  name: 'session',
  initialState: null as Session, // createSlice cannot tell the union from `null` alone
  reducers: {
    signedIn: (_session, { payload }: PayloadAction<User>): Session => payload,
    signedOut: (): Session => null,
    /** Takes over the server's version of the user; a user who has signed out meanwhile stays signed out. */
    corrected: (session, { payload }: PayloadAction<User>): Session => session && payload,
  },
})

export const sessionReducer = sessionSlice.reducer
export const { signedIn, signedOut, corrected } = sessionSlice.actions
export const selectUser = (state: SessionRoot): Session => state.session

/** The user that the last visit stored; null if what is stored is no user. */
export function readStoredUser(): Session {
  return userFromStored(readStored(storageKey))
}

/** Whether this user is stored with exactly these fields. */
export const isStored = (user: Session): boolean =>
  JSON.stringify(readStoredUser()) === JSON.stringify(userFromStored(user))

/** Returns whether it was written: a browser without storage keeps the user for this visit only. */
export function storeUser(user: Session): boolean {
  return writeStored(storageKey, user ?? undefined)
}

/** Anything may have been written to the storage: takes only a user's own fields, each of the right type. */
function userFromStored(stored: unknown): Session {
  if (!isRecord(stored)) return null
  const { _id, username, email, role, profileImage, bio, profession, createdAt } = stored
  if (typeof _id !== 'string' || typeof username !== 'string' || typeof email !== 'string') return null
  if (role !== 'admin' && role !== 'user') return null
  return {
    _id,
    username,
    email,
    role,
    profileImage: typeof profileImage === 'string' ? profileImage : null,
    bio: typeof bio === 'string' ? bio : '',
    profession: typeof profession === 'string' ? profession : '',
    createdAt: typeof createdAt === 'string' ? createdAt : '',
  }
}
