import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import { ShopError } from '#shop/platform/errors.ts'
import type { Settling } from './settle.ts'
import { isRefusal, isTooFast } from './stripe.ts'

const mostFailuresInARow = 12
const pauseMs = 1000
const mostPauses = 5

/**
 * How long a sweep goes on. When the provider is asked faster than it likes, it is asked again a second later. Many that
 * fail one after the other may each fail for a reason of its own: only when nobody answers anything else either is it over.
 */
export class Patience {
  readonly #parts: Settling
  readonly #isStopped: () => boolean
  #failuresInARow = 0
  #isLost = false
  #looking: Promise<void> | undefined

  constructor(parts: Settling, isStopped: () => boolean) {
    this.#parts = parts
    this.#isStopped = isStopped
  }

  get isOver(): boolean {
    return this.#isLost || this.#isStopped()
  }

  /** Undefined when it was done, otherwise why it was not. */
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
    // Whoever fails meanwhile waits for the same answer.
    this.#looking ??= this.#look()
    await this.#looking
  }

  async #look(): Promise<void> {
    this.#isLost ||= !(await isAnybodyThere(this.#parts))
    this.#failuresInARow = 0
    this.#looking = undefined
  }
}

/** Neither says anything about the one that was asked about, unless it was this one that was refused. */
const isUnanswered = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof ShopError && error.status === 503 && !isRefusal(error))

/** Whether database and provider answer a question about nothing in particular. */
async function isAnybodyThere({ db, provider }: Settling): Promise<boolean> {
  try {
    await db.execute(sql`select 1`)
    await provider.listOpened(new Date())[Symbol.asyncIterator]().next()
    return true
  } catch (error) {
    // Whoever refuses is there.
    return isTooFast(error) || isRefusal(error)
  }
}
