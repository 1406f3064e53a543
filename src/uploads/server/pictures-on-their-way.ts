import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The pictures that are being sent, each in memory once, however many responses it is in. */
type PicturesOnTheirWay = {
  get(name: string): Buffer | undefined
  /** Keeps the picture until this response has been sent or its connection is closed. */
  add(name: string, bytes: Buffer, response: ServerResponse): void
}

/** `waiting`: how many responses it is in. */
type Picture = { name: string; bytes: Buffer; waiting: number }

/**
 * Beyond `mostBytes`, closes the connection that has the most bytes waiting. A client that requests a hundred
 * large pictures at once and reads none would otherwise have them all kept in memory, for each of its connections.
 */
export function createPicturesOnTheirWay(mostBytes: number): PicturesOnTheirWay {
  const pictures = new Map<string, Picture>()
  const connections = new Map<Socket, Map<ServerResponse, Picture>>()
  let total = 0

  const forget = (socket: Socket, response: ServerResponse) => {
    const answers = connections.get(socket)
    const picture = answers?.get(response)
    if (!answers || !picture) return
    answers.delete(response)
    if (answers.size === 0) connections.delete(socket)
    picture.waiting -= 1
    if (picture.waiting > 0) return
    pictures.delete(picture.name)
    total -= picture.bytes.length
  }
  const endLargest = () => {
    let [largest, most] = [undefined as Socket | undefined, 0]
    for (const [socket, answers] of connections) {
      const waiting = answers.values().reduce((sum, { bytes }) => sum + bytes.length, 0)
      if (waiting > most) [largest, most] = [socket, waiting]
    }
    if (!largest) return
    for (const response of connections.get(largest)?.keys() ?? []) forget(largest, response)
    largest.destroy()
  }

  return {
    get: (name) => pictures.get(name)?.bytes,
    add(name, bytes, response) {
      // A response that is closed already emits no further `close`, and would never be forgotten.
      if (response.destroyed) return
      const { socket } = response.req
      const picture = pictures.get(name) ?? { name, bytes, waiting: 0 }
      if (picture.waiting === 0) total += bytes.length
      picture.waiting += 1
      pictures.set(name, picture)
      const answers = connections.get(socket) ?? new Map<ServerResponse, Picture>()
      connections.set(socket, answers.set(response, picture))
      response.once('close', () => forget(socket, response))
      while (total > mostBytes && connections.size > 0) endLargest()
    },
  }
}
