import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * For a program that is told its port before it listens. None that systems choose themselves: these are given to whoever
 * connects to anything, and by the time the program listens somebody may have it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Browsers refuse 10080, the last of those they know of; see https://fetch.spec.whatwg.org/#port-blocking
    const port = randomInt(10_081, 32_768)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
