import { createServer, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from './listen.ts'

/** A proxy between shop and provider, with which a test loses or changes requests and responses. */
type FaultyProxy = {
  url: string
  /** The provider's URL. */
  target: string
  /** `down` cuts off every request; `answers are lost` forwards requests and drops their responses. */
  fault: 'nothing' | 'down' | 'answers are lost'
  /** Changes the body of a response on its way to the shop. */
  change: (body: string) => string
}

export async function startFaultyProxy(t: TestContext): Promise<FaultyProxy> {
  const proxy: FaultyProxy = { url: '', target: '', fault: 'nothing', change: (body) => body }
  const relay = async (incoming: IncomingMessage) => {
    const { 'content-type': type = '', 'idempotency-key': key } = incoming.headers
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    const answer = await fetch(proxy.target + (incoming.url ?? ''), {
      method: incoming.method ?? 'GET',
      headers: {
        'content-type': type,
        authorization: String(incoming.headers.authorization),
        ...(typeof key === 'string' && { 'idempotency-key': key }),
      },
      body: body.length ? body : null,
    })
    return { status: answer.status, body: await answer.text() }
  }
  const server = createServer((incoming, outgoing) => {
    if (proxy.fault === 'down') return void incoming.socket.destroy()
    relay(incoming).then(
      ({ status, body }) => {
        if (proxy.fault === 'answers are lost') return void incoming.socket.destroy()
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(proxy.change(body))
      },
      () => incoming.socket.destroy(),
    )
  })
  proxy.url = (await listen(server)).url
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return proxy
}
