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
  storedAs,
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
 * Restores the user of the last visit, asks the server whether it is still so, writes every change back and follows
 * what other tabs do. Called once, in the browser. What belonged to a user is forgotten with them: the next one at this screen does not see it.
 */
export function keepSession(store: SessionStore): void {
  const stored = readStoredUser()
  if (stored) {
    store.dispatch(signedIn(stored))
    // What can not be asked now is asked by the first page that depends on it.
    askWhoIsHere(store.dispatch).catch(() => undefined)
  }
  let kept = store.getState().session
  let isWritten = true
  store.subscribe(() => {
    const { session } = store.getState()
    if (session === kept) return
    const isSomebodyElse = kept !== null && kept._id !== session?._id
    // What the server says of a user whom another tab has just signed out, before this one has heard of it.
    const isOverElsewhere = session?._id === kept?._id && readStoredUser()?._id !== session?._id
    kept = session
    // What is there already is not written again: another tab may be about to take it away, and would find it back.
    if (!isOverElsewhere) isWritten = isStored(session) || storeUser(session)
    if (isSomebodyElse) store.dispatch(api.util.resetApiState())
  })
  const follow = () => {
    // What could not be written says nothing about who is signed in.
    if (!isWritten) return
    const elsewhere = readStoredUser()
    if (JSON.stringify(elsewhere) === JSON.stringify(kept)) return
    store.dispatch(elsewhere ? signedIn(elsewhere) : signedOut())
  }
  window.addEventListener('storage', (event) => {
    if (event.key === storedAs || event.key === null) follow()
  })
  // A page that the browser kept alive behind another one has slept through who has logged out since, and who is here now.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) follow()
  })
}

/**
 * Whether the server still knows who is signed in here; they are signed out if not. Without a user nobody is to be asked: an
 * anonymous visit makes no call that must fail.
 */
export async function askWhoIsHere(dispatch: SessionDispatch, forceRefetch = false): Promise<void> {
  const { accountsApi } = await import('./api.ts')
  await dispatch(accountsApi.endpoints.getMe.initiate(undefined, { forceRefetch, subscribe: false }))
}

/** A session that the server has ended is over here too, whichever call was the first to be told. */
export const endedSession: Middleware = (store) => (next) => (action) => {
  const result = next(action)
  if (isRejectedWithValue(action) && isNotSignedIn(action.payload)) store.dispatch(signedOut())
  return result
}

/** A wrong password at the door is a 401 too, but says nothing about a session. */
function isNotSignedIn(answer: unknown): boolean {
  return statusOf(answer) === 401 && problemOf(answer)?.code === 'not_signed_in'
}
