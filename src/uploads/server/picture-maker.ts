import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { sharedCompileCache } from '#shop/platform/compile-cache.ts'
import { unavailable } from '#shop/platform/errors.ts'
import type { Answered, Asked } from './picture-process.ts'
import type { PictureMade, PictureWork } from './picture-work.ts'

const program = join(import.meta.dirname, 'picture-process.ts')
/** Without work for so long it ends: what reading pictures takes, a hundred megabytes, is given back. */
const idleMs = 3000
const longestMs = 30_000

type Waiting = { resolve(made: PictureMade): void; reject(error: Error): void }
type Maker = { child: ChildProcess; waiting: Map<number, Waiting>; idle: NodeJS.Timeout | undefined }

let running: Maker | undefined
let lastId = 0

/**
 * Has a picture read and written by a process for that alone, which is started when it is needed. What a malicious
 * file could do to the libraries that read it, it does there, where no customer's data and no secret is; and the
 * memory and the processor that pictures take are not taken from those who are being answered.
 *
 * @throws ShopError 503 when that process ends over it
 */
export async function makePicture(work: PictureWork): Promise<PictureMade> {
  const maker = (running ??= start())
  const id = (lastId += 1)
  clearTimeout(maker.idle)
  maker.child.channel?.ref()
  const timer = setTimeout(() => maker.child.kill('SIGKILL'), longestMs)
  try {
    return await new Promise<PictureMade>((resolve, reject) => {
      // Without files to spare it has none, and was not even started.
      if (!maker.child.channel) return reject(gone())
      maker.waiting.set(id, { resolve, reject })
      maker.child.send({ id, work } satisfies Asked, (error) => error && reject(gone()))
    })
  } finally {
    clearTimeout(timer)
    maker.waiting.delete(id)
    if (maker.waiting.size === 0) rest(maker)
  }
}

function start(): Maker {
  const child = fork(program, [], {
    // Nothing of the shop's: no address of a database, no key.
    env: { ...sharedCompileCache(), UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
    execArgv: ['--max-semi-space-size=1'],
    serialization: 'advanced',
  })
  const maker: Maker = { child, waiting: new Map(), idle: undefined }
  child.unref()
  // By itself it ends when it hears that the shop has, which it does not where it could not even start whole.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.on('message', (answered: Answered) => {
    const waiting = maker.waiting.get(answered.id)
    if ('made' in answered) waiting?.resolve(answered.made)
    else waiting?.reject(new Error(answered.failure))
  })
  const end = () => {
    if (running === maker) running = undefined
    process.off('exit', kill)
    for (const { reject } of maker.waiting.values()) reject(gone())
  }
  child.on('error', end)
  child.on('exit', end)
  return maker
}

/** Neither it nor the wait for its end keeps the shop from ending. */
function rest(maker: Maker): void {
  maker.child.channel?.unref()
  maker.idle = setTimeout(() => {
    if (running === maker) running = undefined
    if (maker.child.connected) maker.child.disconnect()
  }, idleMs).unref()
}

function gone(): Error {
  return unavailable('pictures_busy', 'The picture could not be processed. Please try again.')
}
