import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port for a program that must know its port before it listens. The range leaves out the ports that systems
 * give to outgoing connections: one of those could be taken by the time the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Browsers refuse some ports, of which 10080 is the highest; see https://fetch.spec.whatwg.org/#port-blocking
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
