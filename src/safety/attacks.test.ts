import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { builtPage } from '#shop/platform/web/web-build.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { exchange, openSocket, readAll } from '#shop/testing/raw-request.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'

/** Faults that manual attacks on the running shop have found; none may come back. */
let shop: TestApp
before(async () => {
  shop = await startTestApp({ page: builtPage })
})
after(() => shop.close())

test('ambiguous paths such as //shop or /a/../shop get 404, not a copy of the page', async () => {
  for (const address of [
    '//evil.example',
    '///shop',
    '/./shop',
    '/%2e/shop',
    '/\\evil',
    '//shop',
    '/a/../shop',
    '/shop/..',
    '/shop//?page=2',
    '/shop/%2e%2E',
    '/shop/.%2e?page=2',
    '/shop/%2e#x',
    '/categories/../',
    '/shop/\\..',
  ]) {
    const answer = await exchange(
      shop.url,
      `GET ${address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 404 /, address)
    assert.doesNotMatch(answer, /evil\.example|canonical/)
  }
  assert.equal((await fetch(`${shop.url}/shop`)).status, 200)
})

test('ids such as __proto__ or constructor get a 404 page like any unknown id', async () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    for (const path of [`/shop/${name}`, `/orders/${name}`, `/categories/${name}`]) {
      const answer = await fetch(shop.url + path)
      assert.equal(answer.status, 404, path)
      assert.match(await answer.text(), /<h1/, path)
    }
  }
  assert.deepEqual(lines('not available'), [])
})

test('impossible category names get 404 and noindex, without an error in the log', async () => {
  for (const path of ['/categories/%00', '/categories/%1b%5B31m', `/categories/${'a'.repeat(200)}`]) {
    const answer = await fetch(shop.url + path)
    assert.equal(answer.status, 404, path)
    assert.equal(answer.headers.get('x-robots-tag'), 'noindex')
  }
  assert.deepEqual(lines('not available'), [])
  assert.equal((await fetch(`${shop.url}/search?q=%00%e2%80%aecoat`)).status, 200)
})

test('requests with an absolute URL or more than one Host header get 400', async () => {
  const close = 'Connection: close\r\n\r\n'
  assert.equal((await fetch(`${shop.url}/shop`)).status, 200)
  for (const [first, hosts] of [
    ['GET http://evil.example/shop HTTP/1.1', 'Host: evil.example\r\n'],
    ['GET /shop HTTP/1.1', 'Host: localhost\r\nhost: evil.example\r\n'],
    ['POST /api/auth/logout HTTP/1.1', 'Host: localhost\r\nHost: localhost\r\n'],
  ]) {
    assert.match(await exchange(shop.url, `${first}\r\n${hosts}${close}`), /^HTTP\/1\.1 400 /, first)
  }
})

test('a broken chunked body is logged as 400, not as an unavailable database', async () => {
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  await exchange(shop.url, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":nonsense`)
  assert.deepEqual(lines('not available'), [])
  assert.ok(shop.logged.some(({ route, status }) => route === '/api/auth/login' && status === 400))
})

test('fifty pipelined requests are answered; a client that pipelines a thousand is disconnected', async (t) => {
  // The time limit for silent connections ends none of these.
  const patient = await startTestApp({ timeLimits: { silence: 3_600_000 } })
  t.after(() => patient.close())
  const ask = 'GET /api/config HTTP/1.1\r\nHost: localhost\r\n'
  const answersTo = async (ahead: number) => {
    const all = `${ask}\r\n`.repeat(ahead) + `${ask}Connection: close\r\n\r\n`
    return (await exchange(patient.url, all)).match(/HTTP\/1\.1 \d/g)?.length ?? 0
  }
  assert.equal(await answersTo(50), 51)
  const answered = await answersTo(1000)
  assert.ok(answered <= 101, `${answered} answers`)
  assert.equal(await answersTo(0), 1)
  assert.deepEqual(lines('failed', patient), [], 'who hangs up is no fault of ours')
})

test('a client that keeps pipelining sixty requests at a time gets all its answers', async () => {
  const ask = 'GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const socket = await openSocket(shop.url)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  for (let answered = 60; answered <= 240; answered += 60) {
    socket.write(ask.repeat(60))
    while ((received.match(/HTTP\/1\.1 \d/g)?.length ?? 0) < answered) await once(socket, 'data')
  }
  socket.destroy()
})

