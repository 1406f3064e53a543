import { setTimeout as wait } from 'node:timers/promises'
import { submitCard, submitForm } from '#shop/testing/card-page.ts'
import type { Headers, World } from './world.ts'

export type Reply<T = unknown> = { status: number; body: T; requestId?: string | null }
type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** One try; status 0 when there was no response. */
async function callOnce<T>(world: World, call: Call, customer?: number): Promise<Reply<T>> {
  const [first, second] = world.shops
  const shop = world.random.chance(0.65) ? first : second
  try {
    const response = await fetch(shop.url + call.path, {
      method: call.method,
      headers: { ...(call.body !== undefined && { 'content-type': 'application/json' }), ...call.headers },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: AbortSignal.timeout(25_000),
    })
    const text = await response.text()
    const { status } = response
    const requestId = response.headers.get('x-request-id')
    if (status === 503) world.refused += 1
    if (status === 500)
      world.chronicle.addViolation(`${call.method} ${call.path} was answered 500 by ${shop.name}`, customer)
    return { status, body: (text.startsWith('{') ? JSON.parse(text) : text) as T, requestId }
  } catch (error) {
    if (world.isEveryAnswerRequired)
      world.chronicle.addViolation(
        `${call.method} ${call.path} was not answered by ${shop.name}: ${String(error)}`,
        customer,
      )
    return { status: 0, body: undefined as T }
  }
}

/** A customer with no answer after this long, while so many others finished, has been forgotten, or worse. */
const patienceMs = 240_000
const othersServed = 100
/** The limit even when others do not finish, however busy the machine is. */
const mostPatienceMs = 900_000

const isAnswer = ({ status }: Reply) => status !== 0 && status !== 503 && status !== 500

/** Repeats the call, as a patient customer does, until the shop has an answer. */
export async function callUntilAnswered<T>(world: World, call: Call, customer?: number): Promise<Reply<T>> {
  const startedAt = performance.now()
  const servedBefore = world.finishedCustomers
  const hasPatience = () => {
    const waitedMs = performance.now() - startedAt
    const isOvertaken = world.finishedCustomers >= servedBefore + othersServed
    return waitedMs < (isOvertaken ? patienceMs : mostPatienceMs)
  }
  const failures = new Map<string, { times: number; requestId: Reply['requestId'] }>()
  for (let pauseMs = 80; ; pauseMs = Math.min(pauseMs * 1.7, 1200)) {
    const reply = await callOnce<T>(world, call, customer)
    if (isAnswer(reply) || world.isOver()) return reply
    const failure = `${reply.status} ${(reply.body as { code?: string } | undefined)?.code ?? ''}`.trim()
    failures.set(failure, { times: (failures.get(failure)?.times ?? 0) + 1, requestId: reply.requestId })
    if (!hasPatience()) {
      const all = [...failures]
        .map(([what, { times, requestId }]) => `${times} times ${what}${reasonOf(world, requestId)}`)
        .join(', ')
      world.chronicle.addViolation(`${call.method} ${call.path} had no answer for minutes: ${all}`, customer)
      return reply
    }
    await wait(pauseMs)
  }
}

function reasonOf({ shops }: World, requestId: Reply['requestId']): string {
  const reason = shops.map((shop) => shop.reasonOf(requestId ?? '')).find(Boolean)
  return reason ? ` (${reason})` : ''
}

/** Pays on the provider's card page; true when that leads back to the shop's page for paid orders. */
export async function pay(url: string, card: string): Promise<boolean> {
  const location = await submitCard(url, card)
  if (!location?.endsWith('/authorize')) return location?.includes('/success') ?? false
  const authorized = await submitForm(new URL(location, url).href, { decision: 'authorize' })
  return authorized?.includes('/success') ?? false
}

/** The shop has answered the admin's call when this returns, whatever was killed. 404 is an answer, too. */
export async function asAdmin(world: World, call: Omit<Call, 'headers'>): Promise<number> {
  const headers: Headers = world.admin
  return (await callUntilAnswered(world, { ...call, headers })).status
}
