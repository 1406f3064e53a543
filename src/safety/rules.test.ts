import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { z } from 'zod'
import { newId, newToken } from '#shop/platform/ids.ts'
import { makeOrder, makeProduct } from '#shop/testing/factories.ts'
import { exchange } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { callers, cookieOf, expectedStatus, newPerson } from './callers.ts'
import { calls } from './calls.ts'
import { endpoints } from './endpoints.ts'
import { columnNames, tablesContaining, hashOfDatabase } from './world.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const isWrite = ({ method }: { method: string }) => method !== 'GET'
const send = (options: InjectOptions) => shop.app.inject(options)

/** A request to each endpoint that changes something, each from a new caller who may make it. */
async function writes() {
  return Promise.all(
    endpoints.filter(isWrite).map(async (endpoint) => {
      const caller = await newPerson(shop, endpoint.access === 'admin' ? 'admin' : 'user')
      const name = `${endpoint.method} ${endpoint.path}`
      const call = await calls[name]?.(shop, caller)
      if (!call) throw new Error(`${name} is not in calls.ts`)
      return { ...call, name, method: endpoint.method, body: endpoint.body, cookie: cookieOf(caller) }
    }),
  )
}

describe('the cross-site request check', () => {
  const json = { 'content-type': 'application/json' }
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
    { 'sec-fetch-site': 'invented' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'http://localhost:1' },
    { origin: 'https://evil.example, http://localhost' },
  ]
  const forms = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; charset=utf-8',
    'application/jsonp',
    'application/json\ta',
    'application/json garbage',
    'text/json',
    'application/xml',
    '*/*',
    '',
  ]

  test('refuses each changing call from another site or with a non-JSON body, and nothing changes', async () => {
    const all = await writes()
    const before = await hashOfDatabase(shop)
    for (const { name, method, url, payload, cookie } of all) {
      for (const headers of foreign) {
        const answer = await send({ method, url, payload, headers: { ...json, ...cookie, ...headers } })
        assert.equal(answer.statusCode, 403, `${name} ${JSON.stringify(headers)}`)
        assert.equal(answer.json<{ title: string }>().title, 'Cross-site request refused')
      }
      for (const type of forms) {
        const headers = { ...cookie, 'content-type': type }
        const answer = await send({ method, url, payload: JSON.stringify(payload ?? {}), headers })
        assert.equal(answer.statusCode, 415, `${name} ${type}`)
      }
      const encoded = { ...json, ...cookie, 'content-encoding': 'gzip' }
      const answer = await send({ method, url, payload: JSON.stringify(payload ?? {}), headers: encoded })
      assert.equal(answer.statusCode, 415, `${name} with a Content-Encoding`)
    }
    assert.equal(await hashOfDatabase(shop), before)
  })

  test('accepts a Content-Encoding that says the body is plain, or where there is no body', async () => {
    const plain = {
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: 'a@b.example', password: 'xxxxxxxx' },
    } as const
    for (const encoding of ['identity', 'Identity', ''])
      assert.equal(
        (await send({ ...plain, headers: { 'content-encoding': encoding } })).statusCode,
        401,
        encoding,
      )
    const headers = { 'content-encoding': 'gzip' }
    assert.equal(
      (await send({ url: '/api/products?limit=1', headers: { ...headers, 'content-length': '0' } }))
        .statusCode,
      200,
    )
    assert.equal((await send({ ...plain, url: '/api/nothing', headers })).statusCode, 404)
  })

  test('accepts requests from the shop’s own pages', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: shop.config.publicUrl },
      { 'sec-fetch-site': 'none' },
      { origin: shop.config.publicUrl },
    ]) {
      const { cookie } = cookieOf(await newPerson(shop))
      const answer = await send({ method: 'POST', url: '/api/auth/logout', headers: { cookie, ...headers } })
      assert.equal(answer.statusCode, 200, JSON.stringify(headers))
    }
  })
})

test('undocumented body fields are ignored, even if they name a table column', async () => {
  const columns = await columnNames(shop)
  assert.ok(columns.includes('password_hash') && columns.includes('passwordHash'))
  for (const { name, method, url, payload, status = 200, body, cookie } of await writes()) {
    if (!(body instanceof z.ZodObject)) continue
    const own = new Set(Object.keys(body.shape))
    const extras = columns
      .filter((column) => !own.has(column))
      .map((column) => [column, 'CANARY-9Q'] as const)
    const answer = await send({
      method,
      url,
      headers: cookie,
      payload: { ...Object.fromEntries<unknown>(extras), isAdmin: true, $set: { role: 'admin' }, ...payload },
    })
    assert.equal(answer.statusCode, status, `${name} ${answer.body}`)
    assert.ok(!answer.body.includes('CANARY-9Q'), name)
  }
  assert.deepEqual(await tablesContaining(shop, 'CANARY-9Q'), [])
})

