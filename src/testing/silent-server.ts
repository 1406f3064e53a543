import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** A server that accepts every connection and never answers. */
export async function startSilentServer(): Promise<{ url: string; sockets: Socket[]; close(): void }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  const { url } = await listen(server)
  return {
    url,
    sockets,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
