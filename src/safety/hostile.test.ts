import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { z } from 'zod'
import { products } from '#shop/catalogue/server/tables.ts'
import { Problem } from '#shop/contract/problem.ts'
import { makeOrder, makeProduct } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { cookieOf, newPerson } from './callers.ts'
import { calls } from './calls.ts'
import { endpoints } from './endpoints.ts'
import { hostileNumbers, hostileText, hostileValues } from './hostile.ts'

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

/** Whether the response is a success. If not, asserts that it is a usual refusal in the usual shape. */
function assertTakenOrRefused(
  answer: { statusCode: number; headers: object; json(): unknown },
  what: string,
): boolean {
  if (answer.statusCode < 400) return true
  assert.ok([400, 401, 403, 404, 409, 413, 415].includes(answer.statusCode), `${what}: ${answer.statusCode}`)
  const { type, title, status, code, ...more } = Problem.parse(answer.json())
  assert.equal(status, answer.statusCode)
  assert.ok(type && title && code, what)
  // Its texts are ours: nothing of a library, a statement or a file.
  assert.doesNotMatch(
    JSON.stringify(more),
    /node_modules|\bat \/|select |insert |ERROR:|ZodError|\.ts\b/i,
    what,
  )
  return false
}

/** Fields that hold text which is shown to people. */
const shownText = ['username', 'bio', 'profession', 'name', 'description', 'comment']

describe('hostile values in any body field never cause an internal error', () => {
  for (const { method, path, body, access } of endpoints) {
    if (!(body instanceof z.ZodObject)) continue
    test(`${method} ${path}`, async () => {
      const caller = await newPerson(shop, access === 'admin' ? 'admin' : 'user')
      const headers = cookieOf(caller)
      const call = await calls[`${method} ${path}`]?.(shop, caller)
      if (!call) throw new Error(`${method} ${path} is not in calls.ts`)
      for (const field of Object.keys(body.shape)) {
        for (const [what, value] of Object.entries(hostileValues)) {
          // Hashing a password costs as much as everything else, so for that field only some values are tried.
          if (/password/i.test(field) && typeof value === 'string' && !(what in hostileText)) continue
          const payload = { ...call.payload, [field]: value }
          const answer = await shop.app.inject({ method, url: call.url, headers, payload })
          const isGood = assertTakenOrRefused(answer, `${field} is ${what}`)
          if (what in hostileText && shownText.includes(field)) assert.ok(!isGood, `${field} is ${what}`)
        }
      }
    })
  }
})

describe('malformed or out-of-range numbers in any query get 400', () => {
  for (const { method, path, query, access } of endpoints) {
    const numbers = Object.keys(query?.shape ?? {}).filter((name) =>
      /^(page|limit|minPrice|maxPrice)$/.test(name),
    )
    if (numbers.length === 0) continue
    test(`${method} ${path}`, async () => {
      const caller = await newPerson(shop, access === 'admin' ? 'admin' : 'user')
      const call = await calls[`${method} ${path}`]?.(shop, caller)
      const url = call?.url.split('?')[0] ?? ''
      const ask = (search: string) =>
        shop.app.inject({ method, url: `${url}?${search}`, headers: cookieOf(caller) })
      for (const name of numbers) {
        const isPrice = name.endsWith('Price')
        const prices = ['0', '1.5', '1.0', '21474836.47', '21474836.48', '99999999', '999999999.99']
        for (const text of isPrice ? prices : []) {
          assert.equal((await ask(`${name}=${text}`)).statusCode, 200, `${name}=${text}`)
        }
        const bad = hostileNumbers.filter((text) => !(isPrice && /^(0|1\.5|2147483648|1\.0)$/.test(text)))
        for (const text of [...bad, ...(name === 'limit' ? ['101', '1000000'] : [])]) {
          const answer = await ask(`${name}=${encodeURIComponent(text)}`)
          assert.equal(answer.statusCode, 400, `${name}=${text}`)
          const { errors } = Problem.parse(answer.json())
          assert.equal(errors?.[0]?.path, name)
        }
        assert.equal((await ask(`${name}=1&${name}=2`)).statusCode, 400, `${name} twice`)
        assert.equal((await ask(`${name}[]=1`)).statusCode, 200, `${name}[] is unknown`)
        if (!isPrice) assert.equal((await ask(`${name}=`)).statusCode, 400, `${name} is empty`)
      }
    })
  }
})

test('impossible ids in any path get 404', async () => {
  const ids = [
    '%00',
    'a%00b',
    '%ff',
    '%C3%28',
    '%zz',
    '%',
    '..%2f..%2fetc',
    'x'.repeat(10_000),
    '%F0%9F%A6%8A',
    "'%20or%201=1--",
    '__proto__',
    'constructor',
    '*',
    '-1',
    '0',
    'null',
    'undefined',
    '%20',
    '%E2%80%AE',
  ]
  const admin = await newPerson(shop, 'admin')
  for (const { method, path, params } of endpoints) {
    // An e-mail in a path may be any text at all; there, an unknown one gets 404 as well.
    if (!params) continue
    const call = await calls[`${method} ${path}`]?.(shop, admin)
    for (const id of ids) {
      const url = path.replace(/:\w+/, id)
      const payload = /edit-profile/.test(path) ? { ...call?.payload, userId: undefined } : call?.payload
      const answer = await shop.app.inject({ method, url, payload, headers: cookieOf(admin) })
      assert.equal(answer.statusCode, 404, `${method} ${url.slice(0, 100)} ${answer.body.slice(0, 200)}`)
      assert.equal(Problem.parse(answer.json()).title, 'Not found')
    }
  }
})

test('hundreds of SQL injection attempts find nothing and change nothing', async () => {
  await shop.database.db.update(products).set({ deletedAt: new Date() })
  const before = await shop.database.db.$count(products)
  for (const color of ['red', 'blue']) await makeProduct(shop.database.db, { color, name: `A ${color} tie` })
  await makeOrder(shop.database.db)
  const starts = ["'", '"', "')", "';", '\\', '`', '$$', '%27', '/*', '--', "'))", '1', 'red', "red'", 'red%']
  const middles = [
    ' or 1=1',
    ' or true',
    ' union select null',
    '; drop table products',
    ' and pg_sleep(5)',
    '||(select version())',
    ' order by 99',
    ' limit 1000',
    " like '%'",
  ]
  const ends = ['--', '/*', '#', '', "'"]
  const attempts = starts.flatMap((start) =>
    middles.flatMap((middle) => ends.map((end) => start + middle + end)),
  )
  assert.ok(attempts.length > 500)
  for (const [index, attempt] of attempts.entries()) {
    const url = `/api/products/?${index % 2 ? 'category' : 'color'}=${encodeURIComponent(attempt)}`
    const { statusCode, body } = await shop.app.inject({ url })
    assert.equal(statusCode, 200, attempt)
    assert.match(body, /"products":\[\],"totalPages":0,"totalProducts":0/, attempt)
  }
  for (const attempt of attempts.filter((_all, index) => index % 10 === 0)) {
    const sorted = await shop.app.inject({ url: `/api/products/?sort=${encodeURIComponent(attempt)}` })
    assert.equal(sorted.statusCode, 400)
    const searched = await shop.app.inject({ url: `/api/products/?search=${encodeURIComponent(attempt)}` })
    assert.equal(searched.statusCode, 200)
  }
  assert.equal(await shop.database.db.$count(products), before + 2)
})
