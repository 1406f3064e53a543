import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { listen } from '#shop/testing/listen.ts'
import type { Random } from '#shop/testing/random.ts'
import type { Chronicle } from './chronicle.ts'

/** Stands between shop and provider, and causes the faults that networks and providers have. */
export type ProviderProxy = {
  url: string
  /** Every request is cut off before it reaches the provider. */
  isDown: boolean
  isCalm: boolean
  /** The sessions of these customers are reported with a wrong amount. */
  wrongTotalsFor: Set<number>
  customerOf(sessionId: string): number | undefined
  close(): void
}

const faults = {
  late: 34,
  hangs: 3,
  silentAfterwards: 6,
  resetAfterwards: 14,
  reset: 12,
  error: 8,
  errorAfterwards: 8,
  tooMany: 4,
  garbage: 11,
}

const garbage: [status: number, body: string][] = [
  [200, '<html><body>Please sign in to the network</body></html>'],
  [200, '{}'],
  [200, '[]'],
  [200, 'null'],
  [200, '"ok"'],
  [200, '{"object":"checkout.session","payment_status":'],
  [200, '{"object":"list","data":1}'],
  [404, '<html>Not here</html>'],
  [404, '{"error":{"type":"invalid_request_error","message":"no such page"}}'],
  [302, ''],
]

type Answer = { status: number; headers: IncomingMessage['headers']; body: string }

export async function startProviderProxy(parts: {
  target: string
  random: Random
  chronicle: Chronicle
  faultRate: number
}): Promise<ProviderProxy> {
  const { target, chronicle } = parts
  const customers = new Map<string, number>()
  const randoms = new Map<number | undefined, Random>()
  const randomOf = (customer: number | undefined) => {
    const known = randoms.get(customer) ?? parts.random.stream(`customer ${customer ?? 'nobody'}`)
    randoms.set(customer, known)
    return known
  }
  const proxy: ProviderProxy = {
    url: '',
    isDown: false,
    isCalm: false,
    wrongTotalsFor: new Set(),
    customerOf: (sessionId) => customers.get(sessionId),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }

  const forward = async (incoming: IncomingMessage, body: string): Promise<Answer> => {
    const headers = omitHeaders(incoming.headers, ['host', 'connection'])
    const outgoing = request(target + (incoming.url ?? ''), { method: incoming.method, headers })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await textOf(answer) }
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await textOf(incoming)
    const customer = whoseRequest(incoming.url ?? '', body, customers)
    const act = async () => {
      const answer = await forward(incoming, body)
      const id = /"id": ?"(cs_test_\w+)"/.exec(answer.body)?.[1]
      if (incoming.method === 'POST' && id && customer !== undefined) customers.set(id, customer)
      const hasWrongTotal = customer !== undefined && proxy.wrongTotalsFor.has(customer)
      const sentBody = hasWrongTotal
        ? answer.body.replace(/"amount_total": ?\d+/, '"amount_total": 1')
        : answer.body
      return { ...answer, body: sentBody }
    }
    if (proxy.isDown) return incoming.socket.destroy()
    const random = randomOf(customer)
    if (proxy.isCalm || !random.chance(parts.faultRate)) return send(outgoing, await act())
    const fault = random.weighted(faults)
    chronicle.note(`provider asked (${incoming.method} ${shortPath(incoming.url)}): ${fault}`, customer)
    switch (fault) {
      case 'late':
        await wait(random.int(20, 1500))
        return send(outgoing, await act())
      case 'hangs':
        return
      case 'silentAfterwards':
        return void (await act())
      case 'resetAfterwards':
        await act()
        return incoming.socket.destroy()
      case 'reset':
        return incoming.socket.destroy()
      case 'errorAfterwards':
        await act()
        return sendJson(outgoing, 500, '{"error":{"type":"api_error","message":"Something went wrong"}}')
      case 'error':
        return sendJson(outgoing, 500, '{"error":{"type":"api_error","message":"Something went wrong"}}')
      case 'tooMany':
        return sendJson(outgoing, 429, '{"error":{"type":"rate_limit_error","message":"Slow down"}}')
      case 'garbage': {
        const [status, text] = random.pick(garbage)
        if (random.chance(0.5)) await act()
        return sendJson(outgoing, status, text)
      }
    }
  }
  const server = createServer((incoming, outgoing) => {
    // When either side is killed, this fails, and the other side gets no response.
    handle(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  proxy.url = (await listen(server)).url
  return proxy
}

/** The names of products tell whose cart they are in; see `nameOf` in customer.ts. */
function whoseRequest(url: string, body: string, customers: Map<string, number>): number | undefined {
  const named = /customer-(\d+)-/.exec(body)?.[1]
  if (named !== undefined) return Number(named)
  const sessionId = /\/(cs_test_\w+)/.exec(url)?.[1]
  return sessionId === undefined ? undefined : customers.get(sessionId)
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing
    .writeHead(status, omitHeaders(headers, ['content-length', 'connection', 'transfer-encoding']))
    .end(body)
}

function omitHeaders(headers: IncomingMessage['headers'], names: string[]): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

function sendJson(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

function shortPath(url = ''): string {
  return url.replace(/\?.*/, '').replace(/(cs_test_.{6})\w+/, '$1…')
}

export async function textOf(stream: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString()
}
