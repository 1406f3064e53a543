import { unavailable } from '#shop/platform/errors.ts'

/** The queues, in the order in which they are served: somebody waits for the first two, nobody for the last. */
type Lane = 'upload' | 'visit' | 'warming'

/** The number of threads that the picture process has; see `picture-maker`. */
const mostAtOnce = 2
/** For uploads, more than the server accepts at once; see `slotLimits`. */
const mostWaiting = { upload: 14, visit: 200, warming: 1000 } as const

const waiting: Record<Lane, (() => void)[]> = { upload: [], visit: [], warming: [] }
let running = 0

/** Runs picture work once a slot is free; 503 when too many wait already. */
export async function inPictureTurn<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
  if (waiting[lane].length >= mostWaiting[lane]) {
    throw unavailable('pictures_busy', 'Too many pictures are being processed. Please try again.')
  }
  await new Promise<void>((resolve) => {
    waiting[lane].push(resolve)
    startNext()
  })
  try {
    return await work()
  } finally {
    running -= 1
    startNext()
  }
}

function startNext(): void {
  while (running < mostAtOnce) {
    const isIdle = running === 0
    const start =
      waiting.upload.shift() ?? waiting.visit.shift() ?? (isIdle ? waiting.warming.shift() : undefined)
    if (!start) return
    running += 1
    start()
  }
}
