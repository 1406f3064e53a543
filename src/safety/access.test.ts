import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { getMe } from '#shop/accounts/contract.ts'
import { buildApp } from '#shop/app.ts'
import type { Access } from '#shop/contract/endpoint.ts'
import type { RouteAccess } from '#shop/platform/route.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { openSocket, readAll } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { callers, expectedStatus, newPerson } from './callers.ts'
import { calls, fileCall } from './calls.ts'
import { endpoints } from './endpoints.ts'
import { hashOfDatabase } from './world.ts'

const webFolder = await mkdtemp(join(tmpdir(), 'haberdash-page-'))
await writeFile(join(webFolder, 'index.html'), '<!doctype html><title>Haberdash</title>')

let shop: TestApp
before(async () => {
  shop = await startTestApp({ page: { web: webFolder, server: webFolder, scripts: '' } })
})
after(async () => {
  await shop.close()
  await rm(webFolder, { recursive: true })
})

const keyOf = ({ method, url }: { method: string; url: string }) => `${method} ${url}`
const isFile = ({ access }: RouteAccess) => access === 'file'
const sendRequest = (method: string, url: string, rest: Omit<InjectOptions, 'method' | 'url'>) =>
  shop.app.inject({ method: method as 'GET', url, ...rest })

type CallerName = keyof typeof callers
const everybody = Object.keys(callers) as CallerName[]

/** Makes the call as each of these callers; returns what was not as `access`, the table's entry, says. */
async function deviations(
  { method, url, access }: RouteAccess,
  names: readonly CallerName[],
  app = shop.app,
): Promise<string[]> {
  const deviating: string[] = []
  for (const name of names) {
    const caller = callers[name]
    const owner = await newPerson(shop)
    const call = await calls[`${method} ${url}`]?.(shop, owner)
    if (!call) throw new Error(`${method} ${url}: calls.ts does not say how to call it`)
    const headers = await caller.headers(shop, owner)
    const expected = expectedStatus(access, caller.standing, call.status ?? 200)
    const before = expected >= 400 && (await hashOfDatabase(shop))
    const answer = await app.inject({ method: method as 'GET', headers, ...call })
    const isChanged = expected >= 400 && before !== (await hashOfDatabase(shop))
    if (answer.statusCode !== expected) deviating.push(`${name}: ${answer.statusCode}, not ${expected}`)
    if (isChanged) deviating.push(`${name} changed something`)
    if ((answer.statusCode === 401) !== (answer.headers['www-authenticate'] === 'Bearer'))
      deviating.push(`${name}: ${String(answer.headers['www-authenticate'])}`)
    if (expected !== 401 || method === 'GET') continue
    // A caller who may not make the call is refused before the body is read.
    const json = { ...headers, 'content-type': 'application/json' }
    const garbage = await app.inject({
      method: method as 'POST',
      url: call.url,
      headers: json,
      payload: '{"',
    })
    if (garbage.statusCode !== 401) deviating.push(`${name}, with garbage: ${garbage.statusCode}, not 401`)
  }
  return deviating
}

const callersWithoutAccess = ['a stranger', 'another user'] as const
const tableOf = () => shop.app.accessMap.filter((route) => !isFile(route) && route.method !== 'HEAD')

