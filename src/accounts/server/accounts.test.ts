import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { eq } from 'drizzle-orm'
import type { User } from '#shop/accounts/contract.ts'
import { hashOf } from '#shop/platform/ids.ts'
import type { Db } from '#shop/platform/database.ts'
import { locks } from '#shop/platform/locks.ts'
import { transaction } from '#shop/platform/statements.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type Answer, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { isCommonPassword } from './common-passwords.ts'
import { hashPassword } from './passwords.ts'
import { deleteExpiredSessions, startSession } from './session.ts'
import { ensureAdmin } from './store.ts'
import { sessions, users } from './tables.ts'

type Problem = { title: string; code: string; errors?: { path: string; message: string }[] }
type LoggedIn = { token: string; user: User; message: string }
type OfUser = { data: User; message?: string }

const password = 'plum-teapot-9'
let shop: TestApp
let made = 0

before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const newEmail = () => `someone-${(made += 1)}@example.com`
const post = <T>(path: string, payload?: object, headers: Record<string, string> = {}) =>
  shop.call<T>({ method: 'POST', url: `/api/auth/${path}`, headers, ...(payload && { payload }) })
const register = (fields: object = {}) =>
  post<OfUser & Problem>('register', { username: 'Some One', email: newEmail(), password, ...fields })
const logIn = (email: string, typed = password, headers = {}) =>
  post<LoggedIn & Problem>('login', { email, password: typed }, headers)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const me = (headers: Record<string, string>) =>
  shop.call<OfUser>({ method: 'GET', url: '/api/auth/me', headers })
const rowOf = async (id: string) => (await shop.database.db.select().from(users).where(eq(users.id, id)))[0]
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const makeAdmin = () => makeUser(shop.database.db, { role: 'admin' })
const statuses = (answers: Answer<unknown>[]) => answers.map(({ status }) => status)

/** Somebody with a password, signed in. */
async function newCustomer() {
  const { body } = await register()
  const { token } = (await logIn(body.data.email)).body
  return { user: body.data, token, headers: bearer(token) }
}

type Customer = Awaited<ReturnType<typeof newCustomer>>

describe('register', () => {
  test('creates a user with role user and normalized e-mail, ignores extra fields, and does not sign in', async () => {
    const extras = {
      role: 'admin',
      _id: 'mine',
      isAdmin: true,
      createdAt: '2001-01-01T00:00:00Z',
      passwordHash: 'x',
    }
    const { status, body, headers } = await register({ email: '  Ann.B@Example.COM ', ...extras })
    assert.equal(status, 201)
    assert.equal(body.data.email, 'ann.b@example.com')
    assert.equal(body.data.role, 'user')
    assert.notEqual(body.data._id, 'mine')
    assert.equal(headers['set-cookie'], undefined)
    assert.ok(!JSON.stringify(body).includes('$argon2'))
    const row = await rowOf(body.data._id)
    assert.equal(row?.role, 'user')
    assert.match(row?.passwordHash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('answers 400 for a taken e-mail in any spelling, and leaves the existing account unchanged', async () => {
    const { body } = await register({ email: 'taken@example.com', username: 'First' })
    for (const email of ['taken@example.com', ' TAKEN@example.com ']) {
      const again = await register({ email, username: 'Second' })
      assert.equal(again.status, 400)
      assert.equal(again.body.title, 'Registration failed!')
    }
    assert.equal((await rowOf(body.data._id))?.username, 'First')
  })

  test('refuses an invalid or missing e-mail, username or password with an error message', async () => {
    const bad = [
      { email: '' },
      { email: 'no-address' },
      { email: 'a@b' },
      { email: 'a@example.com.' },
      { email: 'ａ@example.com' },
      { email: '\ufeffa@example.com' },
      { email: `${'a'.repeat(250)}@example.com` },
      { email: ['a@example.com'] },
      { email: { $gt: '' } },
      { email: null },
      { username: '  ' },
      { username: 'a\u0000b' },
      { username: undefined },
      { password: undefined },
      { password: 'short-1' },
      { password: '🦊🦊🦊🦊🦊🦊🦊' },
      { password: 'x'.repeat(250) + 'y1z2w3q' },
      { password: '漢'.repeat(256) + '字' },
      { password: 'lone \ud800 half' },
      { password: 12345678 },
      { password: 'Password123' },
    ]
    for (const fields of bad) {
      const { status, body } = await register(fields)
      assert.equal(status, 400, JSON.stringify(fields))
      assert.equal(body.title, 'Registration failed!')
      assert.ok(body.errors?.[0]?.message, JSON.stringify(fields))
    }
  })

  test('accepts passwords of 8 to 256 characters of any kind, and compares them as typed', async () => {
    const passwords = [
      'zu\u0000lu 8!',
      ' lead and trail ',
      '🦊🐢🦊🐢🐙🦉🐝🐌',
      'né-décomposé',
      'ab'.repeat(127) + 'xy',
    ]
    for (const typed of passwords) {
      const { body, status } = await register({ password: typed })
      assert.equal(status, 201, typed)
      assert.equal((await logIn(body.data.email, typed)).status, 200, typed)
      const otherwise = typed.trim() === typed ? typed.normalize('NFD') : typed.trim()
      if (otherwise !== typed) assert.equal((await logIn(body.data.email, otherwise)).status, 401, typed)
    }
  })

  test('creates one account when fifty registrations with the same e-mail arrive at once', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 50 }, () => register({ email })))
    assert.deepEqual(statuses(answers).toSorted(), [201, ...Array<number>(49).fill(400)])
    const rows = await shop.database.db.select().from(users).where(eq(users.email, email))
    assert.equal(rows.length, 1)
  })

  test('answers 503 with Retry-After when too many passwords are waiting to be hashed', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 150 }, () => register({ email })))
    const refused = answers.filter(({ body }) => body.code === 'passwords_busy')
    assert.ok(refused.length > 0 && refused.length < 100, `${refused.length}`)
    assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0))
    assert.ok(answers.every(({ status }) => [201, 400, 503].includes(status)))
  })
})

