import assert from 'node:assert/strict'
import { beforeEach, test, type TestContext } from 'node:test'
import { configureStore } from '@reduxjs/toolkit'
import { stubBrowser, type StubBrowser } from '#shop/testing/stub-browser.ts'
import { api } from '#shop/web/api.ts'
import { accountsApi } from './api.ts'
import { keepSession } from './keep-session.ts'
import { corrected, sessionReducer, signedIn, storageKey } from './session.ts'

const user = {
  _id: 'u1',
  username: 'Nora Quill',
  email: 'nora@example.com',
  role: 'admin' as const,
  profileImage: null,
  bio: '',
  profession: 'Tailor',
  createdAt: '2026-01-02T03:04:05.000Z',
}

let browser: StubBrowser
beforeEach(() => {
  browser = stubBrowser()
})

/** A page with a signed-in user and a cached response. */
async function openPage(t: TestContext) {
  const store = configureStore({
    reducer: { session: sessionReducer, [api.reducerPath]: api.reducer },
    middleware: (usual) => usual().concat(api.middleware),
  })
  // Cached responses are kept for a day, and their timers would keep the process alive.
  t.after(() => store.dispatch(api.util.resetApiState()))
  keepSession(store)
  store.dispatch(signedIn(user))
  await store.dispatch(accountsApi.util.upsertQueryData('getMe', undefined, user))
  const known = () => Object.keys(store.getState()[api.reducerPath].queries).length
  return { store, known }
}

const wake = (persisted: boolean) => browser.fire('pageshow', { persisted })

for (const [name, next] of [
  ['no user', null],
  ['the next user', { ...user, _id: 'u2', username: 'Otto Fell', role: 'user' as const }],
] as const) {
  test(`a page restored after its user signed out elsewhere shows ${name}, and drops its cached data`, async (t) => {
    const { store, known } = await openPage(t)
    assert.equal(known(), 1)
    if (next) browser.stored.set(storageKey, JSON.stringify(next))
    else browser.stored.delete(storageKey)
    wake(true)
    assert.deepEqual([store.getState().session, known()], [next, 0])
  })
}

test('a restored page whose user is still signed in keeps its cached data', async (t) => {
  const { store, known } = await openPage(t)
  wake(true)
  assert.deepEqual([store.getState().session, known()], [user, 1])
})

test('a restored page whose user could not be stored keeps that user', async (t) => {
  browser.stored.set(storageKey, JSON.stringify({ ...user, _id: 'u2', username: 'Otto Fell' }))
  browser.isFull = true
  const { store } = await openPage(t)
  wake(true)
  assert.deepEqual(store.getState().session, user)
})

test('the page of a user whose storage another tab has cleared signs them out', async (t) => {
  const { store } = await openPage(t)
  browser.stored.clear()
  browser.fire('storage', { key: null })
  assert.equal(store.getState().session, null)
})

test('the signed-in user is written to storage again only when a field has changed', async (t) => {
  const { store } = await openPage(t)
  const write = t.mock.method(browser.stored, 'set')
  store.dispatch(corrected({ ...user }))
  assert.equal(write.mock.callCount(), 0)
  store.dispatch(corrected({ ...user, bio: 'Sews.' }))
  assert.equal(write.mock.callCount(), 1)
})
