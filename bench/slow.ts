// Somebody who wants to keep the shop busy by being slow. A third of the connections never end their headers, a
// third never end their body, and a third never read responses. One that the shop closes is opened again.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export type Siege = { port: number; connections: number }
/** How many connections are open now, and how many have been closed so far. */
export type ConnectionCounts = { open: number; closed: number }

const aSecond = 1000
const behaviors: ((socket: Socket) => void)[] = [
  (socket) => drip(socket, 'GET / HTTP/1.1\r\nHost: a\r\n', 'x-more: 1\r\n'),
  (socket) => {
    const head = [
      'POST /api/auth/login HTTP/1.1',
      'Host: a',
      'Content-Type: application/json',
      'Content-Length: 60000',
    ]
    drip(socket, `${head.join('\r\n')}\r\n\r\n{"email":"`, 'a')
  },
  (socket) => {
    socket.pause()
    socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
  },
]

function drip(socket: Socket, first: string, next: string): void {
  socket.resume()
  socket.write(first)
  const timer = setInterval(() => socket.write(next), aSecond)
  socket.once('close', () => clearInterval(timer))
}

let open = 0
let closed = 0

async function holdOne(port: number, behave: (socket: Socket) => void): Promise<never> {
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.once('connect', () => {
      open += 1
      behave(socket)
      socket.once('close', () => (open -= 1))
    })
    await once(socket, 'close')
    closed += 1
    await wait(100)
  }
}

process.on('message', ({ port, connections }: Siege) => {
  for (const behave of behaviors) {
    for (let number = 0; number < connections / behaviors.length; number += 1) void holdOne(port, behave)
  }
  setInterval(() => process.send?.({ open, closed } satisfies ConnectionCounts), aSecond)
})