test('ensureAdmin creates the first admin, never promotes a customer, and returns whether an admin exists', async (t) => {
  const empty = await startTestApp()
  t.after(() => empty.close())
  const { db } = empty.database
  const { user } = await makeUser(db)
  const password = 'a long enough one'
  assert.equal(await ensureAdmin(db, undefined), false)
  assert.equal(await ensureAdmin(db, { email: user.email, password }), false)
  assert.equal((await db.select().from(users).where(eq(users.role, 'admin'))).length, 0)
  assert.equal(await ensureAdmin(db, { email: 'first@shop.example', password }), true)
  assert.equal(await ensureAdmin(db, { email: user.email, password }), true)
  assert.equal(await ensureAdmin(db, undefined), true)
})

test('login and register name each missing field; a username of invisible characters counts as missing', async () => {
  const ask = async (call: string, payload: object) =>
    (await shop.call<Problem>({ method: 'POST', url: `/api/auth/${call}`, payload })).body.errors
  for (const empty of ['', undefined]) {
    const email = { path: 'email', message: 'Email is required' }
    const password = { path: 'password', message: 'Password is required' }
    assert.deepEqual(await ask('login', { email: empty, password: empty }), [email, password])
    assert.deepEqual(await ask('register', { username: empty, email: empty, password: empty }), [
      { path: 'username', message: 'Username is required' },
      email,
      password,
    ])
  }
  // Such a name would be invisible beside a review.
  for (const username of ['\u200b', ' \u2060\u00ad', '\u3164', '\u2800', '\u0301', '\u180e\ufe0f']) {
    const typed = { username, email: 'unseen@shop.example', password: 'a long enough one' }
    assert.deepEqual(await ask('register', typed), [{ path: 'username', message: 'Username is required' }])
  }
})

test('isCommonPassword recognizes common passwords in any letter case, and no uncommon ones', () => {
  const common =
    'password Passw0rd 12345678 87654321 qwertyuiop 1q2w3e4r iloveyou2 abcabcabc 11111111 asdfasdf zxcvbnm, trustno1'
  for (const typed of common.split(' ')) assert.ok(isCommonPassword(typed), typed)
  const mostCommon = dictionary['passwords-common'].filter(({ length }) => length >= 8).slice(0, 3000)
  assert.equal(mostCommon.length, 3000)
  for (const typed of mostCommon) assert.ok(isCommonPassword(typed.toUpperCase()), typed)
  const fine = [
    'plum-teapot-9',
    'correct horse battery',
    'demo-customer-1',
    'Password123!',
    'Test1234!',
    'summer-2026',
    'k8#vLq2!',
    '73910482',
    'ошибка-сети',
    '👔'.repeat(8),
    ' '.repeat(8),
    'x'.repeat(64),
    'q7'.repeat(128),
  ]
  for (const typed of fine) assert.ok(!isCommonPassword(typed), typed)
})

