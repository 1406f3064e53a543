import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import pg from 'pg'

/** A proxy between shop and database. It can silence open connections, as a failover does that nobody notices. */
type SilentLine = {
  port: number
  /** Silences the connections that are open now; later ones work. */
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
  // The cast holds: a server on a port has an address of this kind.
  return { port: (line.address() as AddressInfo).port, hush: () => (hushed += 1) }
}
