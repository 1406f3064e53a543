import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { AwsClient } from 'aws4fetch'
import type { S3Settings } from '#shop/platform/s3-settings.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { listen } from '#shop/testing/listen.ts'
import { startS3Server, type S3Server } from '#shop/testing/s3-server.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { sharp } from './decoder.ts'
import { addressOf } from './s3-calls.ts'
import { openS3Storage } from './s3-storage.ts'

const marker = 'haberdash'
const silent = () => {}

/** A different picture each time. */
async function photo(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: randomInt(60, 200), sigma: randomInt(5, 30) }
  return sharp({ create: { width: 450, height: 300, channels: 3, background: '#000', noise } })
    .jpeg()
    .toBuffer()
}

async function shopOn(settings: S3Settings) {
  const lines: string[] = []
  /** A store that has failed is not called again until the test changes `restMs`. */
  const patience = { attemptMs: 60_000, restMs: Infinity, logAgainMs: Infinity }
  const storage = await openS3Storage(settings, (line) => lines.push(line), patience)
  const shop = await startTestApp({ storage })
  const { headers } = await makeUser(shop.database.db)
  return {
    shop,
    storage,
    patience,
    lines,
    get: (url: string) => shop.app.inject({ url }),
    upload: (bytes: Buffer) =>
      shop.call<string & { code: string }>({
        method: 'POST',
        url: '/uploadImage',
        headers,
        payload: { image: `data:image/jpeg;base64,${bytes.toString('base64')}` },
      }),
  }
}

/**
 * Keeps the time limits of attempts from passing by themselves.
 *
 * @returns for each attempt, what lets all its time pass at once
 */
function holdTimeLimits(t: TestContext): (() => void)[] {
  const now = performance.now.bind(performance)
  let passedMs = 0
  const attempts: (() => void)[] = []
  t.mock.method(performance, 'now', () => now() + passedMs)
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const ending = new AbortController()
    attempts.push(() => {
      passedMs += ms
      ending.abort(new DOMException('The time is up.', 'TimeoutError'))
    })
    return ending.signal
  })
  return attempts
}

let server: S3Server
before(async () => (server = await startS3Server()))
after(() => server.close())

