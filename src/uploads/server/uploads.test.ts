import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { reservedBytesOf, bytesClosedToPicturesOf } from '#shop/platform/room-on-disk.ts'
import { makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { maxPictureBytes, uploadFailed } from '#shop/uploads/picture-limits.ts'
import { sharp } from './decoder.ts'
import { inPictureTurn } from './picture-turns.ts'
import { storePicture } from './pictures.ts'
import { createRecentBytes } from './recent-bytes.ts'
import { openLocalStorage, type Storage } from './storage.ts'
import { findVariant, uploadedMaster, warmPictures } from './variants.ts'

const canary = 'CANARY<script>alert(1)</script>'
const formats = ['jpeg', 'png', 'webp', 'avif'] as const

/** Half blue and half red, to tell its sides apart, with some noise, so that its file is not too small. */
async function photo(format: (typeof formats)[number] = 'jpeg', width = 450, height = 300): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 20, sigma: 12 }
  const create = { width, height, channels: 3 as const, background: '#000' }
  const blue = { create: { ...create, width: Math.ceil(width / 2), background: '#0000c0' } }
  const picture = sharp({ create: { ...create, background: '#c00000' } }).composite([
    { input: blue, left: 0, top: 0 },
    { input: { create: { ...create, noise } }, blend: 'screen' },
  ])
  return format === 'avif' ? picture.avif({ effort: 0 }).toBuffer() : picture.toFormat(format).toBuffer()
}

/** A PNG of a few kilobytes that really is a black square of this size. */
function blackSquare(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side))
  const chunks = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

function dataUrl(bytes: Buffer, type = 'image/jpeg'): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

let shop: TestApp
let headers: { authorization: string }
before(async () => {
  shop = await startTestApp()
  headers = (await makeUser(shop.database.db)).headers
})
after(() => shop.close())

const upload = (image: unknown, as = headers) =>
  shop.call<string & { title: string; code: string }>({
    method: 'POST',
    url: '/uploadImage',
    headers: as,
    payload: { image },
  })
const uploaded = async (bytes: Buffer, type?: string) => {
  const { status, body } = await upload(dataUrl(bytes, type))
  assert.equal(status, 200, JSON.stringify(body))
  return String(body)
}
const get = (url: string, more: Record<string, string> = {}) =>
  shop.app.inject({ url, headers: more }).then(({ statusCode, headers: got, rawPayload }) => ({
    status: statusCode,
    headers: got,
    bytes: rawPayload,
  }))