/** A page may be late on a slow machine; that is not counted as a fault. */
function lines(msg: string, { logged } = shop) {
  return logged.filter((line) => line.msg === msg && !/took too long/.test(line.reason ?? ''))
}

test('a connection stays usable after a refused request whose body has arrived', async () => {
  const refused = 'POST /api/auth/logout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const next = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const socket = await openSocket(shop.url)
  socket.write(`${refused}Content-Length: 2\r\n\r\n{}`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(first), /^HTTP\/1\.1 401 /)
  socket.write(next)
  assert.match(await readAll(socket), /^HTTP\/1\.1 200 /)
})

test('a request refused before its body arrives gets the reason, and its connection takes no other request', async () => {
  const { token } = await makeUser(shop.database.db)
  const next = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  for (const [path, size, status, whose] of [
    ['/uploadImage', 12_000_000, 413, token],
    ['/uploadImage', 300_000, 401, 'nobody'],
    ['/api/auth/login', 12_000_000, 413, token],
    ['/api/payments/webhook', 12_000_000, 413, token],
  ] as const) {
    const socket = await openSocket(shop.url)
    const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${whose}`]
    const type = ['Content-Type: application/json', `Content-Length: ${size}`]
    socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n`)
    const [first] = (await once(socket, 'data')) as [Buffer]
    const [, fields = '', body] = /^HTTP\/1\.1 (.*?)\r\n\r\n(.*)$/s.exec(first.toString()) ?? []
    assert.match(fields, new RegExp(`^${status} .*^connection: close$`, 'ims'), path)
    let isCutOff = false
    socket.on('error', () => (isCutOff = true))
    // The response is complete while the body is still to come. What is sent in place of the body, or after it, is
    // not taken for a request.
    assert.equal((JSON.parse(body ?? '') as { status: number }).status, status)
    socket.write(next + 'A'.repeat(size - next.length) + next)
    assert.deepEqual([await readAll(socket), isCutOff], ['', false], path)
  }
})

test('a cached answer sent before the request body has arrived is the last on its connection', async () => {
  const head = 'GET /api/products/ HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n'
  const ask = `${head}Connection: close\r\n\r\n`
  for (let each = 0; each < 2; each += 1) assert.match(await exchange(shop.url, ask), /^HTTP\/1\.1 200 /)
  const [size, socket] = [3_000_000, await openSocket(shop.url)]
  let isCutOff = false
  socket.on('error', () => (isCutOff = true))
  socket.write(`${head}Content-Length: ${size}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString('latin1'), /^HTTP\/1\.1 200 .*^connection: close\r$/ims)
  socket.write('A'.repeat(size))
  await readAll(socket)
  assert.equal(isCutOff, false)
})

test('path traversal out of the documentation folder gets 404', async () => {
  for (const path of ['../package.json', '%2e%2e/package.json', '..%5cpackage.json', '/etc/passwd']) {
    const bytes = `GET /api/docs/static/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    assert.match(await exchange(shop.url, bytes), /^HTTP\/1\.1 404 /, path)
  }
})

test('the Bearer scheme is case-insensitive, and another scheme gets 401', async () => {
  const { token } = await makeUser(shop.database.db)
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`]) {
    const { status } = await shop.call({ url: '/api/auth/me', headers: { authorization } })
    assert.equal(status, 200, authorization)
  }
  const { status } = await shop.call({ url: '/api/auth/me', headers: { authorization: `Token ${token}` } })
  assert.equal(status, 401)
})