describe('the access table', () => {
  test('has every endpoint of every contract with its access level, and besides only the webhook', () => {
    const table = new Map(shop.app.accessMap.map((route) => [keyOf(route), route.access]))
    for (const { method, path, access } of endpoints) {
      assert.deepEqual(table.get(`${method} ${path}`), access, `${method} ${path}`)
    }
    const known = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
    const others = tableOf().filter((route) => !known.has(keyOf(route)))
    assert.deepEqual(others.map(keyOf), ['POST /api/payments/webhook'])
  })

  test('matches the table in docs/access.md', async () => {
    const cellOf = (access: RouteAccess['access'], is: 'nobody' | 'user' | 'owner' | 'admin') => {
      const status = expectedStatus(access, is, 200)
      return status === 200 ? 'yes' : String(status)
    }
    const lines = tableOf().map(({ method, url, access }) => {
      const cells = (['nobody', 'user', 'owner', 'admin'] as const).map((is) => cellOf(access, is))
      return `| \`${method} ${url}\` | ${cells.join(' | ')} |`
    })
    const written = await readFile(new URL('../../docs/access.md', import.meta.url), 'utf8')
    const read = written.split('\n').filter((line) => line.startsWith('| `'))
    assert.deepEqual(read.map((line) => line.replaceAll(/ +/g, ' ')).sort(), lines.sort())
  })

  test('holds for every call and every caller, and refused calls change nothing', async () => {
    const few = ['a stranger', 'the owner', 'an admin', 'a deleted user'] as const
    for (const route of tableOf()) {
      const names = route.access === 'anyone' ? few : everybody
      assert.deepEqual(await deviations(route, names), [], keyOf(route))
    }
  })

  test('refuses a request whose session ends while its body arrives, and nothing changes', async () => {
    const isChange = ({ method, access }: RouteAccess) =>
      method !== 'GET' && access !== 'anyone' && access !== 'signed'
    for (const { method, url } of tableOf().filter(isChange)) {
      const call = await calls[`${method} ${url}`]?.(shop, await newPerson(shop))
      const { headers } = await makeUser(shop.database.db, { role: 'admin' })
      const bytes = JSON.stringify(call?.payload ?? {})
      // Of an empty chunked body, only its end is still to come.
      for (const [length, begin, end] of [
        [`content-length: ${bytes.length}`, bytes.slice(0, 1), bytes.slice(1)],
        ['transfer-encoding: chunked', '', '0\r\n\r\n'],
      ]) {
        const socket = await openSocket(shop.url)
        socket.write(
          `${method} ${call?.url} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n` +
            `authorization: ${headers.authorization}\r\ncontent-type: application/json\r\n${length}\r\n\r\n${begin}`,
        )
        const answer = readAll(socket)
        await once(shop.app.server, 'request')
        await shop.call({ method: 'POST', url: '/api/auth/logout', headers })
        const before = await hashOfDatabase(shop)
        socket.write(end ?? '')
        assert.match(await answer, /^HTTP\/1\.1 401 /, `${method} ${url} ${length}`)
        assert.equal(await hashOfDatabase(shop), before, `${method} ${url}`)
      }
    }
  })

  test('gives a stranger the same status for HEAD as for GET, and no body', async () => {
    const stranger = await newPerson(shop)
    for (const { url, access } of tableOf().filter(({ method }) => method === 'GET')) {
      const call = await calls[`GET ${url}`]?.(shop, stranger)
      const { statusCode, body } = await sendRequest('HEAD', call?.url ?? url, {})
      assert.equal(statusCode, expectedStatus(access, 'nobody', 200), url)
      assert.equal(body, '')
    }
  })

  test('treats files and pages the same for everybody', async () => {
    for (const { url } of shop.app.accessMap.filter((route) => isFile(route) && route.method === 'GET')) {
      const admin = await callers['an admin'].headers(shop)
      const [nobody, somebody] = await Promise.all([
        sendRequest('GET', fileCall(url).url, {}),
        sendRequest('GET', fileCall(url).url, { headers: admin }),
      ])
      assert.ok([200, 304, 404].includes(nobody.statusCode), `${url} ${nobody.statusCode}`)
      assert.deepEqual([somebody.statusCode, somebody.body], [nobody.statusCode, nobody.body], url)
    }
  })

  test('does not let a route be registered without an access level', async () => {
    const another = await buildApp(shop)
    const handler = async () => 'for whom?'
    assert.throws(() => another.get('/api/new', handler), /GET \/api\/new does not say who may call it/)
    assert.throws(() => another.post('/api/new', { config: {} }, handler), /does not say who may call it/)
    assert.ok(!another.accessMap.some(({ url }) => url === '/api/new'))
    await another.close()
  })

  test('gives refused callers the same answer for any input and for unknown ids', async () => {
    for (const route of tableOf().filter(({ access }) => access !== 'anyone' && access !== 'signed')) {
      const { method, url, access } = route
      const call = await calls[keyOf(route)]?.(shop, await newPerson(shop))
      for (const name of callersWithoutAccess) {
        const mayCall = 0
        const expected = expectedStatus(access, callers[name].standing, mayCall)
        if (!call || expected === mayCall) continue
        const headers = await callers[name].headers(shop)
        const usual = await sendRequest(method, call.url, { headers, payload: call.payload })
        const unknown = call.url.replace(/[^/]+$/, (last) => (url.endsWith(last) ? last : 'unknown'))
        const json = { ...headers, 'content-type': 'application/json' }
        const others = await Promise.all([
          sendRequest(method, unknown, { headers }),
          sendRequest(method, `${unknown}?page=x&limit=-1`, { headers }),
          ...(method === 'GET' ? [] : ['{"', '[[[', '{"price":"x"}', 'null']).map((payload) =>
            sendRequest(method, unknown, { headers: json, payload }),
          ),
        ])
        for (const { statusCode, body } of [usual, ...others]) {
          assert.equal(statusCode, expected, `${keyOf(route)} ${name}`)
          assert.equal(body, usual.body)
        }
      }
    }
  })
})

describe('an access level weakened on purpose breaks the access table', () => {
  /** The access levels that would let in somebody who should be kept out. */
  const weaker = (access: Access): Access[] => {
    if (access === 'anyone') return []
    return access === 'user' ? ['anyone'] : ['anyone', 'user']
  }
  for (const endpoint of endpoints) {
    // Its handler checks the caller once more, and it has no input that could be read before that.
    if (endpoint === getMe) continue
    for (const access of weaker(endpoint.access)) {
      test(`${endpoint.method} ${endpoint.path} with access ${String(access)}`, async () => {
        const { method, path: url, access: right } = endpoint
        endpoint.access = access
        const weakened = await buildApp(shop)
        try {
          assert.notDeepEqual(
            await deviations({ method, url, access: right }, callersWithoutAccess, weakened),
            [],
          )
        } finally {
          endpoint.access = right
          await weakened.close()
        }
      })
    }
  }
})
