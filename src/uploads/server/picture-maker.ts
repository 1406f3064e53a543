import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { sharedCompileCache } from '#shop/platform/compile-cache.ts'
import { unavailable } from '#shop/platform/errors.ts'
import type { PictureAnswer, PictureRequest } from './picture-process.ts'
import type { PictureMade, PictureWork } from './picture-work.ts'

const program = join(import.meta.dirname, 'picture-process.ts')
/** The process ends after this long without work, which frees the hundred megabytes that decoding takes. */
const idleMs = 3000
const longestMs = 30_000

type Waiting = { resolve(made: PictureMade): void; reject(error: Error): void }
type Maker = { child: ChildProcess; waiting: Map<number, Waiting>; idle: NodeJS.Timeout | undefined }

let running: Maker | undefined
let lastId = 0

/**
 * Has a picture decoded and encoded by a separate process, which is started on demand. A malicious file that
 * exploits the decoding libraries finds no customer's data and no secret there, and the memory and processor time
 * that pictures take do not hold up requests.
 *
 * @throws ShopError 503 when that process ends before it is done
 */
export async function makePicture(work: PictureWork): Promise<PictureMade> {
  const maker = (running ??= start())
  const id = (lastId += 1)
  clearTimeout(maker.idle)
  maker.child.channel?.ref()
  const timer = setTimeout(() => maker.child.kill('SIGKILL'), longestMs)
  try {
    return await new Promise<PictureMade>((resolve, reject) => {
      // Where the shop has no file descriptors left, the process was not started and has no channel.
      if (!maker.child.channel) return reject(processingFailed())
      maker.waiting.set(id, { resolve, reject })
      maker.child.send({ id, work } satisfies PictureRequest, (error) => error && reject(processingFailed()))
    })
  } finally {
    clearTimeout(timer)
    maker.waiting.delete(id)
    if (maker.waiting.size === 0) endWhenIdle(maker)
  }
}

function start(): Maker {
  const child = fork(program, [], {
    // Nothing of the shop's environment: no database address, no key.
    env: { ...sharedCompileCache(), UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
    execArgv: ['--max-semi-space-size=1'],
    serialization: 'advanced',
  })
  const maker: Maker = { child, waiting: new Map(), idle: undefined }
  child.unref()
  // A process ends by itself once the shop is gone, but not if it could not start completely.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.on('message', (answered: PictureAnswer) => {
    const waiting = maker.waiting.get(answered.id)
    if ('made' in answered) waiting?.resolve(answered.made)
    else waiting?.reject(new Error(answered.failure))
  })
  const end = () => {
    if (running === maker) running = undefined
    process.off('exit', kill)
    for (const { reject } of maker.waiting.values()) reject(processingFailed())
  }
  child.on('error', end)
  child.on('exit', end)
  return maker
}

/** Neither the idle process nor the timer that ends it keeps the shop from ending. */
function endWhenIdle(maker: Maker): void {
  maker.child.channel?.unref()
  maker.idle = setTimeout(() => {
    if (running === maker) running = undefined
    if (maker.child.connected) maker.child.disconnect()
  }, idleMs).unref()
}

function processingFailed(): Error {
  return unavailable('pictures_busy', 'The picture could not be processed. Please try again.')
}
