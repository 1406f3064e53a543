import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import { ShopError } from '#shop/platform/errors.ts'
import type { SettlementParts } from './settle.ts'
import { isRefusal, isTooFast } from './stripe.ts'

const mostFailuresInARow = 12
const pauseMs = 1000
const mostPauses = 5

/**
 * Decides how long a sweep goes on. At the provider's rate limit, it waits a second and tries again. Many failures
 * in a row may each have a cause of their own: the sweep ends early only if a trivial request fails as well.
 */
export class Patience {
  readonly #parts: SettlementParts
  readonly #isStopped: () => boolean
  #failuresInARow = 0
  #isLost = false
  #reachabilityCheck: Promise<void> | undefined

  constructor(parts: SettlementParts, isStopped: () => boolean) {
    this.#parts = parts
    this.#isStopped = isStopped
  }

  get isOver(): boolean {
    return this.#isLost || this.#isStopped()
  }

  /** Returns undefined on success, otherwise the error. */
  async attempt(act: () => Promise<unknown>): Promise<unknown> {
    for (let pauses = 0; ; pauses += 1) {
      try {
        await act()
        this.#failuresInARow = 0
        return undefined
      } catch (error) {
        if (!isTooFast(error) || pauses === mostPauses || this.isOver) {
          if (isUnanswered(error)) await this.#countFailure()
          return error
        }
        await wait(pauseMs)
      }
    }
  }

  async #countFailure(): Promise<void> {
    this.#failuresInARow += 1
    if (this.#failuresInARow < mostFailuresInARow) return
    // Others that fail meanwhile wait for the same check.
    this.#reachabilityCheck ??= this.#checkReachability()
    await this.#reachabilityCheck
  }

  async #checkReachability(): Promise<void> {
    this.#isLost ||= !(await areServicesReachable(this.#parts))
    this.#failuresInARow = 0
    this.#reachabilityCheck = undefined
  }
}

/** The database or the provider gave no answer: unlike a refusal, that says nothing about the checkout itself. */
const isUnanswered = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof ShopError && error.status === 503 && !isRefusal(error))

/** Whether both database and provider answer a trivial request. */
async function areServicesReachable({ db, provider }: SettlementParts): Promise<boolean> {
  try {
    await db.execute(sql`select 1`)
    await provider.listOpened(new Date())[Symbol.asyncIterator]().next()
    return true
  } catch (error) {
    // A provider that refuses a request is there.
    return isTooFast(error) || isRefusal(error)
  }
}