describe('login', () => {
  test('returns token, user and message; the token works as HttpOnly cookie and as bearer, and is stored hashed', async () => {
    const { body } = await register()
    const answer = await logIn(` ${body.data.email.toUpperCase()}`)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { token: answer.body.token, user: body.data, message: 'Login successful!' })
    const cookie = String(answer.headers['set-cookie'])
    assert.match(cookie, new RegExp(`^sid=${answer.body.token};`))
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=1209600;'])
      assert.ok(cookie.includes(part), cookie)
    assert.ok(!cookie.includes('Secure'))
    const stored = await shop.database.db.select().from(sessions).where(eq(sessions.userId, body.data._id))
    assert.deepEqual(
      stored.map(({ tokenHash }) => tokenHash),
      [hashOf(answer.body.token)],
    )
    for (const headers of [{ cookie: `sid=${answer.body.token}` }, bearer(answer.body.token)]) {
      const mine = await me(headers)
      assert.deepEqual(mine.body.data, body.data)
      assert.equal(mine.headers['cache-control'], 'no-store')
    }
  })

  test('gives the same 401 for a wrong password, an unknown e-mail and an account without a password', async () => {
    const { body } = await register()
    const { user } = await makeUser(shop.database.db)
    const refused = await Promise.all([
      logIn(body.data.email, 'not the right one'),
      logIn('nobody@example.com'),
      logIn(user.email),
    ])
    for (const answer of refused) {
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, refused[0]?.body)
      assert.equal(answer.body.title, 'Please Provide a valid email and password!')
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('answers 400 for a malformed e-mail or a missing body', async () => {
    for (const email of [{ $gt: '' }, ['a@example.com'], 7, null, 'x'.repeat(60_000), "a'or'1'='1"]) {
      assert.equal((await post('login', { email, password })).status, 400, String(email).slice(0, 20))
    }
    const { status, body } = await post<Problem>('login')
    assert.deepEqual([status, body.title], [400, 'Please Provide a valid email and password!'])
  })

  test('the bearer token takes precedence when a request also has a session cookie', async () => {
    const [program, browser] = [await newCustomer(), await newCustomer()]
    const both = { ...program.headers, cookie: `sid=${browser.token}` }
    assert.equal((await me(both)).body.data._id, program.user._id)
  })

  test('ends the session that the browser had, and starts a new one', async () => {
    const { user, token } = await newCustomer()
    const planted = { cookie: `sid=${token}` }
    const { body } = await logIn(user.email, password, planted)
    assert.notEqual(body.token, token)
    assert.equal((await me(planted)).status, 401)
    assert.equal((await me(bearer(body.token))).status, 200)
  })

  test('over https, the session cookie has the __Host- prefix and is Secure', async () => {
    const secure = await startTestApp({ environment: { PUBLIC_URL: 'https://shop.example' } })
    try {
      const payload = { username: 'S', email: 's@example.com', password }
      await secure.call({ method: 'POST', url: '/api/auth/register', payload })
      const { headers } = await secure.call({ method: 'POST', url: '/api/auth/login', payload })
      assert.match(String(headers['set-cookie']), /^__Host-sid=[\w-]{43};.*Path=\/;.*Secure/)
    } finally {
      await secure.close()
    }
  })
})

test('a session expires after an idle day or after two weeks, and is then deleted; a request resets the idle day', async () => {
  const setSessionAge = (token: string, age: Partial<typeof sessions.$inferInsert>) =>
    shop.database.db
      .update(sessions)
      .set(age)
      .where(eq(sessions.tokenHash, hashOf(token)))
  const isKept = async (token: string) =>
    (
      await shop.database.db
        .select()
        .from(sessions)
        .where(eq(sessions.tokenHash, hashOf(token)))
    ).length > 0
  const ages = { idle: { lastSeenAt: hoursAgo(24.1) }, old: { createdAt: hoursAgo(14 * 24 + 1) } }
  const { token: young } = await newCustomer()
  await setSessionAge(young, { lastSeenAt: hoursAgo(23), createdAt: hoursAgo(13 * 24) })
  for (const [why, age] of Object.entries(ages)) {
    const { token } = await newCustomer()
    await setSessionAge(token, age)
    assert.equal((await me(bearer(token))).status, 401, why)
    await deleteExpiredSessions(shop.database.db)
    assert.deepEqual([await isKept(token), await isKept(young)], [false, true], why)
  }
  // Using the shop gives the session another day.
  assert.equal((await me(bearer(young))).status, 200)
  const rows = await shop.database.db
    .select()
    .from(sessions)
    .where(eq(sessions.tokenHash, hashOf(young)))
  assert.ok(rows[0] && rows[0].lastSeenAt > hoursAgo(1))
})

test('login and logout refuse cross-site requests, and the session stays valid', async () => {
  const { user, token } = await newCustomer()
  for (const [name, value] of [
    ['sec-fetch-site', 'cross-site'],
    ['origin', 'https://evil.example'],
  ] as const) {
    const withCookie = { [name]: value, cookie: `sid=${token}` }
    assert.equal((await logIn(user.email, password, withCookie)).status, 403)
    assert.equal((await post('logout', undefined, withCookie)).status, 403)
  }
  assert.equal((await me(bearer(token))).status, 200)
})

describe('logout', () => {
  test('ends this session and no other, with or without a body', async () => {
    const { user, headers } = await newCustomer()
    const other = bearer((await logIn(user.email)).body.token)
    const json = { 'content-type': 'application/json' }
    const answer = await post<{ data: null; message: string }>('logout', undefined, { ...headers, ...json })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { data: null, message: 'Logout successful!' })
    assert.match(String(answer.headers['set-cookie']), /^sid=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/)
    assert.equal((await me(headers)).status, 401)
    assert.equal((await post('logout', undefined, headers)).status, 401)
    assert.equal((await post('logout', {}, other)).status, 200)
    const { headers: third } = await newCustomer()
    const empty = { ...third, 'content-type': 'text/plain;charset=UTF-8', 'content-length': '0' }
    assert.equal((await post('logout', undefined, empty)).status, 200)
    assert.equal((await me(third)).status, 401)
  })
})

