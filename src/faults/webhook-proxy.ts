import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { listen } from '#shop/testing/listen.ts'
import type { Random } from '#shop/testing/random.ts'
import type { Chronicle } from './chronicle.ts'
import { textOf } from './provider-proxy.ts'

/** Stands between the provider and the shop's webhook. */
export type WebhookProxy = {
  url: string
  isCalm: boolean
  /** Sessions whose completion a shop has acknowledged with 200, and when: from then on there must be an order. */
  acknowledged: Map<string, number>
  close(): void
}

const fates = { relayed: 44, late: 14, lost: 14, refused: 8, reset: 4, twice: 8, stray: 8 }

export async function startWebhookProxy(parts: {
  random: Random
  chronicle: Chronicle
  /** The URL of one of the shops. */
  target(): string
  customerOf(sessionId: string): number | undefined
}): Promise<WebhookProxy> {
  const { random, chronicle } = parts
  const payers = new Map<string, number>()
  const proxy: WebhookProxy = {
    url: '',
    isCalm: false,
    acknowledged: new Map(),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await textOf(incoming)
    const { type, sessionId, customer } = readEvent(body)
    const deliver = async () => {
      const headers = {
        'content-type': 'application/json',
        'stripe-signature': String(incoming.headers['stripe-signature']),
      }
      const status = await fetch(`${parts.target()}/api/payments/webhook`, { method: 'POST', headers, body })
        .then(async (response) => (await response.arrayBuffer(), response.status))
        .catch(() => 502)
      chronicle.note(`signal ${type}: the shop answers ${status}`, customer)
      if (status >= 400 && status < 500)
        chronicle.addViolation(`An authentic ${type} was answered ${status}`, customer)
      if (status === 500) chronicle.addViolation(`${type} was answered 500`, customer)
      const isTaken = status === 200 && type === 'checkout.session.completed' && sessionId !== undefined
      if (isTaken && !proxy.acknowledged.has(sessionId)) proxy.acknowledged.set(sessionId, Date.now())
      return status
    }
    const fate = proxy.isCalm ? 'relayed' : random.weighted(fates)
    if (fate !== 'relayed') chronicle.note(`signal ${type}: ${fate}`, customer)
    const answer = (status: number) => void outgoing.writeHead(status).end()
    switch (fate) {
      case 'relayed':
        return answer(await deliver())
      case 'late':
        await wait(random.int(50, 3000))
        return answer(await deliver())
      case 'lost':
        return answer(200)
      case 'refused':
        return answer(503)
      case 'reset':
        return void incoming.socket.destroy()
      case 'twice': {
        const [first] = await Promise.all([deliver(), deliver()])
        return answer(first)
      }
      case 'stray':
        answer(200)
        await wait(random.int(300, 6000))
        return void (await deliver())
    }
  }
  const readEvent = (body: string) => {
    // The event comes from our own provider, and is read only to learn whom it is about.
    const event = JSON.parse(body) as {
      type: string
      data: { object: { id: string; payment_intent?: string } }
    }
    const { id, payment_intent: payment } = event.data.object
    const sessionId = id.startsWith('cs_') ? id : undefined
    const customer = sessionId ? parts.customerOf(sessionId) : payers.get(payment ?? '')
    if (payment && customer !== undefined) payers.set(payment, customer)
    return { type: event.type, sessionId, customer }
  }
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  proxy.url = (await listen(server)).url
  return proxy
}