test('no response reveals a password hash or session token, nor a user’s e-mail to non-admins', async () => {
  const victim = await newPerson(shop)
  const { user, token } = victim
  const product = await makeProduct(shop.database.db)
  await makeOrder(shop.database.db, { userId: user.id, email: user.email })
  const review = { productId: product.id, rating: 3, comment: 'By the victim.' }
  await send({ method: 'POST', url: '/api/reviews/post-review', payload: review, headers: victim.headers })
  for (const { method, path, access } of endpoints) {
    for (const name of ['a stranger', 'another user', 'an admin'] as const) {
      const call = await calls[`${method} ${path}`]?.(shop, victim)
      // Responses to signing in or registering contain the caller's own data.
      if (!call || /login|register|logout|change-password/.test(path)) continue
      const url = method === 'GET' && path === '/api/products/:id' ? `/api/products/${product.id}` : call.url
      const { statusCode, body } = await send({
        method,
        headers: await callers[name].headers(shop),
        ...call,
        url,
      })
      assert.equal(
        statusCode,
        expectedStatus(access, callers[name].standing, call.status ?? 200),
        `${method} ${path} ${name}`,
      )
      for (const secret of [user.passwordHash, token, '$argon2', 'password_hash', 'tokenHash']) {
        assert.ok(!body.includes(secret), `${method} ${path} tells ${name} ${secret}`)
      }
      if (name !== 'an admin')
        assert.ok(!body.includes(user.email), `${method} ${path} tells ${name} an e-mail`)
    }
  }
})

test('ids are random, in no order, and long enough for 128 bits', () => {
  for (const [make, length] of [
    [newId, 22],
    [newToken, 43],
  ] as const) {
    const ids = Array.from({ length: 1000 }, make)
    assert.equal(new Set(ids).size, 1000)
    assert.ok(ids.every((id) => id.length === length && /^[\w-]+$/.test(id)))
    assert.ok(new Set(ids.map(([first]) => first)).size > 50)
    const ascending = ids.filter((id, index) => index > 0 && id > (ids[index - 1] ?? '')).length
    assert.ok(ascending > 400 && ascending < 600, `${ascending} of 1000 follow a smaller one`)
  }
})

test('malformed, non-UTF-8 or prototype-polluting JSON bodies are refused; unusual valid ones are accepted', async () => {
  const { cookie } = cookieOf(await newPerson(shop, 'admin'))
  const url = '/api/products/create-product'
  const good = '{"name":"Tie","category":"grooming","description":"D","price":5,"color":"red"}'
  const ask = (payload: string | Buffer, type = 'application/json') =>
    send({ method: 'POST', url, payload, headers: { cookie, 'content-type': type } })
  const bad = [
    Buffer.from(good.replace('Tie', 'T\u00ffe'), 'latin1'),
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0x80, 0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    Buffer.from(`\ufeff${good}`, 'utf16le'),
    good.slice(0, -1),
    `${good}${good}`,
    good.replace('{', '{"__proto__":{"role":"admin"},'),
    good.replace('{', '{"constructor":{"prototype":{"role":"admin"}},'),
    good.replace('5,', 'NaN,'),
    good.replace('5,', '0x1F,'),
    good.replace('5,', '1e400,'),
    '['.repeat(20_000) + ']'.repeat(20_000),
    '{"a":'.repeat(8000) + '1' + '}'.repeat(8000),
    'null',
    '[]',
    '7',
    '"text"',
    'true',
    ' ',
  ]
  for (const payload of bad) {
    const answer = await ask(payload)
    assert.equal(answer.statusCode, 400, `${String(payload).slice(0, 60)} ${answer.body}`)
    assert.equal(answer.headers['content-type'], 'application/problem+json')
  }
  assert.equal(({} as { role?: string }).role, undefined)
  assert.equal((await ask(`{"padding":"${'x'.repeat(70_000)}"}`)).statusCode, 413)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset=UTF-8',
  ]) {
    assert.equal((await ask(good, type)).statusCode, 201, type)
  }
  const twice = await ask(good.replace('{', '{"name":"First",'))
  assert.equal(twice.json<{ data: { name: string } }>().data.name, 'Tie')
})

test('headers with prototype names do no harm, and too many headers get 431', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString']) {
    const answer = await exchange(
      shop.url,
      `GET /api/config HTTP/1.1\r\nHost: x\r\n${name}: x\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 200 /, name)
  }
  const large = await exchange(
    shop.url,
    `GET /api/config HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(9000)}\r\n`,
  )
  assert.match(large, /^HTTP\/1\.1 431 /)
  assert.equal((await send({ url: '/api/config' })).statusCode, 200)
})
