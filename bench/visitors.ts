// Visitors of the shop, each with a few requests one after the other; in a process of their own, so that their
// cost does not count as the shop's. 'closed': this many at once, each as soon as another has left. 'open': this
// many new ones a second, whatever happens.
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export type Plan = {
  port: number
  seconds: number
  /** Each request opens a connection of its own. */
  areNew?: boolean
} & ({ closed: number } | { open: number })

/** For one kind of request: how long the accepted ones took, and the refused ones. */
export type Kind = { acceptedMs: number[]; refusedMs: number[]; withoutRetryAfter: number; others: number }
export type Tally = {
  seconds: number
  visits: number
  kinds: Record<string, Kind>
  /** Sessions whose card was charged. */
  paid: string[]
  /** How many of these were confirmed with an order. */
  confirmed: number
}

const kept = new Agent({ keepAlive: true, maxSockets: Infinity })
let agent: Agent | false = kept
type Answer = { status: number; retryAfter: string | undefined; text: string; location: string | undefined }

function send(
  port: number,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const asked = request({ port, host: '127.0.0.1', method, path, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          location: response.headers.location,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const card = 'email=a%40example.com&number=4242424242424242&expiry=12%2F40&cvc=123&name=A'

async function run(plan: Plan): Promise<Tally> {
  const tally: Tally = { seconds: 0, visits: 0, kinds: {}, paid: [], confirmed: 0 }
  const { port } = plan
  if (plan.areNew) agent = false
  const timed = async (
    kind: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer | undefined> => {
    const all = (tally.kinds[kind] ??= { acceptedMs: [], refusedMs: [], withoutRetryAfter: 0, others: 0 })
    const began = performance.now()
    const answer = await send(port, method, path, body && JSON.stringify(body)).catch(() => undefined)
    const took = performance.now() - began
    if (answer?.status === 503) {
      all.refusedMs.push(took)
      if (!Number(answer.retryAfter)) all.withoutRetryAfter += 1
    } else if (answer && answer.status < 300) all.acceptedMs.push(took)
    else all.others += 1
    return answer
  }
  const list = JSON.parse((await send(port, 'GET', '/api/products/?limit=50')).text) as Products
  const ids = list.data.products.map(({ _id }) => _id)

  let number = 0
  const look = () => timed('search', 'GET', `/api/products/?limit=8&search=shirt${(number * 7919) % 100_003}`)
  const buy = async () => {
    const products = [{ _id: ids[number % ids.length], quantity: 1 + (number % 3) }]
    const opened = await timed('checkout', 'POST', '/api/orders/create-checkout-session', { products })
    if (opened?.status !== 201) return
    const { id, url } = JSON.parse(opened.text) as { id: string; url: string }
    const page = new URL(url)
    const charged = await send(
      Number(page.port),
      'POST',
      page.pathname,
      card,
      'application/x-www-form-urlencoded',
    )
    if (!charged.location) return
    tally.paid.push(id)
    // A customer who has paid tries again as often as the shop asks for it, up to 30 times.
    for (let tries = 0; tries < 30; tries += 1) {
      const answer = await timed('confirm', 'POST', '/api/orders/confirm-payment', { session_id: id })
      if (answer?.status === 200) {
        tally.confirmed += 1
        return void (await timed('order', 'GET', `/api/orders/order/${orderIdIn(answer.text)}`))
      }
      await wait(Number(answer?.retryAfter ?? 1) * 1000)
    }
  }
  const visit = async () => {
    number += 1
    tally.visits += 1
    if (number % 10 === 0) await buy().catch(() => undefined)
    else await look()
  }
  const began = performance.now()
  const endsAt = began + plan.seconds * 1000
  if ('closed' in plan) {
    const visitor = async () => {
      while (performance.now() < endsAt) await visit()
    }
    await Promise.all(Array.from({ length: plan.closed }, visitor))
    tally.seconds = (performance.now() - began) / 1000
  } else {
    const visits: Promise<void>[] = []
    while (performance.now() < endsAt) {
      const due = ((performance.now() - began) / 1000) * plan.open
      while (visits.length < due) visits.push(visit())
      await wait(5)
    }
    tally.seconds = (performance.now() - began) / 1000
    await Promise.all(visits)
  }
  return tally
}

type Products = { data: { products: { _id: string }[] } }
const orderIdIn = (text: string) => (JSON.parse(text) as { data: { orderId: string } }).data.orderId

process.on('message', (plan: Plan) => {
  void run(plan).then((tally) => process.send?.(tally))
})
