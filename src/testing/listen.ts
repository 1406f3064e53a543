import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Makes a server listen on a free port of this machine. */
export async function listen(server: Server): Promise<{ port: number; url: string }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The cast holds: a server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}