/** One after the other. */
async function inTurn(count: number, ask: (index: number) => Promise<{ status: number }>): Promise<number[]> {
  const answered: number[] = []
  while (answered.length < count) answered.push((await ask(answered.length)).status)
  return answered
}

describe('rate limits', () => {
  let limited: TestApp
  before(async () => {
    // Lower than the shop's own limits, which would take too long to reach.
    const passwords = { max: 60, seconds: 3600 }
    const profileEdits = { max: 6, seconds: 3600 }
    limited = await startTestApp({
      environment: { RATE_LIMITS: 'on' },
      limits: { passwords, profileEdits },
    })
  })
  after(() => limited.close())
  const attempt = (email: string, typed: string, remoteAddress: string) =>
    limited.call<Problem>({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email, password: typed },
      remoteAddress,
    })

  test('five wrong passwords, even all at once, lock an account, existing or not, and no other account', async () => {
    const payload = { username: 'L', email: 'limited@example.com', password }
    await limited.call({ method: 'POST', url: '/api/auth/register', payload })
    for (const email of ['limited@example.com', 'unknown@example.com']) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => attempt(email, 'wrong wrong', `10.0.0.${index}`)),
      )
      assert.equal(statuses(answers).filter((status) => status === 401).length, 5)
      const closed = answers.find(({ status }) => status === 429)
      assert.ok(Number(closed?.headers['retry-after']) > 0)
    }
    assert.equal((await attempt('limited@example.com', password, '10.0.1.1')).status, 429)
    assert.equal((await attempt('another@example.com', password, '10.0.1.1')).status, 401)
  })

  test('a successful login resets the account’s failures; twenty failures lock the address', async () => {
    const payload = { username: 'L', email: 'forgetful@example.com', password }
    await limited.call({ method: 'POST', url: '/api/auth/register', payload })
    for (let round = 0; round < 4; round += 1) {
      for (let failure = 0; failure < 4; failure += 1) {
        assert.equal((await attempt(payload.email, 'wrong wrong', '10.1.0.1')).status, 401)
      }
      assert.equal((await attempt(payload.email, password, '10.1.0.1')).status, 200)
    }
    for (let failure = 0; failure < 4; failure += 1) {
      assert.equal((await attempt(`${failure}@example.com`, 'wrong wrong', '10.1.0.1')).status, 401)
    }
    assert.equal((await attempt(payload.email, password, '10.1.0.1')).status, 429)
    assert.equal((await attempt(payload.email, password, '10.1.0.2')).status, 200)
  })

  test('at an address the owner has signed in from, only wrong passwords from there lock the account', async () => {
    const email = 'besieged@example.com'
    const payload = { username: 'L', email, password }
    await limited.call({ method: 'POST', url: '/api/auth/register', payload })
    assert.equal((await attempt(email, password, '10.3.0.1')).status, 200)
    for (let guess = 0; guess < 6; guess += 1) await attempt(email, 'wrong wrong', '10.3.0.2')
    assert.equal((await attempt(email, password, '10.3.0.2')).status, 429)
    assert.equal((await attempt(email, password, '10.3.0.1')).status, 200)
    for (let guess = 0; guess < 5; guess += 1) {
      assert.equal((await attempt(email, 'wrong wrong', '10.3.0.1')).status, 401)
    }
    assert.equal((await attempt(email, password, '10.3.0.1')).status, 429)
  })

  test('guesses from elsewhere never lock out an owner who signs in at least once in thirty days', async (t) => {
    const email = 'long-besieged@example.com'
    await limited.call({
      method: 'POST',
      url: '/api/auth/register',
      payload: { username: 'L', email, password },
    })
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    for (const days of [0, 20, 20, 29]) {
      now += days * 86_400_000
      for (let guess = 0; guess < 6 && days; guess += 1) await attempt(email, 'wrong wrong', '10.4.0.2')
      assert.equal((await attempt(email, password, '10.4.0.1')).status, 200)
    }
  })

  test('password checks are limited per address, and successful ones per account, without affecting others', async () => {
    const [busy, calm] = ['busy@example.com', 'calm@example.com']
    const passwordHash = await hashPassword(password)
    for (const email of [busy, calm]) await makeUser(limited.database.db, { email, passwordHash })
    const signIn = (count: number, email: string, address: (index: number) => string) =>
      inTurn(count, (index) => attempt(email, password, address(index)))
    const thirty = Array.from({ length: 30 }, () => 200)
    assert.deepEqual(await signIn(30, busy, () => '10.5.0.1'), thirty)
    assert.deepEqual(await signIn(31, calm, () => '10.5.0.1'), [...thirty, 429])
    assert.deepEqual(await signIn(31, busy, (index) => `10.5.1.${index}`), [...thirty, 429])
    assert.deepEqual(await signIn(1, calm, () => '10.5.0.2'), [200])
  })

  test('failures count by the connection’s own address; X-Forwarded-For and Forwarded headers are ignored', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        fetch(`${limited.url}/api/auth/login`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': `10.4.0.${index}`,
            forwarded: `for=10.4.0.${index}`,
          },
          body: JSON.stringify({ email: `spread-${index}@example.com`, password: 'wrong wrong' }),
        }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 401).length, 20)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
  })

  test('the twenty-first registration from one address is refused, whether sent one by one or all at once', async () => {
    const registerFrom = (remoteAddress: string, index: number) => {
      const payload = { username: 'L', email: `many-${remoteAddress}-${index}@example.com`, password }
      return limited.call({ method: 'POST', url: '/api/auth/register', payload, remoteAddress })
    }
    const answers = []
    for (let index = 0; index < 21; index += 1) answers.push(await registerFrom('10.2.0.1', index))
    const expected = [...Array.from({ length: 20 }, () => 201), 429]
    assert.deepEqual(statuses(answers), expected)
    const atOnce = await Promise.all(answers.map((_, index) => registerFrom('10.2.0.2', index)))
    assert.deepEqual(statuses(atOnce).toSorted(), expected)
  })

  test('profile edits are limited per account, without affecting others', async () => {
    const edit = async () => {
      const { headers, user } = await makeUser(limited.database.db)
      const payload = { username: 'L', profileImage: 'https://a.example/l.png', bio: 'L', profession: 'L' }
      const url = `/api/auth/edit-profile/${user.id}`
      return () => limited.call({ method: 'PATCH', url, payload, headers })
    }
    const expected = [...Array.from({ length: 6 }, () => 200), 429]
    assert.deepEqual(await inTurn(7, await edit()), expected)
    assert.deepEqual(await inTurn(1, await edit()), [200])
  })

  test('five wrong current passwords lock the password change, even for the right password', async () => {
    const { headers } = await makeUser(limited.database.db, { passwordHash: await hashPassword(password) })
    const change = (currentPassword: string) =>
      limited.call({
        method: 'POST',
        url: '/api/auth/change-password',
        payload: { currentPassword, newPassword: 'brand new teapot' },
        headers,
        remoteAddress: '10.3.0.1',
      })
    const answers = []
    for (let index = 0; index < 5; index += 1) answers.push(await change('wrong wrong'))
    assert.deepEqual(statuses(answers), [400, 400, 400, 400, 400])
    assert.equal((await change(password)).status, 429)
  })
})

