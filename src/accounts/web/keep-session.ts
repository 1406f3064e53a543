import {
  isRejectedWithValue,
  type Middleware,
  type ThunkDispatch,
  type UnknownAction,
} from '@reduxjs/toolkit'
import { api } from '#shop/web/api.ts'
import { problemOf, statusOf } from '#shop/web/api-problem.ts'
import {
  isStored,
  readStoredUser,
  signedIn,
  signedOut,
  storageKey,
  storeUser,
  type Session,
} from './session.ts'

export type SessionDispatch = ThunkDispatch<unknown, unknown, UnknownAction>
type SessionStore = {
  getState: () => { session: Session }
  dispatch: SessionDispatch
  subscribe: (listener: () => void) => () => void
}

/**
 * Restores the user of the last visit, asks the server whether they are still signed in, stores every change and
 * follows other tabs. Called once, in the browser. When the user changes, all cached data is dropped, so that the
 * next user at this screen does not see it.
 */
export function keepSession(store: SessionStore): void {
  const stored = readStoredUser()
  if (stored) {
    store.dispatch(signedIn(stored))
    // If this fails, the first page that depends on the answer asks again.
    askWhoIsHere(store.dispatch).catch(() => undefined)
  }
  let last = store.getState().session
  let isWritten = true
  store.subscribe(() => {
    const { session } = store.getState()
    if (session === last) return
    const isSomebodyElse = last !== null && last._id !== session?._id
    // A response about a user whom another tab has just signed out, before this tab was told of it.
    const isOverElsewhere = session?._id === last?._id && readStoredUser()?._id !== session?._id
    last = session
    // A user who is stored already is not written again: another tab may be signing them out, and would be undone.
    if (!isOverElsewhere) isWritten = isStored(session) || storeUser(session)
    if (isSomebodyElse) store.dispatch(api.util.resetApiState())
  })
  const follow = () => {
    // After a failed write, the storage does not say who is signed in here.
    if (!isWritten) return
    const elsewhere = readStoredUser()
    if (JSON.stringify(elsewhere) === JSON.stringify(last)) return
    store.dispatch(elsewhere ? signedIn(elsewhere) : signedOut())
  }
  window.addEventListener('storage', (event) => {
    if (event.key === storageKey || event.key === null) follow()
  })
  // A page restored from the back/forward cache has missed who has signed out and in meanwhile.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) follow()
  })
}

/**
 * Asks the server who is signed in here, and signs the user out if the session has ended. Not to be called without
 * a user: an anonymous visit makes no request that is bound to fail.
 */
export async function askWhoIsHere(dispatch: SessionDispatch, forceRefetch = false): Promise<void> {
  const { accountsApi } = await import('./api.ts')
  await dispatch(accountsApi.endpoints.getMe.initiate(undefined, { forceRefetch, subscribe: false }))
}

/** Signs the user out once any response says that their session has ended. */
export const endedSession: Middleware = (store) => (next) => (action) => {
  const result = next(action)
  if (isRejectedWithValue(action) && isNotSignedIn(action.payload)) store.dispatch(signedOut())
  return result
}

/** A wrong password at login is a 401 too, but says nothing about a session. */
function isNotSignedIn(answer: unknown): boolean {
  return statusOf(answer) === 401 && problemOf(answer)?.code === 'not_signed_in'
}