describe('a shop with its pictures in a bucket', () => {
  let first: Awaited<ReturnType<typeof shopOn>>
  before(async () => (first = await shopOn(server.settings)))
  after(() => first.shop.close())

  it('stores an upload and its variants there, and another shop on the same bucket serves them, too', async () => {
    const bytes = await photo()
    const before = await server.names()
    assert.ok(before.includes(marker))
    const { status, body: url } = await first.upload(bytes)
    assert.equal(status, 200)
    assert.match(url, /^\/uploads\/[0-9a-f]{40}\.webp$/)
    const hash = url.slice(9, 49)
    const shown = [url, url.replace('.webp', '-320.avif'), url.replace('.webp', '-160.webp')]
    const answers = []
    for (const each of shown) answers.push(await first.get(each))
    const names = [...before, `${hash}-160.webp`, `${hash}-320.avif`, `${hash}.webp`]
    assert.deepEqual((await server.names()).sort(), names.sort())
    assert.deepEqual(await readdirOrNothing(join(first.shop.config.dataDir, 'uploads')), [])

    const second = await shopOn(server.settings)
    try {
      for (const [index, each] of shown.entries()) {
        const again = await second.get(each)
        assert.equal(again.statusCode, 200, each)
        assert.equal(again.headers['content-type'], `image/${each.endsWith('avif') ? 'avif' : 'webp'}`)
        assert.equal(again.headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.deepEqual(again.rawPayload, answers[index]?.rawPayload)
        const { width } = await sharp(again.rawPayload).metadata()
        assert.equal(width, [450, 320, 160][index])
      }
      // Uploaded again by another shop, twice at once: the same name, and no more objects than before.
      const repeated = await Promise.all([second.upload(bytes), second.upload(bytes)])
      assert.deepEqual(
        repeated.map(({ body }) => body),
        [url, url],
      )
      assert.equal((await server.names()).length, names.length)
    } finally {
      await second.shop.close()
    }
    assert.equal((await first.get(`/uploads/${'0'.repeat(40)}.webp`)).statusCode, 404)
    assert.equal((await first.get(`/uploads/${'0'.repeat(40)}-320.avif`)).statusCode, 404)
    assert.deepEqual(first.lines, [])
  })

  it('stores each object with its content type and caching header, for a CDN in front of the bucket', async () => {
    for (const format of ['webp', 'avif']) {
      await first.storage.save(`typed.${format}`, Buffer.from('picture'))
      const object = await ownerOf(server.settings).fetch(
        addressOf(server.settings, { name: `typed.${format}` }),
      )
      assert.equal(object.headers.get('content-type'), `image/${format}`)
      assert.equal(object.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(await object.text(), 'picture')
    }
  })

  it('sends the hash of each body, so that the store can refuse a corrupted one', async (t) => {
    const line = await openLine(server.settings)
    t.after(() => line.close())
    const storage = await openS3Storage(line.settings, silent)
    const sent: Buffer[] = []
    line.disturb(({ data }) => {
      sent.push(data)
      return 'pass'
    })
    const bytes = await photo()
    await storage.save('hashed.webp', bytes)
    const call = Buffer.concat(sent)
    assert.ok(call.subarray(-bytes.length).equals(bytes))
    const hash = /\r\nx-amz-content-sha256: (\w+)\r\n/i.exec(call.toString('latin1'))?.[1]
    assert.equal(hash, createHash('sha256').update(bytes).digest('hex'))
  })

  it('stores and reads pictures as the local storage does, and rejects invalid names', async () => {
    const { storage } = first
    const bytes = await sharp(await photo())
      .toFormat('webp')
      .toBuffer()
    await Promise.all(Array.from({ length: 10 }, () => storage.save('a.webp', bytes)))
    assert.equal((await server.names()).filter((name) => name.startsWith('a.')).length, 1)
    assert.deepEqual(await storage.read('a.webp'), bytes)
    assert.deepEqual([await storage.has('a.webp'), await storage.has('b.webp')], [true, false])
    assert.equal(await storage.read('b.webp'), undefined)
    for (const name of ['../a.webp', 'a/b.webp', 'a.txt', '', 'A.webp', 'a.webp\n', marker]) {
      await assert.rejects(storage.save(name, bytes), /not the name of a picture/)
      await assert.rejects(storage.read(name), /not the name of a picture/)
      await assert.rejects(storage.has(name), /not the name of a picture/)
    }
  })
})

describe('a shop whose store fails', () => {
  it('refuses uploads and pictures not served yet, and nothing else, until the store is back', async () => {
    const shop = await shopOn(server.settings)
    try {
      const { body: url } = await shop.upload(await photo())
      assert.equal((await shop.get(url)).statusCode, 200)
      const { scenesFolder } = shop.shop.pictures
      await mkdir(scenesFolder, { recursive: true })
      await writeFile(
        join(scenesFolder, 'hero.webp'),
        await sharp(await photo())
          .toFormat('webp')
          .toBuffer(),
      )
      const before = await server.names()
      const late = await photo()

      await server.kill()
      const refused = await shop.upload(late)
      assert.deepEqual([refused.status, refused.body.code], [503, 'storage_unavailable'])
      assert.equal(refused.headers['retry-after'], '5')
      const unseen = await shop.get(url.replace('.webp', '-480.avif'))
      assert.deepEqual([unseen.statusCode, unseen.headers['retry-after']], [503, '5'])
      assert.equal(unseen.headers['cache-control'], 'no-store')
      for (const rest of [url, '/pictures/hero-640.avif', '/api/products', '/health']) {
        assert.equal((await shop.get(rest)).statusCode, 200, rest)
      }
      assert.deepEqual(await server.names(), before)

      await server.startAgain()
      shop.patience.restMs = 0
      const { status, body } = await shop.upload(late)
      assert.equal(status, 200)
      assert.deepEqual((await server.names()).sort(), [...before, body.slice(9)].sort())
      assert.equal((await shop.get(url.replace('.webp', '-480.avif'))).statusCode, 200)
      assert.deepEqual(shop.lines, [
        'The picture storage does not answer: ECONNREFUSED',
        'The picture storage answers again.',
      ])
    } finally {
      await shop.shop.close()
    }
  })

  it('retries a transfer to the store that was cut off, so that the picture is stored whole', async (t) => {
    const line = await openLine(server.settings)
    t.after(() => line.close())
    const shop = await shopOn(line.settings)
    try {
      const whole = await shop.upload(await photo())
      const cutAfter = 3000
      line.disturb(({ size, from, to }) => {
        if (size < cutAfter) return 'pass'
        from.destroy()
        to.destroy()
        line.disturb(undefined)
        return 'stop'
      })
      const { status, body: url } = await shop.upload(await photo())
      assert.deepEqual([status, line.disturbed], [200, 1])
      const kept = await shop.storage.read(url.slice(9))
      assert.deepEqual((await shop.get(url)).rawPayload, kept)
      assert.equal((await sharp(kept).stats()).channels.length, 3)
      assert.notEqual(url, whole.body)
      assert.deepEqual(shop.lines, [])
    } finally {
      await shop.shop.close()
    }
  })

  it('makes only the first request wait when the store accepts calls and never answers', async (t) => {
    const line = await openLine(server.settings)
    t.after(() => line.close())
    const shop = await shopOn(line.settings)
    try {
      const { body: url } = await shop.upload(await photo())
      const attempts = holdTimeLimits(t)
      line.disturb(() => {
        attempts.at(-1)?.()
        return 'stop'
      })
      assert.equal((await shop.get(url)).statusCode, 503)
      assert.equal(line.disturbed, 2, 'asked twice')
      const widths = [160, 320, 480, 640].map((width) => url.replace('.webp', `-${width}.avif`))
      const answers = await Promise.all([...widths, ...widths].map((each) => shop.get(each)))
      assert.ok(answers.every(({ statusCode }) => statusCode === 503))
      assert.equal(line.disturbed, 2, 'asked no more')
      shop.patience.restMs = 0
      await Promise.allSettled([1, 2, 3, 4].map((number) => shop.storage.read(`${number}.webp`)))
      assert.equal(line.disturbed, 4, 'one of them has asked, twice')
      line.disturb(undefined)
      assert.equal((await shop.get(url)).statusCode, 200)
    } finally {
      await shop.shop.close()
    }
  })
})

it('the S3 storage makes at most sixteen reads at once, lets five hundred wait, and refuses more', async (t) => {
  const line = await openLine(server.settings)
  t.after(() => line.close())
  const patience = { attemptMs: 60_000, restMs: 0, logAgainMs: 0 }
  const storage = await openS3Storage(line.settings, silent, patience)
  const waiting: Socket[] = []
  line.disturb(({ from }) => {
    waiting.push(from)
    return 'stop'
  })
  const notFound = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'
  const answers = Array.from({ length: 516 }, (_, index) => storage.read(`${index}.webp`))
  await assert.rejects(storage.has('516.webp'), { status: 503, code: 'pictures_busy' })
  await until(async () => waiting.length >= 16)
  assert.equal(waiting.length, 16)
  line.disturb(({ from }) => {
    from.write(notFound)
    return 'stop'
  })
  for (const from of waiting) from.write(notFound)
  assert.ok((await Promise.all(answers)).every((bytes) => bytes === undefined))
})

describe('a shop whose store fails in part', () => {
  type Answer = { to: string; with?: Buffer | string; times?: number }

  /** A shop with two pictures that it has not shown yet; `answer` replaces the store's response to a request. */
  async function shopBehind(t: TestContext) {
    const line = await openLine(server.settings)
    const shop = await shopOn(line.settings)
    t.after(async () => {
      await shop.shop.close()
      await line.close()
    })
    const [one, other] = [(await shop.upload(await photo())).body, (await shop.upload(await photo())).body]
    const answer = ({ to, with: bytes, times = Infinity }: Answer) => {
      let left = times
      line.disturb(({ data, from }) => {
        if (left === 0 || !data.toString('latin1').startsWith(to)) return 'pass'
        left -= 1
        if (bytes) from.write(bytes)
        return 'stop'
      })
    }
    return { shop, line, answer, one, other }
  }

  const http = (status: string, body: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n`),
      Buffer.from(body),
    ])
  const refusal = (code: string) => http('403 Forbidden', `<Error><Code>${code}</Code></Error>`)
  const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode

  it('serves other pictures while one is refused, and limits how often the refusal is logged', async (t) => {
    const { shop, answer, one, other } = await shopBehind(t)
    answer({ to: `GET ${pathOf(one)}`, with: refusal('InvalidObjectState') })
    assert.equal(await statusOf(shop.get(one)), 503)
    assert.equal(await statusOf(shop.get(other)), 200)
    assert.equal(await statusOf(shop.get(one)), 503)
    assert.equal((await shop.upload(await photo())).status, 200)
    const told = 'The picture storage refuses: 403 InvalidObjectState'
    assert.deepEqual(shop.lines, [told])
    // A refusal that comes again later is logged again.
    shop.patience.logAgainMs = 0
    assert.equal(await statusOf(shop.get(one)), 503)
    assert.deepEqual(shop.lines, [told, told])
  })

  it('serves pictures, including new variants, while the bucket refuses writes', async (t) => {
    for (const [code, status] of [
      ['QuotaExceeded', '403 Forbidden'],
      ['StorageFull', '507 Insufficient Storage'],
      ['InternalError', '200 OK'],
      ['NoSuchKey', '404 Not Found'],
    ] as const) {
      const { shop, answer, one, other } = await shopBehind(t)
      answer({ to: 'PUT ', with: http(status, `<Error><Code>${code}</Code></Error>`) })
      assert.equal((await shop.upload(await photo())).status, 503, code)
      for (const url of [one, other.replace('.webp', '-320.avif'), other.replace('.webp', '-160.webp')]) {
        assert.equal(await statusOf(shop.get(url)), 200, `${code} ${url}`)
      }
    }
  })

  it('answers 503, not 404, for a picture whose bucket is gone', async (t) => {
    const { shop, answer, one } = await shopBehind(t)
    answer({ to: 'GET ', with: http('404 Not Found', '<Error><Code>NoSuchBucket</Code></Error>') })
    assert.equal(await statusOf(shop.get(one)), 503)
    assert.deepEqual(shop.lines, ['The picture storage refuses: 404 NoSuchBucket'])
  })

  it('asks again when the store is too busy or a request took too long', async (t) => {
    const { shop, line, answer, one, other } = await shopBehind(t)
    for (const [url, status, code] of [
      [one, '429 Too Many Requests', 'SlowDown'],
      [other, '400 Bad Request', 'RequestTimeout'],
    ] as const) {
      answer({
        to: `GET ${pathOf(url)}`,
        with: http(status, `<Error><Code>${code}</Code></Error>`),
        times: 1,
      })
      assert.equal(await statusOf(shop.get(url)), 200, status)
    }
    assert.equal(line.disturbed, 2)
    assert.deepEqual(shop.lines, [])
  })

  it('serves other pictures and accepts uploads while one picture never arrives', async (t) => {
    const { shop, line, one, other } = await shopBehind(t)
    const attempts = holdTimeLimits(t)
    let isOtherServed = false
    line.disturb(({ data }) => {
      if (!data.toString('latin1').startsWith(`GET ${pathOf(one)}`)) return 'pass'
      if (isOtherServed) attempts.at(-1)?.()
      return 'stop'
    })
    const waiting = statusOf(shop.get(one))
    await until(async () => line.disturbed === 1)
    assert.equal(await statusOf(shop.get(other)), 200)
    isOtherServed = true
    attempts[0]?.()
    assert.equal(await waiting, 503)
    assert.equal((await shop.upload(await photo())).status, 200)
    assert.deepEqual(shop.lines, [])
  })

  it('neither serves nor caches a wrong or truncated picture from the store', async (t) => {
    const { shop, line, answer, one, other } = await shopBehind(t)
    const whole = await shop.storage.read(one.slice(9))
    assert.ok(whole)
    for (const wrong of [
      '<Error><Code>InternalError</Code></Error>',
      '',
      whole.subarray(0, whole.length / 2),
    ]) {
      answer({ to: `GET ${pathOf(one)}`, with: http('200 OK', wrong) })
      assert.equal(await statusOf(shop.get(one)), 503)
      assert.equal(await statusOf(shop.get(one.replace('.webp', '-480.avif'))), 503)
    }
    line.disturb(undefined)
    assert.deepEqual((await shop.get(one)).rawPayload, whole)
    for (const width of ['-320.avif', '-160.webp']) {
      const url = other.replace('.webp', width)
      const made = (await shop.get(url)).rawPayload
      const again = await shopOn(line.settings)
      t.after(() => again.shop.close())
      answer({ to: `GET ${pathOf(url)}`, with: http('200 OK', made.subarray(0, -10)) })
      // The variant is made again.
      assert.deepEqual((await again.get(url)).rawPayload, made)
    }
  })
})

describe('the start', () => {
  const nowhere = { endpoint: 'http://127.0.0.1:4' }
  const faults: [why: string, names: RegExp, changed: Partial<S3Settings>][] = [
    ['an unknown access key', /^S3_ACCESS_KEY_ID .*InvalidAccessKeyId/, { accessKeyId: 'somebody' }],
    ['a wrong secret key', /^S3_SECRET_ACCESS_KEY .*SignatureDoesNotMatch/, { secretAccessKey: 'guessed' }],
    ['no such bucket', /^S3_BUCKET no-bucket does not exist/, { bucket: 'no-bucket' }],
    [
      'an unreachable endpoint',
      /^S3_ENDPOINT http:\/\/127\.0\.0\.1:4 cannot be reached \(ECONNREFUSED\)/,
      nowhere,
    ],
  ]
  for (const [why, expected, changed] of faults) {
    it(`reports in one line which variable is wrong: ${why}`, async () => {
      const settings = { ...server.settings, ...changed }
      await assert.rejects(openS3Storage(settings, silent), (error) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, expected)
        assert.ok(!error.message.includes('\n') && !error.message.includes('guessed'))
        return true
      })
    })
  }

  it('fails with a clear error when the key may list and write but not read', async (t) => {
    const line = await openLine(server.settings)
    t.after(() => line.close())
    line.disturb(({ data, from }) => {
      if (!data.toString('latin1').startsWith(`GET /${server.settings.bucket}/${marker} `)) return 'pass'
      from.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      return 'stop'
    })
    await assert.rejects(
      openS3Storage(line.settings, silent),
      /^StartError: S3_ACCESS_KEY_ID may not read and write/,
    )
  })

  const malformed = '<Error><Code>AuthorizationHeaderMalformed</Code></Error>'
  for (const [what, status, body, expected] of [
    [
      'a redirect',
      `301 Moved Permanently\r\nlocation: /`,
      '',
      /^StartError: S3_REGION us-east-1 is not where/,
    ],
    [
      'a signature for another region',
      '400 Bad Request',
      malformed,
      /^StartError: S3_REGION us-east-1 is not/,
    ],
    ['404 without a body', '404 Not Found', '', /^StartError: S3_BUCKET shop-pictures does not exist/],
  ] as const) {
    it(`names the variable to look at when the store answers with ${what}`, async (t) => {
      const line = await openLine(server.settings)
      t.after(() => line.close())
      line.disturb(({ from }) => {
        from.write(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
        return 'stop'
      })
      await assert.rejects(openS3Storage(line.settings, silent), expected)
    })
  }

  it('fails with a clear error when the endpoint answers everything with a web page', async (t) => {
    const line = await openLine(server.settings)
    t.after(() => line.close())
    line.disturb(({ data, from }) => {
      if (!/^(GET|PUT) /.test(data.toString('latin1'))) return 'pass'
      from.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>')
      return 'stop'
    })
    await assert.rejects(
      openS3Storage(line.settings, silent),
      /^StartError: S3_ENDPOINT .* does not answer as a store/,
    )
  })

  it('fails with one line of output before anything is written to the data folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'haberdash-start-'))
    const started = spawnSync(process.execPath, ['src/main.ts'], {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: dataDir,
        S3_ENDPOINT: server.settings.endpoint,
        S3_BUCKET: server.settings.bucket,
        S3_ACCESS_KEY_ID: server.settings.accessKeyId,
        S3_SECRET_ACCESS_KEY: 'guessed',
      },
    })
    const expected = `The shop cannot start: S3_SECRET_ACCESS_KEY does not fit S3_ACCESS_KEY_ID at ${server.settings.endpoint} (403 SignatureDoesNotMatch)\n`
    assert.deepEqual([started.status, started.stdout, started.stderr], [1, '', expected])
    assert.deepEqual(await readdir(dataDir), [])
    await rm(dataDir, { recursive: true })
  })

  it('supports path-style and virtual-hosted-style addresses', () => {
    const settings = { ...server.settings, endpoint: 'https://s3.example/v1', bucket: 'shop' }
    const addresses = [true, false].flatMap((isPathStyle) =>
      [{ name: 'a.webp' }, { query: 'list-type=2' }].map((call) =>
        addressOf({ ...settings, isPathStyle }, call),
      ),
    )
    assert.deepEqual(addresses, [
      'https://s3.example/v1/shop/a.webp',
      'https://s3.example/v1/shop?list-type=2',
      'https://shop.s3.example/v1/a.webp',
      'https://shop.s3.example/v1?list-type=2',
    ])
  })
})

function ownerOf({ accessKeyId, secretAccessKey, region }: S3Settings): AwsClient {
  return new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
}

/** The path, at the store, of the object behind an address of the shop. */
const pathOf = (url: string) => `/${server.settings.bucket}/${url.slice(9)}`

const readdirOrNothing = (folder: string) => readdir(folder).catch(() => [])

type Disturbance = (sent: { data: Buffer; size: number; from: Socket; to: Socket }) => 'pass' | 'stop'

/** A relay to the store that can be disturbed; `size` is the number of bytes that a connection has sent so far. */
async function openLine(settings: S3Settings) {
  let disturbance: Disturbance | undefined
  let disturbed = 0
  const open = new Set<Socket>()
  const target = Number(new URL(settings.endpoint).port)
  const relay = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    for (const socket of [from, to]) {
      open.add(socket)
      socket.on('error', silent).on('close', () => open.delete(socket))
    }
    let size = 0
    from.on('data', (data) => {
      size += data.length
      if (disturbance?.({ data, size, from, to }) === 'stop') disturbed += 1
      else to.write(data)
    })
    from.on('end', () => to.end())
    to.pipe(from)
  })
  const { url: endpoint } = await listen(relay)
  return {
    settings: { ...settings, endpoint },
    disturb: (next: Disturbance | undefined) => (disturbance = next),
    get disturbed() {
      return disturbed
    },
    async close() {
      for (const socket of open) socket.destroy()
      relay.close()
      await once(relay, 'close')
    },
  }
}