describe('edit-profile', () => {
  const profile = {
    username: 'New Name',
    profileImage: 'https://example.com/a.png',
    bio: 'One\ntwo',
    profession: 'Tailor',
  }
  const edit = (id: string, payload: object, headers = {}) =>
    shop.call<OfUser & Problem>({ method: 'PATCH', url: `/api/auth/edit-profile/${id}`, payload, headers })

  test('is allowed only for the user themselves and for admins', async () => {
    const [{ user, headers }, other, admin] = [await newCustomer(), await newCustomer(), await makeAdmin()]
    assert.equal((await edit(user._id, profile)).status, 401)
    const refused = await edit(user._id, profile, other.headers)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.title, 'Access denied!')
    assert.equal((await edit(user._id, { ...profile, userId: other.user._id }, headers)).status, 403)
    assert.deepEqual((await me(headers)).body.data, user)
    const { status, body } = await edit(user._id, { ...profile, userId: user._id }, headers)
    assert.equal(status, 200)
    assert.deepEqual(body, { data: { ...user, ...profile }, message: 'Profile Update Successfully' })
    assert.equal((await edit(user._id, { ...profile, bio: 'By an admin' }, admin.headers)).status, 200)
    assert.equal((await edit('unknown', profile, admin.headers)).status, 404)
    assert.deepEqual((await me(headers)).body.data, { ...user, ...profile, bio: 'By an admin' })
  })

  test('changes only the four profile fields, and ignores other fields in the body', async () => {
    const { user, headers } = await newCustomer()
    const before = await rowOf(user._id)
    const extras = {
      role: 'admin',
      email: 'evil@example.com',
      password: 'x',
      passwordHash: 'x',
      _id: 'x',
      id: 'x',
    }
    assert.equal((await edit(user._id, { ...profile, ...extras }, headers)).status, 200)
    assert.deepEqual(await rowOf(user._id), { ...before, ...profile })
  })

  test('requires all four fields, with an uploaded picture or an https address as the image', async () => {
    const { user, headers } = await newCustomer()
    const addresses = [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'http://example.com/a.png',
      '',
    ]
    const odd = [
      'https://u:p@example.com/',
      'file:///etc/passwd',
      '/uploads/../x',
      '/etc/passwd',
      'https://',
      ' ',
    ]
    const long = [
      `https://example.com/${'a'.repeat(2048)}`,
      'ht\ntps://example.com',
      'https://exa mple.com',
      null,
      7,
    ]
    const pictures = [...addresses, ...odd, ...long].map((profileImage) => ({ profileImage }))
    const missing = ['username', 'profileImage', 'bio', 'profession'].map((name) => ({ [name]: undefined }))
    for (const fields of [...pictures, ...missing, { username: '' }, { bio: ' ' }]) {
      assert.equal(
        (await edit(user._id, { ...profile, ...fields }, headers)).status,
        400,
        JSON.stringify(fields),
      )
    }
    assert.deepEqual((await me(headers)).body.data, user)
    for (const profileImage of ['/uploads/abc-1200.webp', 'HTTPS://Example.com/a.png'])
      assert.equal((await edit(user._id, { ...profile, profileImage }, headers)).status, 200)
  })
})

