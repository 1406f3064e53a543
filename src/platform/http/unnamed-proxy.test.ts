import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { logUnnamedProxy } from './unnamed-proxy.ts'

async function linesOf(trustProxy: string | false): Promise<string[]> {
  const lines: string[] = []
  const app = Fastify({ trustProxy })
  app.addHook('onRequest', async ({ headers, raw }) => {
    if (headers['x-forwarded-for'] === 'gone') Object.assign(raw.socket, { destroyed: true })
  })
  logUnnamedProxy(app, (line) => lines.push(line))
  app.get('/', async () => 'here')
  await app.inject('/')
  // A client that has hung up by then has no address to name.
  await app.inject({ url: '/', headers: { 'x-forwarded-for': 'gone' } })
  assert.deepEqual(lines, [])
  // The last client is on the proxy's own machine.
  for (const each of ['192.0.2.1', '192.0.2.2', '127.0.0.1'])
    await app.inject({ url: '/', headers: { 'x-forwarded-for': each } })
  await app.close()
  return lines
}

test('a proxy that TRUST_PROXY does not name is logged once, and one that it names is not', async () => {
  const expected = 'TRUST_PROXY does not name 127.0.0.1, which sends X-Forwarded-For'
  for (const named of [false, '10.0.0.1'] as const) {
    const lines = await linesOf(named)
    assert.deepEqual(
      lines.map((line) => line.split(':')[0]),
      [expected],
    )
  }
  assert.deepEqual(await linesOf('127.0.0.1'), [])
})
