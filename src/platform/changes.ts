import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Database } from './database.ts'
import { openChangeListener, trustMs, type ChangeListener } from './change-listener.ts'
import { safeMethods } from './http/same-origin.ts'
import type { Db } from './statements.ts'

/** What a process knows of changes to what everybody may see: products, reviews, and who wrote them. */
export type Changes = {
  /**
   * A number that grows with every change, whoever made it. What was read while it was the same may be served
   * again; undefined means that changes are not known right now, so that everything must be read anew.
   */
  current(): number | undefined
  /** Resolves once every other process of the shop knows of what this one had committed before the call. */
  confirmPropagation(): Promise<void>
  stop(): Promise<void>
}

const changesByDb = new WeakMap<Db, Changes>()

/** The `current` number of this database; undefined too where nobody watches it. */
export const versionOf = (db: Db): number | undefined => changesByDb.get(db)?.current()

const proofEveryMs = 500
const pauseMs = 250

/**
 * Hears of this process's changes together with their commit, and of all others on a connection for that alone.
 * While that is lost or silent nothing is known, and the next connection begins with a new number.
 */
export function watchChanges({ db, connection, ownChanges }: Database, log: (line: string) => void): Changes {
  const stopping = new AbortController()
  const { signal } = stopping
  let listener: ChangeListener | undefined
  let version = 0
  let propagatedVersion = 0
  const change = () => void (version += 1)
  ownChanges.on('change', change)

  async function listen(): Promise<void> {
    let isKnown = true
    while (!signal.aborted) {
      try {
        listener = await openChangeListener(connection, change)
        change()
        if (!isKnown) log('The database reports changes again: answers are cached as before')
        isKnown = true
        await keepProving(listener, signal)
      } catch (error) {
        if (isKnown && !signal.aborted)
          log(
            `The database does not report changes, so answers are not cached until it does: ${String(error)}`,
          )
        isKnown = false
      }
      listener?.close()
      listener = undefined
      await pause(pauseMs, signal)
    }
  }
  const running = listen()

  const changes: Changes = {
    current: () => (listener?.isTrusted() ? version : undefined),
    async confirmPropagation() {
      const reached = version
      if (reached === propagatedVersion) return
      await askOthers(() => listener, signal)
      propagatedVersion = reached
    },
    async stop() {
      stopping.abort()
      ownChanges.off('change', change)
      listener?.close()
      await running
    },
  }
  changesByDb.set(db, changes)
  return changes
}

/** Holds the response to a request that may have changed something until every process knows of it. */
export function answerAfterPropagation(app: FastifyInstance, changes: Changes): void {
  app.addHook('onSend', async ({ method, routeOptions }) => {
    const { access } = routeOptions.config
    if (!safeMethods.has(method) && access !== undefined && access !== 'signed')
      await changes.confirmPropagation()
  })
}

/**
 * Without a listener it cannot ask, so it tries again. After `trustMs` each other process has proved that it hears,
 * or has stopped trusting its cache.
 */
async function askOthers(
  currentListener: () => ChangeListener | undefined,
  signal: AbortSignal,
): Promise<void> {
  const givesUpAt = performance.now() + trustMs
  while (performance.now() < givesUpAt && !signal.aborted) {
    const hasAsked = await currentListener()
      ?.askOthers()
      .then(
        () => true,
        () => false,
      )
    if (hasAsked) return
    await pause(pauseMs / 10, signal)
  }
}

async function keepProving(listener: ChangeListener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await listener.prove()
    await pause(proofEveryMs, signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined)
}
