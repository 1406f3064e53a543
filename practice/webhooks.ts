import { createHmac } from 'node:crypto'
import type { DeliveryRecord } from './records.ts'
import type { Store } from './store.ts'
import { toEvent } from './wire.ts'

const answerWithinMs = 10_000
const giveUpAfterMs = 3 * 24 * 60 * 60 * 1000
const maxConcurrentAttempts = 16

const secondMs = 1000
const minuteMs = 60 * secondMs
/** The last delay is repeated until three days are over. */
export const usualRetryDelaysMs = [1, 2, 5, 15, 60, 300, 900].map((s) => s * secondMs).concat(60 * minuteMs)

type Endpoint = { url: string; secret: string; retryDelaysMs: number[]; now: () => number }

/** Sends events to the shop and repeats each until the shop responds with a success, for up to three days. */
export class Webhooks {
  readonly #store: Store
  readonly #endpoint: Endpoint
  readonly #due: string[] = []
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #closing = new AbortController()
  readonly #attempts = new Set<Promise<void>>()

  constructor(store: Store, endpoint: Endpoint) {
    this.#store = store
    this.#endpoint = endpoint
  }

  /** Retries at once what an earlier run could not deliver: the shop may have been restarted just now, too. */
  resume(): void {
    for (const delivery of this.#store.newestFirst('deliveries').reverse()) {
      if (delivery.state === 'pending') this.deliver(delivery.id)
    }
  }

  deliver(eventId: string): void {
    this.#due.push(eventId)
    this.#startDue()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#attempts)
  }

  #startDue(): void {
    while (this.#attempts.size < maxConcurrentAttempts && !this.#closing.signal.aborted) {
      const eventId = this.#due.shift()
      if (eventId === undefined) return
      const attempt = this.#attempt(eventId).finally(() => {
        this.#attempts.delete(attempt)
        this.#startDue()
      })
      this.#attempts.add(attempt)
    }
  }

  async #attempt(eventId: string): Promise<void> {
    const isDelivered = await this.#send(eventId)
    const delivery = this.#store.find('deliveries', eventId)
    const event = this.#store.find('events', eventId)
    // An attempt that our own shutdown cut short is no failure of the shop.
    if (delivery === undefined || event === undefined || (this.#closing.signal.aborted && !isDelivered))
      return
    const isTooOld = event.createdAt < this.#endpoint.now() - giveUpAfterMs
    const state = isDelivered ? 'delivered' : isTooOld ? 'abandoned' : 'pending'
    this.#store.put(['deliveries', { ...delivery, attempts: delivery.attempts + 1, state }])
    if (state === 'pending') this.#tryLater(delivery)
  }

  #tryLater({ id, attempts }: DeliveryRecord): void {
    const delays = this.#endpoint.retryDelaysMs
    const delay = delays[attempts] ?? delays.at(-1) ?? minuteMs
    const timer = setTimeout(() => {
      this.#timers.delete(id)
      this.deliver(id)
    }, delay)
    this.#timers.set(id, timer)
  }

  async #send(eventId: string): Promise<boolean> {
    try {
      // The shop must not hear of a payment that a power cut could still undo.
      await this.#store.durable()
      const event = this.#store.find('events', eventId)
      if (event === undefined) return false
      const body = JSON.stringify(toEvent(event, this.#store.find('deliveries', eventId)), null, 2)
      const response = await fetch(this.#endpoint.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': this.#sign(body) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(answerWithinMs)]),
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false
    }
  }

  /** Signed anew for every attempt: the shop refuses signatures that are older than five minutes. */
  #sign(body: string): string {
    const time = Math.floor(this.#endpoint.now() / 1000)
    const signature = createHmac('sha256', this.#endpoint.secret).update(`${time}.${body}`).digest('hex')
    return `t=${time},v1=${signature}`
  }
}
