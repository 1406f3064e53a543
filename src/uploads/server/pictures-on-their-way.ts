import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is being sent, each picture once however many are waiting for it. */
type PicturesOnTheirWay = {
  get(name: string): Buffer | undefined
  /** Until this answer has gone out, or nobody is there any more. */
  add(name: string, bytes: Buffer, response: ServerResponse): void
}

/**
 * Of more than so many bytes, the connection that has the most of them waiting is ended: whoever asks for a hundred large
 * pictures at once and reads none would otherwise have them all kept in memory, on each of their connections.
 */
export function createPicturesOnTheirWay(mostBytes: number): PicturesOnTheirWay {
  const pictures = new Map<string, { bytes: Buffer; waiting: number }>()
  const connections = new Map<Socket, Map<ServerResponse, string>>()
  let total = 0

  const forget = (socket: Socket, response: ServerResponse) => {
    const names = connections.get(socket)
    const name = names?.get(response)
    const picture = name === undefined ? undefined : pictures.get(name)
    if (!names || name === undefined || !picture) return
    names.delete(response)
    if (names.size === 0) connections.delete(socket)
    picture.waiting -= 1
    if (picture.waiting > 0) return
    pictures.delete(name)
    total -= picture.bytes.length
  }
  const bytesOf = (names: Map<ServerResponse, string>) =>
    names.values().reduce((sum, name) => sum + (pictures.get(name)?.bytes.length ?? 0), 0)
  const endLargest = () => {
    let [largest, most] = [undefined as Socket | undefined, 0]
    for (const [socket, names] of connections) {
      const bytes = bytesOf(names)
      if (bytes > most) [largest, most] = [socket, bytes]
    }
    if (!largest) return
    for (const response of connections.get(largest)?.keys() ?? []) forget(largest, response)
    largest.destroy()
  }

  return {
    get: (name) => pictures.get(name)?.bytes,
    add(name, bytes, response) {
      // Whoever has hung up would never be forgotten.
      if (response.destroyed) return
      const { socket } = response.req
      const picture = pictures.get(name) ?? { bytes, waiting: 0 }
      if (picture.waiting === 0) total += bytes.length
      picture.waiting += 1
      pictures.set(name, picture)
      const names = connections.get(socket) ?? new Map<ServerResponse, string>()
      connections.set(socket, names.set(response, name))
      response.once('close', () => forget(socket, response))
      while (total > mostBytes && connections.size > 0) endLargest()
    },
  }
}
