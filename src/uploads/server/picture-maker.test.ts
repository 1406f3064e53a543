import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { sharp } from './decoder.ts'
import { makePicture } from './picture-maker.ts'

/** The processes that read pictures for this one. */
async function makers(): Promise<number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** An idle process is kept, and its pid known, until `endIdle`: otherwise it ends after three seconds. */
function keepIdle(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setTimeout'] })
}

async function endIdle(t: TestContext): Promise<void> {
  t.mock.timers.tick(3000)
  t.mock.timers.reset()
  await untilEnded()
}

async function untilEnded(): Promise<void> {
  while ((await makers()).length > 0) await wait(10)
}

const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
const photo = (width: number) =>
  sharp({ create: { width, height: width, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer()

test('text chunks of a PNG are not decompressed, however many there are', { timeout: 60_000 }, async (t) => {
  if (process.platform !== 'linux') return t.skip('looks into /proc')
  keepIdle(t)
  const picture = await photo(300)
  const words = deflateSync(Buffer.alloc(7_900_000, 'A'))
  const chunks = Array.from({ length: 400 }, (_, index) => chunk('zTXt', Buffer.from(`k${index}\0\0`), words))
  const afterHeader = 33
  const bytes = Buffer.concat([picture.subarray(0, afterHeader), ...chunks, picture.subarray(afterHeader)])
  const made = await makePicture({ make: 'master', bytes })
  assert.ok('bytes' in made)
  const [maker] = await makers()
  const status = await readFile(`/proc/${maker}/status`, 'utf8')
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1])
  assert.ok(kilobytes < 400_000, `${kilobytes} kB at the highest`)
  const plain = await makePicture({ make: 'master', bytes: picture })
  assert.deepEqual(made, plain)
  await endIdle(t)
})

test('two large pictures at once take less than 700 MB of memory', { timeout: 60_000 }, async (t) => {
  if (process.platform !== 'linux') return t.skip('looks into /proc')
  keepIdle(t)
  const bytes = await sharp({ create: { width: 5000, height: 5000, channels: 3, background: '#345' } })
    .avif({ effort: 0 })
    .toBuffer()
  const work = { make: 'master' as const, bytes }
  await Promise.all([makePicture(work), makePicture(work)])
  const [maker] = await makers()
  const status = await readFile(`/proc/${maker}/status`, 'utf8')
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1])
  assert.ok(kilobytes < 700_000, `${kilobytes} kB at the highest`)
  await endIdle(t)
})

test('a picture process that hangs is killed after thirty seconds, and the call gets a 503', async (t) => {
  if (process.platform !== 'linux') return t.skip('looks into /proc')
  keepIdle(t)
  const work = { make: 'master' as const, bytes: Buffer.of() }
  await makePicture(work)
  const [maker] = await makers()
  assert.ok(maker)
  t.after(async () => {
    if ((await makers()).includes(maker)) process.kill(maker, 'SIGKILL')
  })
  process.kill(maker, 'SIGSTOP')
  const hanging = assert.rejects(makePicture(work), { status: 503, code: 'pictures_busy' })
  t.mock.timers.tick(30_000)
  await hanging
  t.mock.timers.reset()
  await untilEnded()
})

test('a picture process is not taken for idle while it works', async (t) => {
  keepIdle(t)
  const large = { make: 'master' as const, bytes: await photo(1500) }
  const small = { make: 'master' as const, bytes: Buffer.of() }
  await makePicture(small)
  // It has been idle for a moment, and then one of two pictures is done before the other.
  const making = makePicture(large)
  t.mock.timers.tick(3000)
  await makePicture(small)
  t.mock.timers.tick(3000)
  assert.ok('bytes' in (await making))
  await endIdle(t)
})

test('without a free file descriptor for the picture process, a call gets a 503, and later calls work again', () => {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { makePicture } from '#shop/uploads/server/picture-maker.ts'
    const files = []
    try { for (;;) files.push(openSync('/dev/null')) } catch {}
    const failure = await makePicture({ make: 'master', bytes: Buffer.of() }).catch((error) => error)
    for (const file of files) closeSync(file)
    await new Promise(setImmediate)
    const made = await makePicture({ make: 'master', bytes: Buffer.of() })
    console.log(failure.status, failure.code, Object.keys(made))`
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const few = ['-c', 'ulimit -n 256; exec "$@"', 'sh', ...node]
  assert.match(execFileSync('/bin/sh', few, { encoding: 'utf8' }), /^503 pictures_busy \[/)
})

function chunk(name: string, ...data: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(name), ...data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

test(
  'pictures are made by a separate process without the shop’s secrets, which is replaced when killed',
  { timeout: 60_000 },
  async (t) => {
    if (process.platform !== 'linux') return t.skip('looks into /proc')
    keepIdle(t)
    const bytes = await photo(1500)
    const small = await makePicture({ make: 'variant', bytes, width: 160, format: 'webp' })
    assert.ok('bytes' in small)
    const { width, format } = await sharp(small.bytes).metadata()
    assert.deepEqual([width, format], [160, 'webp'])

    // A file that kills the process costs that picture, not the shop, and a new process makes the next one.
    const [first, ...others] = await makers()
    assert.ok(first)
    assert.deepEqual(others, [])
    // So that it cannot make the picture before it is killed.
    process.kill(first, 'SIGSTOP')
    const large = makePicture({ make: 'variant', bytes, width: 1500, format: 'avif' })
    const refused = assert.rejects(large, { status: 503, code: 'pictures_busy' })
    const environment = await readFile(`/proc/${first}/environ`, 'utf8')
    const names = environment.split('\0').map((each) => each.split('=')[0] ?? '')
    const isNoSecret = /^(NODE_CHANNEL_\w+|NODE_COMPILE_CACHE|UV_THREADPOOL_SIZE|MALLOC_ARENA_MAX|)$/
    assert.deepEqual(
      names.filter((name) => !isNoSecret.test(name)),
      [],
    )
    process.kill(first, 'SIGKILL')
    await refused
    const next = await makePicture({ make: 'master', bytes: Buffer.from('no picture') })
    assert.deepEqual(next, { refusal: 'format' })

    await endIdle(t)
  },
)
