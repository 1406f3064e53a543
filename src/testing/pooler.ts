import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { listen } from './listen.ts'

/** What PgBouncer answers to whoever begins with `options`. */
const refusal = message('E', 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0')
const greeting = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')])

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}`)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

/**
 * A proxy in front of a database that behaves as PgBouncer does in session mode: a client has a connection for
 * itself, and must not send `options`.
 *
 * @returns its port
 */
export async function startSessionPooler(t: TestContext, database: pg.ClientConfig): Promise<number> {
  const { host, port } = new pg.Client(database)
  return serve(t, (caller, startup) => {
    if (startup.includes('\0options\0')) return caller.end(refusal)
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    server.on('error', () => undefined).write(startup)
    caller.pipe(server).pipe(caller)
    caller.on('close', () => server.destroy())
  })
}

/**
 * The same in transaction mode, for clients that send one plain query at a time: after each transaction the
 * connection goes to whoever asks next.
 *
 * @returns its port
 */
export async function startTransactionPooler(t: TestContext, database: pg.ClientConfig): Promise<number> {
  const idle: Socket[] = []
  const open: pg.Client[] = []
  const lend = async () => {
    const client = new pg.Client(database)
    open.push(client.on('error', () => undefined))
    await client.connect()
    // The cast holds: the driver has its socket there, and nobody else reads from it any more.
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    return stream.removeAllListeners('data')
  }
  t.after(() => Promise.all(open.map((client) => client.end())))
  return serve(t, (caller) => {
    caller.write(greeting)
    let lent: Socket | undefined
    const pass = async (query: Buffer) => {
      lent ??= idle.pop() ?? (await lend())
      lent.write(query)
      const [answer] = (await once(lent, 'data')) as [Buffer]
      // The last byte says whether a transaction is open.
      if (answer.at(-1) === 'I'.charCodeAt(0)) {
        idle.push(lent)
        lent = undefined
      }
      caller.write(answer)
    }
    caller.on('data', (query: Buffer) => query.at(0) === 'Q'.charCodeAt(0) && void pass(query))
  })
}

/**
 * A pooler whose connections are all lent: it accepts whoever comes, and answers no query.
 *
 * @returns its port
 */
export function startExhaustedPooler(t: TestContext, onQuery: () => void): Promise<number> {
  return serve(t, (caller) => caller.on('data', onQuery).write(greeting))
}

async function serve(t: TestContext, onCaller: (caller: Socket, startup: Buffer) => void): Promise<number> {
  const callers = new Set<Socket>()
  const server = createServer((caller) => {
    callers.add(caller.on('error', () => undefined))
    caller.once('data', (startup: Buffer) => onCaller(caller, startup))
  })
  const { port } = await listen(server)
  t.after(() => {
    for (const caller of callers) caller.destroy()
    server.close()
  })
  return port
}
