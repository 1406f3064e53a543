import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharp } from './decoder.ts'
import { makePicture } from './picture-maker.ts'

/** The processes that read pictures for this one. */
async function makers(): Promise<number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

async function untilNobody(): Promise<void> {
  while ((await makers()).length > 0) await sleep(10)
}

const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
const photo = (width: number) =>
  sharp({ create: { width, height: width, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer()

test('pictures are read by a process of its own, without our secrets', { timeout: 60_000 }, async (t) => {
  if (process.platform !== 'linux') return t.skip('looks into /proc')
  const bytes = await photo(1500)
  const small = await makePicture({ make: 'variant', bytes, width: 160, format: 'webp' })
  assert.ok('bytes' in small)
  const { width, format } = await sharp(small.bytes).metadata()
  assert.deepEqual([width, format], [160, 'webp'])

  // What takes it down takes one picture with it, not the shop; and the next is made by a new one.
  const large = makePicture({ make: 'variant', bytes, width: 1500, format: 'avif' })
  const refused = assert.rejects(large, { status: 503, code: 'pictures_busy' })
  const [first, ...others] = await makers()
  assert.ok(first)
  assert.deepEqual(others, [])
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

  await untilNobody()
})