describe('user administration', () => {
  const list = (query: string, headers: Record<string, string>) =>
    shop.call<{ data: User[] }>({ method: 'GET', url: `/api/auth/users${query}`, headers })

  test('lists users for admins only, with five fields, newest first, in pages and by search', async () => {
    const admin = await makeAdmin()
    const first = await makeUser(shop.database.db, { username: '100% needle' })
    await makeUser(shop.database.db, { email: `needle-${newEmail()}` })
    assert.equal((await list('', {})).status, 401)
    assert.equal((await list('', first.headers)).status, 403)
    assert.equal((await list('?page=x', first.headers)).status, 403)
    const all = await list('', admin.headers)
    assert.equal(Number(all.headers['x-total-count']), all.body.data.length)
    assert.deepEqual(Object.keys(all.body.data[0] ?? {}), ['_id', 'username', 'email', 'role', 'createdAt'])
    const found = await list('?search=NEEDLE&page=2&limit=1', admin.headers)
    assert.equal(found.headers['x-total-count'], '2')
    assert.deepEqual(
      found.body.data.map(({ _id }) => _id),
      [first.user.id],
    )
    assert.deepEqual(
      (await list('?search=100%25', admin.headers)).body.data.map(({ _id }) => _id),
      [first.user.id],
    )
    assert.deepEqual((await list('?page=999', admin.headers)).body.data, [])
    assert.equal((await list('?limit=101', admin.headers)).status, 400)
  })

  const setRole = (id: string, role: unknown, headers = {}) =>
    shop.call<OfUser & Problem>({ method: 'PUT', url: `/api/auth/users/${id}`, payload: { role }, headers })
  const remove = (id: string, headers = {}) =>
    shop.call<Problem>({ method: 'DELETE', url: `/api/auth/users/${id}`, headers })

  test('only an admin can change a user’s role, which ends the user’s sessions', async () => {
    const [customer, admin] = [await newCustomer(), await makeAdmin()]
    assert.equal((await setRole(customer.user._id, 'admin')).status, 401)
    assert.equal((await setRole(customer.user._id, 'admin', customer.headers)).status, 403)
    assert.equal((await setRole(customer.user._id, 'owner', admin.headers)).status, 400)
    assert.equal((await setRole('unknown', 'admin', admin.headers)).status, 404)
    assert.equal((await rowOf(customer.user._id))?.role, 'user')
    assert.equal((await setRole(customer.user._id, 'user', admin.headers)).status, 200)
    assert.equal((await me(customer.headers)).status, 200)
    const { status, body } = await setRole(customer.user._id, 'admin', admin.headers)
    assert.equal(status, 200)
    assert.equal(body.data.role, 'admin')
    assert.equal(body.message, 'User role updated successfully!')
    assert.equal((await me(customer.headers)).status, 401)
    const again = bearer((await logIn(customer.user.email)).body.token)
    assert.equal((await list('', again)).status, 200)
    await setRole(customer.user._id, 'user', admin.headers)
    assert.equal((await list('', again)).status, 401)
  })

  test('only an admin can delete a user, which ends the user’s sessions', async () => {
    const [customer, admin] = [await newCustomer(), await makeAdmin()]
    assert.equal((await remove(customer.user._id)).status, 401)
    assert.equal((await remove(customer.user._id, customer.headers)).status, 403)
    assert.equal((await me(customer.headers)).status, 200)
    assert.equal((await remove(customer.user._id, admin.headers)).status, 200)
    assert.equal((await remove(customer.user._id, admin.headers)).status, 404)
    assert.equal((await me(customer.headers)).status, 401)
    assert.equal((await logIn(customer.user.email)).status, 401)
  })

  test('the last admin cannot be removed, even when two admins remove each other at the same moment', async () => {
    const { db } = shop.database
    for (let round = 0; round < 40; round += 1) {
      await db.update(users).set({ role: 'user' })
      const [a, b] = [await makeAdmin(), await makeAdmin()]
      const calls = [
        () => remove(b.user.id, a.headers),
        () => (round % 2 ? remove(a.user.id, b.headers) : setRole(a.user.id, 'user', b.headers)),
      ]
      const answers = await Promise.all(calls.map((call) => call()))
      assert.ok(
        statuses(answers).every((status) => [200, 401, 403, 409].includes(status)),
        statuses(answers).join(),
      )
      const left = await db.select().from(users).where(eq(users.role, 'admin'))
      assert.equal(left.length, 1)
    }
    await db.update(users).set({ role: 'user' })
    const { user, headers } = await makeAdmin()
    for (const answer of [await remove(user.id, headers), await setRole(user.id, 'user', headers)]) {
      assert.equal(answer.status, 409)
      assert.equal(answer.body.code, 'last_admin')
      assert.equal(answer.body.title, 'You cannot remove the last admin')
    }
    assert.equal((await me(headers)).status, 200)
  })

  test('an admin who is demoted or deleted while their own change of a role waits its turn gets a 401', async () => {
    const { db, pool } = shop.database
    const waiting = `select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and objid = ${locks.admins} and not granted`
    for (const demote of [(id: string, headers: object) => setRole(id, 'user', headers), remove]) {
      const [admin, former, customer] = [await makeAdmin(), await makeAdmin(), await newCustomer()]
      const untilWaiting = (count: number) =>
        until(async () => (await pool.query(waiting)).rowCount === count, `${count} waiting changes`)
      const { demoting, promoting } = await transaction(db, async (tx) => {
        await tx.execute(`select pg_advisory_xact_lock(${locks.admins})`)
        const demoting = demote(former.user.id, admin.headers)
        await untilWaiting(1)
        const ids = [former.user.id, customer.user._id]
        const promoting = ids.map((id) => setRole(id, 'admin', former.headers))
        await untilWaiting(3)
        return { demoting, promoting }
      })
      assert.equal((await demoting).status, 200)
      assert.deepEqual(statuses(await Promise.all(promoting)), [401, 401])
      assert.notEqual((await rowOf(former.user.id))?.role, 'admin')
      assert.equal((await rowOf(customer.user._id))?.role, 'user')
    }
  })
})