describe('uploading', () => {
  it('requires a sign-in and answers with the picture’s address as the whole body', async () => {
    const image = dataUrl(await photo())
    const admin = await makeUser(shop.database.db, { role: 'admin' })
    assert.equal((await upload(image, { authorization: '' })).status, 401)
    for (const as of [headers, admin.headers]) {
      const answer = await upload(image, as)
      assert.equal(answer.status, 200)
      assert.match(String(answer.headers['content-type']), /^text\/plain/)
      assert.match(answer.body, /^\/uploads\/[0-9a-f]{40}\.webp$/)
    }
  })

  it('stores all four formats as WebP, and the same picture at the same address under any declared type', async () => {
    for (const format of formats) {
      const bytes = await photo(format)
      const url = await uploaded(bytes, `image/${format}`)
      const kept = await sharp((await get(url)).bytes).metadata()
      assert.deepEqual([kept.format, kept.width, kept.height], ['webp', 450, 300], format)
      assert.equal(await uploaded(bytes, `image/${format}`), url)
      // People's files may be misnamed: only the content counts.
      for (const named of ['image/png', 'image/jpg']) assert.equal(await uploaded(bytes, named), url)
    }
  })

  it('turns a picture upright, removes its metadata and limits its sides to 2400 px', async () => {
    const exif = { IFD0: { Copyright: canary }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 0/1' } }
    const sideways = await sharp(await photo('jpeg', 3000, 1500))
      .withMetadata({ orientation: 6, exif })
      .jpeg()
      .toBuffer()
    assert.ok(sideways.includes('CANARY'))
    const { bytes } = await get(await uploaded(sideways))
    const kept = await sharp(bytes).metadata()
    assert.deepEqual(
      [kept.width, kept.height, kept.orientation, kept.exif],
      [1200, 2400, undefined, undefined],
    )
    // Blue was on the left: turned by a quarter it is on top.
    const { data } = await sharp(bytes)
      .extract({ left: 600, top: 300, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok((data[2] ?? 0) > (data[0] ?? 0))
  })

  it('keeps the colours, the transparency and the orientation of a PNG', async () => {
    const background = { r: 200, g: 60, b: 20, alpha: 0.4 }
    const create = { width: 40, height: 20, channels: 4 as const, background }
    const picture = () => sharp({ create })
    const firstPixel = async (bytes: Buffer) => {
      const upright = sharp(bytes, { autoOrient: true }).ensureAlpha().raw()
      const { data, info } = await upright.toBuffer({ resolveWithObject: true })
      return { size: [info.width, info.height], colour: [...data.subarray(0, 4)] }
    }
    for (const png of [
      picture().png({ palette: true }),
      picture().withIccProfile('p3').png(),
      picture().withMetadata({ orientation: 6 }).png(),
    ]) {
      const sent = await png.toBuffer()
      const [wanted, shown] = [
        await firstPixel(sent),
        await firstPixel((await get(await uploaded(sent, 'image/png'))).bytes),
      ]
      assert.deepEqual(shown.size, wanted.size)
      // WebP shifts a colour by one or two.
      for (const [index, value] of wanted.colour.entries())
        assert.ok(
          Math.abs(value - (shown.colour[index] ?? 0)) < 5,
          `${shown.colour.join()} for ${wanted.colour.join()}`,
        )
    }
  })

  it('refuses files that are not intact pictures of the four formats, whatever type they declare', async () => {
    const jpegHead = (await photo()).subarray(0, 24)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${canary}" width="9" height="9"/>`
    const ftyp = (brand: string) =>
      Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}${canary}`, 'latin1')
    const tiff = await sharp(await photo())
      .tiff()
      .toBuffer()
    const files = [
      svg,
      `<?xml version="1.0"?>\n${svg}`,
      `<!-- -->${svg}`,
      `\ufeff${svg}`,
      `<html>${canary}</html>`,
      canary,
      '',
      ' ',
      Buffer.concat([jpegHead, Buffer.from(canary)]),
      `\xff\xd8\xff\xe0${canary}`,
      `\x89PNG\r\n\x1a\n${canary}`,
      `RIFF\x10\0\0\0WEBPVP8 ${canary}`,
      `GIF89a/*${canary}*/=1;`,
      `GIF87a${canary}`,
      `BM${canary}`,
      `%PDF-1.7 ${canary}`,
      `%!PS-Adobe-3.0 EPSF-3.0 ${canary}`,
      `8BPS${canary}`,
      `II*\0${canary}`,
      `MM\0*${canary}`,
      `P6 9 9 255 ${canary}`,
      `\0\0\x01\0${canary}`,
      `PK\x03\x04${canary}`,
      `<?php ${canary}`,
      `#!/bin/sh\n${canary}`,
      `MZ${canary}`,
      `\x7fELF${canary}`,
      `\xff\x0a${canary}`,
      `\0\0\0\x0cjP  \r\n\x87\n${canary}`,
      `v/1\x01${canary}`,
      `#?RADIANCE\n${canary}`,
      `SIMPLE  =  T ${canary}`,
      `push graphic-context\nviewbox 0 0 9 9\nfill 'url(https://x/")'`,
      `\0\0\0\0\0\0\0\0`,
      'null',
      '{}',
      ftyp('heic'),
      ftyp('mif1'),
      ftyp('avif'),
      ftyp('isom'),
      ftyp('crx '),
      tiff,
      Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    ].map((each): Buffer => (typeof each === 'string' ? Buffer.from(each, 'latin1') : each))
    for (const format of formats) {
      const whole = await photo(format)
      for (const share of [0.1, 0.5, 0.9]) files.push(whole.subarray(0, whole.length * share))
    }
    assert.ok(files.length >= 50)
    // Such formats do not even reach the libraries that would read them.
    await assert.rejects(sharp(Buffer.from(svg)).metadata(), /unsupported image format/)
    for (const file of files) {
      for (const type of ['image/jpeg', 'image/png']) {
        const { status, body } = await upload(dataUrl(file, type))
        assert.deepEqual(
          [status, body.title],
          [415, uploadFailed],
          `${file.subarray(0, 40).toString('latin1')} ${file.length}`,
        )
      }
    }
  })

  it('refuses other declared types, and values that are not base64 data URLs', async () => {
    const image = await photo()
    for (const type of [
      'text/html',
      'image/svg+xml',
      'image/gif',
      'application/pdf',
      '',
      'image/jpegx',
      'text/html,image/png',
    ]) {
      assert.equal((await upload(dataUrl(image, type))).status, 415, type)
    }
    const encoded = image.toString('base64')
    const others = [
      undefined,
      null,
      7,
      {},
      [],
      '',
      'x',
      encoded,
      'https://example.com/a.jpg',
      'data:',
      `data:image/png,${encoded}`,
      // With each possible number of bytes in the last group of three.
      ...[0, 1, 2].map((less) =>
        dataUrl(image.subarray(0, image.length - less)).replace('base64,', 'base64, '),
      ),
      `data:image/jpeg;base64,${encoded}<script>`,
    ]
    for (const other of others) {
      const { status, body } = await upload(other)
      assert.deepEqual([status, body.title], [400, uploadFailed], String(other).slice(0, 60))
    }
  })

  it('keeps no data hidden in a picture, neither in full size nor in its variants', async () => {
    const html = Buffer.from(`<html>${canary}</html>`)
    const jpeg = await photo()
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, canary.length + 2]), Buffer.from(canary)])
    const exif = { IFD0: { ImageDescription: canary, Artist: canary } }
    const hiding = [Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])]
    for (const format of formats) {
      const whole = await photo(format)
      hiding.push(Buffer.concat([whole, html]))
      hiding.push(
        await sharp(whole)
          .withExif(exif)
          .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${canary.replaceAll('<', '&lt;')}</x:xmpmeta>`)
          .toFormat(format)
          .toBuffer(),
      )
    }
    for (const file of hiding) {
      assert.ok(file.includes('CANARY'))
      const url = await uploaded(file)
      for (const each of [url, url.replace('.webp', '-160.webp'), url.replace('.webp', '-160.avif')]) {
        const { status, bytes } = await get(each)
        assert.equal(status, 200)
        assert.ok(!bytes.includes('CANARY'), each)
      }
    }
  })

  it('refuses files with too many bytes or too many pixels, without taking much memory', async () => {
    const big = Buffer.alloc(maxPictureBytes + 1, 1)
    assert.equal((await upload(dataUrl(big))).status, 413)
    assert.equal((await upload(dataUrl(Buffer.alloc(16_000_000)))).status, 413)
    const bomb = blackSquare(16_000)
    assert.equal((await upload(dataUrl(blackSquare(4999), 'image/png'))).status, 200)
    const before = process.resourceUsage().maxRSS
    const answers = await Promise.all([1, 2, 3].map(() => upload(dataUrl(bomb, 'image/png'))))
    const refusals = answers.map(({ status, body }) => [status, body.title])
    assert.deepEqual(refusals, Array(3).fill([413, uploadFailed]))
    assert.ok(process.resourceUsage().maxRSS - before < 200_000, 'kilobytes at the highest')
  })

  it('refuses a picture with a side longer than 65,535 pixels', async () => {
    for (const [width, height] of [
      [65_536, 1],
      [1, 1_000_000],
    ] as const) {
      const line = await sharp({ create: { width, height, channels: 3, background: '#abc' } })
        .png()
        .toBuffer()
      assert.equal((await upload(dataUrl(line, 'image/png'))).status, 413, `${width} by ${height}`)
    }
  })

  it('limits the stored bytes per account and per address, even if the file that was sent is small', async () => {
    const uploadedBytes = { max: 20_000, seconds: 60 }
    const limited = await startTestApp({ environment: { RATE_LIMITS: 'on' }, limits: { uploadedBytes } })
    try {
      const one = await makeUser(limited.database.db)
      const other = await makeUser(limited.database.db)
      const noise = randomBytes(3 * 3 * 300)
      // Three lines of noise, repeated.
      const lines = Buffer.concat(Array.from({ length: 100 }, () => noise))
      const sent = await sharp(lines, { raw: { width: 300, height: 300, channels: 3 } })
        .png()
        .toBuffer()
      assert.ok(sent.length < uploadedBytes.max / 2)
      const payload = { image: dataUrl(sent, 'image/png') }
      const send = async (headers: { authorization: string }, remoteAddress: string) =>
        (await limited.call({ method: 'POST', url: '/uploadImage', headers, payload, remoteAddress })).status
      assert.equal(await send(one.headers, '10.6.0.1'), 200)
      assert.equal(await send(one.headers, '10.6.0.2'), 429)
      assert.equal(await send(other.headers, '10.6.0.1'), 429)
      assert.equal(await send(other.headers, '10.6.0.3'), 200)
    } finally {
      await limited.close()
    }
  })

  it('limits the files per account and day', async () => {
    const limited = await startTestApp({ environment: { RATE_LIMITS: 'on' } })
    try {
      const one = await makeUser(limited.database.db)
      const other = await makeUser(limited.database.db)
      const image = dataUrl(await photo('png', 2, 2), 'image/png')
      const send = (as: { authorization: string }) =>
        limited.call({ method: 'POST', url: '/uploadImage', headers: as, payload: { image } })
      for (let count = 0; count < 200; count += 4) {
        const sent = await Promise.all([1, 2, 3, 4].map(() => send(one.headers)))
        assert.ok(sent.every(({ status }) => status === 200))
      }
      const refused = await send(one.headers)
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers['retry-after']) > 80_000)
      assert.equal((await send(other.headers)).status, 200)
    } finally {
      await limited.close()
    }
  })
})

describe('serving', () => {
  it('sends pictures with type, caching and security headers, and supports If-None-Match and HEAD', async () => {
    const url = await uploaded(await photo())
    const names = [
      ['', 'webp'],
      ['-320', 'webp'],
      ['-320', 'avif'],
    ] as const
    for (const [width, format] of names) {
      const each = url.replace('.webp', `${width}.${format}`)
      const { status, headers: got, bytes } = await get(each)
      assert.equal(status, 200)
      assert.equal(got['content-type'], `image/${format}`)
      assert.equal(got['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(got['x-content-type-options'], 'nosniff')
      assert.equal(got['content-disposition'], 'inline')
      assert.equal(got['content-security-policy'], "sandbox; default-src 'none'")
      assert.equal(got['cross-origin-resource-policy'], 'cross-origin')
      assert.equal(Number(got['content-length']), bytes.length)
      for (const known of [`W/"x", ${String(got.etag)}`, '*']) {
        const again = await get(each, { 'if-none-match': known })
        assert.deepEqual([again.status, again.bytes.length], [304, 0], known)
      }
      const head = await shop.app.inject({ method: 'HEAD', url: each })
      assert.deepEqual([head.statusCode, head.headers['content-length']], [200, got['content-length']])
    }
  })

  it('never enlarges a picture', async () => {
    const url = await uploaded(await photo('jpeg', 300, 200))
    for (const [width, shown] of [
      [160, 160],
      [320, 300],
      [1280, 300],
    ] as const) {
      const { bytes } = await get(url.replace('.webp', `-${width}.avif`))
      assert.equal((await sharp(bytes).metadata()).width, shown)
    }
  })

  it('refuses unknown names and path traversal, however they are encoded', async () => {
    await mkdir(shop.pictures.scenesFolder, { recursive: true })
    await writeFile(join(shop.pictures.scenesFolder, '..', 'secret.webp'), canary)
    const url = await uploaded(await photo())
    const hash = url.slice(9, 49)
    const names = [
      `${hash}`,
      `${hash}.jpg`,
      `${hash}.avif`,
      `${hash}.WEBP`,
      `${hash}-161.webp`,
      `${hash}-0160.webp`,
      `${hash}-1600.webp`,
      `${hash}-160.png`,
      `${hash}-.webp`,
      `${hash}-160-160.webp`,
      `${hash}-1e3.webp`,
      `${'0'.repeat(40)}.webp`,
      `${'0'.repeat(40)}-160.avif`,
      `${hash.toUpperCase()}.webp`,
      `${hash}.webp%00`,
      `%00${hash}.webp`,
      `${hash}.webp.tmp`,
      '',
      '.',
      '.webp',
      '-160.webp',
      'a'.repeat(5000),
    ]
    const ups = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '%c0%ae%c0%ae', '%uff0e%uff0e', '....', '..;']
    const slashes = ['/', '%2f', '%5c', '\\', '%252f', '%c0%af', '%2F']
    for (const up of ups)
      for (const slash of slashes)
        names.push(`${up}${slash}secret.webp`, `${up}${slash}${up}${slash}secret.webp`)
    assert.ok(names.length > 100)
    for (const folder of ['uploads', 'pictures']) {
      for (const name of names) {
        const answer = await raw(`/${folder}/${name}`)
        assert.match(answer, /^HTTP\/1\.1 (404|400|414|431) /, `${folder}/${name}: ${answer.slice(0, 80)}`)
        assert.ok(!answer.includes('CANARY'))
      }
    }
    assert.match(await raw(`/uploads/${hash}-161.webp`), /application\/problem\+json/)
  })

  it("serves the site's own pictures in their widths, and notices when a file is replaced", async () => {
    const folder = shop.pictures.scenesFolder
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'blog-1.webp'), await photo('webp', 1700, 400))
    const first = await get('/pictures/blog-1-1600.avif')
    assert.equal(first.status, 200)
    assert.equal(first.headers['cache-control'], 'public, max-age=86400')
    assert.equal((await sharp(first.bytes).metadata()).width, 1600)
    assert.equal((await get('/pictures/blog-1.webp')).headers['content-type'], 'image/webp')
    const known = { 'if-none-match': String(first.headers.etag) }
    assert.equal((await get('/pictures/blog-1-1600.avif', known)).status, 304)
    await writeFile(join(folder, 'blog-1.webp'), await photo('webp', 1000, 400))
    assert.equal((await get('/pictures/blog-1-1600.avif', known)).status, 200)
    assert.equal((await get('/pictures/blog-2-1600.avif')).status, 404)
    assert.equal((await get('/pictures/blog-1-1601.avif')).status, 404)
  })
})

/** Requests the path as it is, without the normalization of a URL parser. */
function raw(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(shop.url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  })
}

describe('storing and resizing pictures', () => {
  let folder: string
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'haberdash-pictures-'))))
  after(() => rm(folder, { recursive: true }))

  it('makes each width once for many concurrent requests', async () => {
    const { storage, saved } = counting(await openLocalStorage(join(folder, 'once')))
    const hash = (await storePicture(storage, await photo())).slice(9, 49)
    const variants = Array.from({ length: 40 }, (_, index) =>
      findVariant(storage, uploadedMaster(storage, hash), { width: index % 2 ? 160 : 320, format: 'webp' }),
    )
    const sizes = new Set((await Promise.all(variants)).map((bytes) => bytes?.length))
    assert.equal(sizes.size, 2)
    assert.deepEqual(saved.sort(), [`${hash}-160.webp`, `${hash}-320.webp`, `${hash}.webp`].sort())
  })

  it('makes missing variants in advance, each once, and stops when aborted', async () => {
    const { storage, saved } = counting(await openLocalStorage(join(folder, 'warm')))
    const url = await storePicture(storage, await photo('jpeg', 300, 200))
    const stop = new AbortController()
    stop.abort()
    await warmPictures(storage, [url], stop.signal)
    assert.equal(saved.length, 1)
    await warmPictures(storage, [url, url, '/uploads/nothing.webp', 'https://example.com/a.webp'])
    assert.equal(saved.length, 4)
    await warmPictures(storage, [url])
    assert.equal(saved.length, 4)
  })

  it('leaves one whole file after concurrent saves, and rejects invalid names', async () => {
    const storage = await openLocalStorage(join(folder, 'whole'))
    const bytes = await photo()
    await Promise.all(Array.from({ length: 10 }, () => storage.save('a.webp', bytes)))
    assert.deepEqual(await readdir(join(folder, 'whole')), ['a.webp'])
    assert.deepEqual(await storage.read('a.webp'), bytes)
    assert.deepEqual([await storage.has('a.webp'), await storage.has('b.webp')], [true, false])
    assert.equal(await storage.read('b.webp'), undefined)
    for (const name of ['../a.webp', 'a/b.webp', 'a.txt', '', 'A.webp', 'a.webp\n']) {
      await assert.rejects(async () => storage.save(name, bytes), /not the name of a picture/)
      await assert.rejects(async () => storage.read(name), /not the name of a picture/)
    }
  })

  it('removes an old half-written file of a killed process, but not a recent one', async () => {
    const drafts = join(folder, 'drafts')
    const [left, writing] = [join(drafts, 'a.webp.1.tmp'), join(drafts, 'b.webp.2.tmp')]
    await openLocalStorage(drafts)
    await Promise.all([left, writing].map((draft) => writeFile(draft, 'half')))
    await utimes(left, new Date(0), new Date(0))
    await openLocalStorage(drafts)
    assert.deepEqual(await readdir(drafts), ['b.webp.2.tmp'])
  })

  it('fails with a start error when its folder cannot be used', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    for (const folder of [file, join(file, 'below'), '/proc/nowhere/below'])
      await assert.rejects(openLocalStorage(folder), /^StartError: DATA_DIR .* cannot be used/)
  })

  it('lets several shops that start at once make its folder and those above it', async () => {
    const shared = join(folder, 'new', 'data', 'uploads')
    await Promise.all(Array.from({ length: 8 }, () => openLocalStorage(shared)))
    for (const made of [dirname(shared), shared]) assert.equal((await stat(made)).mode & 0o777, 0o700)
  })

  it('refuses new pictures on a full disk, but still makes variants of stored ones', async () => {
    const bytes = await photo()
    const room = await openLocalStorage(join(folder, 'full'))
    const url = await storePicture(room, bytes)
    const full = await openLocalStorage(join(folder, 'full'), () => Number.MAX_SAFE_INTEGER)
    await assert.rejects(storePicture(full, bytes), { status: 503, code: 'storage_full' })
    const shown = await findVariant(full, uploadedMaster(full, url.slice(9, 49)), {
      width: 160,
      format: 'webp',
    })
    assert.ok(shown)
  })

  it('makes and stores a variant once, even when there is no room for new pictures', async () => {
    const bytes = await photo()
    const name = join(folder, 'nearly-full')
    const hash = (await storePicture(await openLocalStorage(name, () => 0), bytes)).slice(9, 49)
    const { bavail, bsize } = await statfs(name)
    const { storage, saved } = counting(await openLocalStorage(name, () => 1.2 * bavail * bsize))
    await assert.rejects(storePicture(storage, bytes), { code: 'storage_full' })
    saved.length = 0
    for (let visit = 0; visit < 3; visit += 1)
      await findVariant(storage, uploadedMaster(storage, hash), { width: 160, format: 'webp' })
    assert.deepEqual(saved, [`${hash}-160.webp`])
  })

  it('leaves at least four times the space that the shop needs, but at most a quarter of the disk', async () => {
    const disk = await statfs(folder)
    const disks = [20_000, 1_000_000, 100_000_000].map((blocks) => ({
      ...disk,
      blocks,
      bsize: 4096,
      files: 0,
    }))
    for (const disk of disks) {
      assert.ok(bytesClosedToPicturesOf(disk) >= 4 * reservedBytesOf(disk))
      assert.ok(bytesClosedToPicturesOf(disk) <= (disk.blocks * disk.bsize) / 4)
    }
  })

  it('refuses pictures when the disk has hardly any inodes left, unless it reports no limit on them', async () => {
    const few = join(folder, 'few')
    const storage = await openLocalStorage(few, (disk) =>
      reservedBytesOf({ ...disk, files: 8000, ffree: 500 }),
    )
    await assert.rejects(storage.save('a.webp', await photo()), { status: 503, code: 'storage_full' })
    assert.deepEqual(await readdir(few), [])
    // Some file systems have no limit on files, and report none.
    const many = await openLocalStorage(few, (disk) => reservedBytesOf({ ...disk, files: 0, ffree: 0 }))
    await many.save('a.webp', await photo())
  })

  it('refuses an upload when too many are already waiting for their turn', async () => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const running = Array.from({ length: 16 }, () => inPictureTurn('upload', () => finished))
    await assert.rejects(
      inPictureTurn('upload', () => finished),
      { status: 503, code: 'pictures_busy' },
    )
    finish()
    await Promise.all(running)
    assert.equal(await inPictureTurn('upload', async () => 'free again'), 'free again')
  })

  it('answers 404 for a missing picture without waiting for a turn', async () => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const running = Array.from({ length: 2 }, () => inPictureTurn('visit', () => finished))
    const answer = await shop.call({ url: `/uploads/${'0'.repeat(40)}-320.avif` })
    finish()
    await Promise.all(running)
    assert.equal(answer.status, 404)
  })

  it('processes uploads before visits, and makes variants in advance only while nothing else runs', async () => {
    const order: string[] = []
    const work = (name: string) => async () => void order.push(name)
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const held = inPictureTurn('visit', () => finished)
    const warmed = inPictureTurn('warming', work('warming'))
    await Promise.all([
      inPictureTurn('visit', work('first')),
      inPictureTurn('visit', work('visit')),
      inPictureTurn('upload', work('upload')),
    ])
    assert.deepEqual(order, ['first', 'upload', 'visit'])
    finish()
    await Promise.all([held, warmed])
    assert.equal(order.at(-1), 'warming')
  })

  it('caches the most recently requested pictures within its size limit', () => {
    const recent = createRecentBytes(20)
    for (const name of ['a', 'b']) recent.add(name, Buffer.alloc(8))
    recent.get('a')
    recent.add('c', Buffer.alloc(8))
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => recent.get(name)?.length),
      [8, undefined, 8],
    )
    recent.add('d', Buffer.alloc(30))
    assert.equal(recent.get('d'), undefined)
  })
})

function counting(storage: Storage): { storage: Storage; saved: string[] } {
  const saved: string[] = []
  const save: Storage['save'] = (name, bytes) => {
    saved.push(name)
    return storage.save(name, bytes)
  }
  return { storage: { ...storage, save }, saved }
}
