import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Location } from 'react-router'
import { stubBrowser, type StubBrowser } from '#shop/testing/stub-browser.ts'
import { returnAddress } from './return-address.ts'
import { corrected, readStoredUser, sessionReducer, signedIn, signedOut, storeUser } from './session.ts'

const user = {
  _id: 'u1',
  username: 'Nora Quill',
  email: 'nora@example.com',
  role: 'user' as const,
  profileImage: null,
  bio: '',
  profession: 'Tailor',
  createdAt: '2026-01-02T03:04:05.000Z',
}

let browser: StubBrowser
beforeEach(() => {
  browser = stubBrowser()
})

test('a stored user is read back unchanged, and storing null removes it', () => {
  storeUser(user)
  assert.deepEqual(readStoredUser(), user)
  assert.deepEqual(JSON.parse(browser.stored.get('user') ?? ''), user)
  storeUser(null)
  assert.equal(browser.stored.has('user'), false)
  assert.equal(readStoredUser(), null)
})

for (const garbage of [
  '',
  '{{{',
  'null',
  '42',
  '"user"',
  '[]',
  '{"role":"admin"}',
  JSON.stringify({ ...user, _id: 1 }),
  JSON.stringify({ ...user, email: null }),
  JSON.stringify({ ...user, role: 'owner' }),
]) {
  test(`reads no user from ${garbage || 'an empty entry'}`, () => {
    browser.stored.set('user', garbage)
    assert.equal(readStoredUser(), null)
  })
}

test('a stored user is read without unknown fields, and with defaults for fields of the wrong type', () => {
  browser.stored.set('user', JSON.stringify({ ...user, profileImage: {}, bio: 7, token: 'x' }))
  assert.deepEqual(readStoredUser(), user)
})

test('with blocked storage, storing a user does not throw, and no user is read', () => {
  browser.isBlocked = true
  storeUser(user)
  storeUser(null)
  assert.equal(readStoredUser(), null)
})

test('a late response about a signed-out user does not sign them in again, but updates a signed-in one', () => {
  const signedInUser = sessionReducer(null, signedIn(user))
  assert.equal(sessionReducer(sessionReducer(signedInUser, signedOut()), corrected(user)), null)
  assert.equal(sessionReducer(signedInUser, corrected({ ...user, role: 'admin' }))?.role, 'admin')
})

const location = (pathname: string, search = '', hash = ''): Location => ({
  pathname,
  search,
  hash,
  state: null,
  key: 'k',
})

for (const { from, to } of [
  { from: location('/dashboard/orders', '?page=2', '#x'), to: '/dashboard/orders?page=2#x' },
  { from: location('/shop/abc'), to: '/shop/abc' },
  { from: location('/'), to: '/' },
  { from: undefined, to: '/' },
  { from: location('/login'), to: '/' },
  { from: location('/register'), to: '/' },
  { from: location('/no-such-page'), to: '/' },
  { from: location('//'), to: '/' },
  { from: location('//elsewhere.example'), to: '/' },
  { from: location('//elsewhere.example/shop'), to: '/' },
  { from: location('/\\elsewhere.example'), to: '/' },
  { from: location('https://elsewhere.example/shop'), to: '/' },
  { from: location('javascript:alert(1)'), to: '/' },
]) {
  test(`a sign-in that started from ${from?.pathname ?? 'nowhere'} returns to ${to}`, () => {
    assert.equal(returnAddress({ from }), to)
  })
}
