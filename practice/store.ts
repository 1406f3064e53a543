import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from './api-error.ts'
import { Journal } from './journal.ts'
import type { Change, SessionRecord, TableName, Tables } from './records.ts'

const dayMs = 24 * 60 * 60 * 1000
/** How long the answer to an idempotency key is repeated, and how long an event is stored, as at Stripe. */
export const answerLifetimeMs = dayMs
const eventLifetimeMs = 30 * dayMs
const durableWithinMs = 10_000

type Rows = { [Name in TableName]: Map<string, Tables[Name]> }

/**
 * Holds all records in memory and writes each change to the journal. Changes made without an `await` between them
 * reach the disk together. Memory is briefly ahead of the disk: report nothing before `durable()` has resolved.
 */
export class Store {
  readonly #rows: Rows = {
    sessions: new Map(),
    payments: new Map(),
    refunds: new Map(),
    events: new Map(),
    deliveries: new Map(),
    answers: new Map(),
  }
  readonly #open = new Set<string>()
  readonly #journal: Journal

  constructor(folder: string, now: () => number) {
    this.#journal = new Journal(folder, () => this.#snapshot(now()))
  }

  open(): Promise<void> {
    return this.#journal.open((changes) => {
      for (const change of changes) this.#apply(change)
    })
  }

  find<Name extends TableName>(table: Name, id: string): Tables[Name] | undefined {
    const rows: Map<string, Tables[Name]> = this.#rows[table]
    return rows.get(id)
  }

  newestFirst<Name extends TableName>(table: Name): Tables[Name][] {
    const rows: Map<string, Tables[Name]> = this.#rows[table]
    return [...rows.values()].reverse()
  }

  openSessions(): SessionRecord[] {
    return [...this.#open].flatMap((id) => this.find('sessions', id) ?? [])
  }

  put(...changes: Change[]): void {
    for (const change of changes) {
      this.#apply(change)
      this.#journal.append(change)
    }
  }

  /** Rejects with 503 when the disk stays full, so that nobody waits forever. The change itself is not lost. */
  async durable(): Promise<void> {
    const givingUp = new AbortController()
    const refusal = wait(durableWithinMs, undefined, { signal: givingUp.signal }).then(() => {
      throw new ApiError(
        503,
        'api_error',
        'Nothing can be written down at the moment. Please try again later.',
      )
    })
    await Promise.race([this.#journal.durable(), refusal]).finally(() => givingUp.abort())
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  #apply([table, record]: Change): void {
    // `Change` ties each record to its table, but the compiler cannot follow that through the lookup.
    const rows = this.#rows[table] as Map<string, typeof record>
    rows.set(record.id, record)
    if (table !== 'sessions') return
    if (record.status === 'open') this.#open.add(record.id)
    else this.#open.delete(record.id)
  }

  /** Drops answers and events whose lifetime is over, and lists the rest. */
  #snapshot(now: number): Change[] {
    const { answers, events, deliveries } = this.#rows
    for (const { id, createdAt } of answers.values())
      if (createdAt < now - answerLifetimeMs) answers.delete(id)
    for (const { id, createdAt } of events.values()) {
      if (createdAt >= now - eventLifetimeMs) continue
      events.delete(id)
      deliveries.delete(id)
    }
    return [
      ...changesOf('sessions', this.#rows.sessions),
      ...changesOf('payments', this.#rows.payments),
      ...changesOf('refunds', this.#rows.refunds),
      ...changesOf('events', events),
      ...changesOf('deliveries', deliveries),
      ...changesOf('answers', answers),
    ]
  }
}

function changesOf<Name extends TableName>(
  table: Name,
  rows: Map<string, Tables[Name]>,
): [Name, Tables[Name]][] {
  return [...rows.values()].map((record) => [table, record])
}
