import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import pg from 'pg'

/** Between shop and database: what is open can be made to say nothing any more, as after a failover that nobody is told of. */
type SilentLine = {
  port: number
  /** From now on the connections that are open are silent; new ones are not. */
  hush(): void
}

export async function startSilentLine(t: TestContext, database: pg.PoolConfig): Promise<SilentLine> {
  const { host, port } = new pg.Client(database)
  const isSocket = host.startsWith('/')
  let hushed = 0
  const open = new Set<{ destroy(): void }>()
  const line = createServer((caller) => {
    const since = hushed
    const server = isSocket ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [from, to] of [
      [caller, server],
      [server, caller],
    ] as const) {
      open.add(from)
      from.on('data', (chunk: Buffer) => {
        if (since === hushed) to.write(chunk)
      })
      from.on('error', () => undefined)
    }
    caller.on('close', () => server.destroy())
  })
  line.listen(0, '127.0.0.1')
  await once(line, 'listening')
  t.after(() => {
    for (const each of open) each.destroy()
    line.close()
  })
  // A server on a port has an address of this kind.
  return { port: (line.address() as AddressInfo).port, hush: () => (hushed += 1) }
}
