import { connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { listen } from './listen.ts'

/** A proxy between shop and database. It can silence open connections, as a failover does that nobody notices. */
type SilencingProxy = {
  port: number
  /** Silences the connections that are open now; later ones work. */
  silence(): void
}

export async function startSilencingProxy(t: TestContext, database: pg.PoolConfig): Promise<SilencingProxy> {
  const { host, port } = new pg.Client(database)
  const isSocket = host.startsWith('/')
  let timesSilenced = 0
  const open = new Set<{ destroy(): void }>()
  const proxy = createServer((caller) => {
    const since = timesSilenced
    const server = isSocket ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [from, to] of [
      [caller, server],
      [server, caller],
    ] as const) {
      open.add(from)
      from.on('data', (chunk: Buffer) => {
        if (since === timesSilenced) to.write(chunk)
      })
      from.on('error', () => undefined)
    }
    caller.on('close', () => server.destroy())
  })
  const { port: proxyPort } = await listen(proxy)
  t.after(() => {
    for (const each of open) each.destroy()
    proxy.close()
  })
  return { port: proxyPort, silence: () => (timesSilenced += 1) }
}
