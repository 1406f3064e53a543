import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, createByteCache, type CachedAnswer } from './byte-cache.ts'
import { encodingFor } from './encodings.ts'

const page = (body: string) => async () => ({ body, type: 'text/plain' })
const textOf = (cached: Pick<CachedAnswer, 'bodyOf'>) => bytesOf(cached.bodyOf('identity')).toString()

function cacheAt(start: number | undefined, maxBytes?: number) {
  const now = { version: start }
  return { now, cache: createByteCache({ current: () => now.version }, maxBytes) }
}

test('an answer is cached until something changes, and then rendered again', async () => {
  const { now, cache } = cacheAt(1)
  const cached = await cache.get('a', page('first'))
  cache.remember('/a', cached)
  assert.equal(await cache.get('a', page('second')), cached)
  assert.equal(cache.find('/a'), cached)
  now.version = 2
  assert.equal(cache.find('/a'), undefined)
  assert.equal(textOf(await cache.get('a', page('second'))), 'second')
})

test('nothing is cached while the version is unknown, and older answers do not come back afterwards', async () => {
  const { now, cache } = cacheAt(1)
  cache.remember('/a', await cache.get('a', page('known')))
  now.version = undefined
  assert.equal(cache.find('/a'), undefined)
  cache.remember('/a', await cache.get('a', page('unknown')))
  assert.equal(textOf(await cache.get('a', page('again'))), 'again')
  now.version = 1
  assert.equal(cache.find('/a'), undefined)
  assert.equal(textOf(await cache.get('a', page('later'))), 'later')
})

test('an answer outdated while it is rendered is sent but not cached, and later requests do not share it', async () => {
  const { now, cache } = cacheAt(1)
  const reading = Promise.withResolvers<void>()
  const slow = cache.get('a', () => reading.promise.then(page('old')))
  const same = cache.get('a', page('never asked'))
  now.version = 2
  const later = cache.get('a', page('new'))
  reading.resolve()
  assert.deepEqual((await Promise.all([slow, same, later])).map(textOf), ['old', 'old', 'new'])
  cache.remember('/a', await slow)
  assert.equal(cache.find('/a'), undefined)
  assert.equal(textOf(await cache.get('a', page('newest'))), 'new')
})

test('a failed rendering is not cached', async () => {
  const { cache } = cacheAt(1)
  await assert.rejects(cache.get('a', () => Promise.reject(new Error('no'))))
  assert.equal(textOf(await cache.get('a', page('yes'))), 'yes')
})

test('the cache stays within its size: unused answers go first, and addresses count towards the size', async () => {
  const { cache } = cacheAt(1, 50_000)
  const big = 'x'.repeat(9000)
  const first = await cache.get('first', page(big))
  cache.remember('/first', first)
  cache.remember('/unasked', await cache.get('unasked', page(big)))
  for (let n = 0; n < 40; n += 1) {
    cache.remember(`/${n}`, await cache.get(`${n}`, page(big)))
    assert.equal(cache.find('/first'), first)
  }
  assert.equal(cache.find('/unasked'), undefined)
  const left = Array.from({ length: 40 }, (_, n) => cache.find(`/${n}`)).filter(Boolean)
  assert.ok(left.length > 0 && left.length < 5)
  for (let n = 0; n < 60; n += 1) cache.remember(`/first?${n}`, first)
  assert.equal(cache.find('/first?59'), undefined, 'addresses have their weight too')
})

test('many made-up addresses of one answer do not evict other answers', async () => {
  const { cache } = cacheAt(1, 200_000)
  const other = await cache.get('other', page('other'))
  cache.remember('/other', other)
  const one = await cache.get('one', page('one'))
  for (let n = 0; n < 300; n += 1) cache.remember(`/one?${n}`, one)
  assert.equal(cache.find('/one?50'), one)
  assert.equal(cache.find('/one?250'), undefined)
  assert.equal(cache.find('/other'), other)
})

test('a client gets the best encoding it accepts, and each encoding has its own ETag', async () => {
  const accepted: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, GZIP;q=0.5', 'gzip'],
    ['br; q=0.0, identity', 'identity'],
    ['br;\tq=0, gzip', 'gzip'],
    ['xbr', 'identity'],
  ]
  for (const [header, encoding] of accepted) assert.equal(encodingFor(header, 5000), encoding, header)
  assert.equal(encodingFor('br', 100), 'identity')
  const cached = await cacheAt(1).cache.get('a', page('word '.repeat(500)))
  assert.equal(new Set([cached.etagOf('br'), cached.etagOf('gzip'), cached.etagOf('identity')]).size, 3)
  assert.ok(cached.bodyOf('br').length < 100)
})
