import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens a connection on which any bytes can be sent; `from` is another local address to connect from. */
export async function openSocket(url: string, from?: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) })
  // Some tests expect the server to close the connection while they still write.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends these bytes and returns everything received until the server closes the connection. */
export async function exchange(url: string, bytes: string, from?: string): Promise<string> {
  const socket = await openSocket(url, from)
  socket.write(bytes)
  return readAll(socket)
}

/** Returns everything received until the connection closes, also if an error ends it. */
export async function readAll(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  await closed(socket)
  return received
}

/** Resolves when the connection has closed, also if an error ended it. */
export function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve))
}
