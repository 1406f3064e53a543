import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Endpoint } from '#shop/contract/endpoint.ts'
import { startTestApp, type LogLine, type TestApp } from '#shop/testing/test-app.ts'
import { newPerson, password } from './callers.ts'
import { calls } from './calls.ts'
import { endpoints } from './endpoints.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

/** The log lines about one request. */
async function linesOf(
  headers: Record<string, string>,
  { method, url, payload }: { method: Endpoint['method']; url: string; payload?: Record<string, unknown> },
): Promise<LogLine[]> {
  const linesBefore = shop.logged.length
  await shop.call({ method, url, headers, ...(payload && { payload }) })
  return shop.logged.slice(linesBefore)
}

test('each change that only an admin may make is logged with who made it and of what; no other call is', async () => {
  const admin = await newPerson(shop, 'admin')
  const bodiesLogged: unknown[] = []
  for (const { method, path, access } of endpoints) {
    const owner = await newPerson(shop)
    const isForAdmins = access === 'admin' || typeof access === 'object'
    // Whoever is signed in may make the others: their reviews and pictures are their own.
    if (!isForAdmins && method !== 'GET') continue
    const call = await calls[`${method} ${path}`]?.(shop, owner)
    assert.ok(call)
    const lines = await linesOf(admin.headers, { method, ...call })
    if (!isForAdmins || method === 'GET') {
      assert.deepEqual(lines, [], path)
      continue
    }
    const [{ msg, admin: by, method: how, route, params = {}, body } = {}] = lines
    assert.deepEqual([lines.length, msg, by, how, route], [1, 'changed', admin.user.id, method, path])
    const named = Object.entries(params).reduce((url, [name, value]) => url.replace(`:${name}`, value), path)
    assert.equal(named, call.url)
    if (body) bodiesLogged.push(body)
    if (typeof access === 'object') assert.deepEqual(await linesOf(owner.headers, { method, ...call }), [])
  }
  assert.deepEqual(bodiesLogged, [{ role: 'admin' }, { status: 'shipped' }])
})

test('the log says which admin signs in, and nothing when a customer does', async () => {
  for (const role of ['admin', 'user'] as const) {
    const { user } = await newPerson(shop, role)
    const payload = { email: user.email, password }
    const lines = await linesOf({}, { method: 'POST', url: '/api/auth/login', payload })
    const expected = role === 'admin' ? [['signed in', user.id]] : []
    assert.deepEqual(
      lines.map(({ msg, admin }) => [msg, admin]),
      expected,
    )
    assert.doesNotMatch(JSON.stringify(lines), new RegExp(`${password}|${user.email}`))
  }
})

test('the log line of a refusal says who was refused, if somebody is signed in', async () => {
  const { user, headers } = await newPerson(shop)
  for (const [sent, expected] of [
    [headers, user.id],
    [{}, undefined],
  ] as const) {
    const [line] = await linesOf(sent, { method: 'GET', url: '/api/auth/users' })
    assert.equal(line?.msg, 'refused')
    assert.equal(line.user, expected)
  }
})
