import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection of its own, on which any bytes can be sent; `from` is another address of this machine. */
export async function openSocket(url: string, from?: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) })
  // A server that hangs up while we write is what some tests want to see.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends these bytes and answers all that comes back until the server hangs up. */
export async function exchange(url: string, bytes: string, from?: string): Promise<string> {
  const socket = await openSocket(url, from)
  socket.write(bytes)
  return readAll(socket)
}

/** All that comes until the connection ends, in whichever way. */
export async function readAll(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  await closed(socket)
  return received
}

/** Also of a connection that ends by an error. */
export function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve))
}