describe('change-password', () => {
  const change = (fields: object, headers = {}) =>
    post<Problem>(
      'change-password',
      { currentPassword: password, newPassword: 'brand new teapot', ...fields },
      headers,
    )

  test('requires the current password and a valid new one, ends every session, and starts a new session', async () => {
    const { user, headers } = await newCustomer()
    const other = bearer((await logIn(user.email)).body.token)
    assert.equal((await change({})).status, 401)
    for (const fields of [
      { currentPassword: 'wrong wrong' },
      { newPassword: 'short' },
      { newPassword: 'password1' },
    ]) {
      assert.equal((await change(fields, headers)).status, 400, JSON.stringify(fields))
    }
    assert.equal((await me(other)).status, 200)
    const changed = await change({}, headers)
    assert.equal(changed.status, 200)
    assert.deepEqual([(await me(headers)).status, (await me(other)).status], [401, 401])
    const cookie = String(changed.headers['set-cookie'])
    assert.match(cookie, /^sid=[^;]+; .*HttpOnly/)
    assert.equal((await me({ cookie: cookie.replace(/;.*/, '') })).body.data._id, user._id)
    assert.equal((await logIn(user.email)).status, 401)
    assert.equal((await logIn(user.email, 'brand new teapot')).status, 200)
  })

  test('waits for a sign-in in progress; afterwards, a sign-in checked against the old hash starts no session', async () => {
    const { db } = shop.database
    const { user } = await newCustomer()
    const row = await rowOf(user._id)
    assert.ok(row)
    const isUser = eq(users.id, user._id)
    await transaction(db, async (tx) => {
      assert.ok(await startSession(tx, row, undefined))
      // The lock that an update of the row takes.
      await assert.rejects(db.select().from(users).where(isUser).for('no key update', { noWait: true }))
    })
    await db.update(users).set({ passwordHash: 'another' }).where(isUser)
    assert.equal(await transaction(db, (tx) => startSession(tx, row, undefined)), undefined)
  })

  test('gets a 401 and changes nothing if the session or the user is gone before the password is saved', async () => {
    const { db, pool } = shop.database
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const logOut = (_tx: Db, { headers }: Customer) => post('logout', undefined, headers)
    const deleteUser = (tx: Db, { user }: Customer) => tx.delete(users).where(eq(users.id, user._id))
    for (const [end, statusOfLogin] of [
      [logOut, 200],
      [deleteUser, 401],
    ] as const) {
      const customer = await newCustomer()
      const { changing } = await transaction(db, async (tx) => {
        await tx.select().from(users).where(eq(users.id, customer.user._id)).for('update')
        const changing = change({}, customer.headers)
        await until(
          async () => (await pool.query(waiting)).rowCount === 1,
          'a change that waits for its user',
        )
        await end(tx, customer)
        return { changing }
      })
      const { status, headers } = await changing
      assert.deepEqual([status, headers['set-cookie']], [401, undefined])
      assert.equal((await logIn(customer.user.email)).status, statusOfLogin)
    }
  })

  test('succeeds exactly once when several changes are sent at once', async () => {
    const { headers } = await newCustomer()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => change({ newPassword: `teapot number ${index}` }, headers)),
    )
    assert.equal(statuses(answers).filter((status) => status === 200).length, 1)
  })
})
