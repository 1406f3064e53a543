// Requests one path after the other on a few connections, as fast as responses come. Runs as a process of its own
// and gets its task as a message. Reads no more of a response than it must, to leave the machine to the server.
import { connect } from 'node:net'

export type Load = { port: number; paths: string[]; connections: number; seconds: number }
export type Result = { answers: number; failures: number; seconds: number; latenciesMs: number[] }

const headerEnd = Buffer.from('\r\n\r\n')

function run({ port, paths, connections, seconds }: Load, done: (result: Result) => void): void {
  const result: Result = { answers: 0, failures: 0, seconds: 0, latenciesMs: [] }
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`))
  const began = performance.now()
  const endsAt = began + seconds * 1000
  let next = 0
  let open = connections
  for (let each = 0; each < connections; each += 1) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    let missing = 0
    let askedAt = 0
    const send = () => {
      askedAt = performance.now()
      if (askedAt > endsAt) return void socket.end()
      next = (next + 1) % requests.length
      socket.write(requests[next] ?? '')
    }
    const answered = () => {
      result.answers += 1
      result.latenciesMs.push(performance.now() - askedAt)
      send()
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length
        if (missing === 0) answered()
        return
      }
      const end = chunk.indexOf(headerEnd)
      const head = chunk.toString('latin1', 0, end)
      if (!head.startsWith('HTTP/1.1 200')) result.failures += 1
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1]) + end + 4 - chunk.length
      if (missing === 0) answered()
    })
    socket.on('close', () => {
      open -= 1
      if (open > 0) return
      result.seconds = (performance.now() - began) / 1000
      done(result)
    })
  }
}

process.on('message', (load: Load) => {
  run(load, (result) => process.send?.(result))
})
