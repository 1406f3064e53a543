import pg from 'pg'
import { changeChannel } from './database.ts'

/** On the other two channels the shop's processes ask and answer each other. */
const listenStatement = `listen ${changeChannel}; listen shop_asked; listen shop_heard`
const listenerName = 'haberdash listener'

/** How long after its last proof of hearing a process may go on serving what it has cached. */
export const trustMs = 2000

/** A connection on which PostgreSQL notifies (LISTEN) of every change to what the shop shows. */
export type ChangeListener = {
  /** False once it was silent for too long, or is lost. */
  isTrusted(): boolean
  /** Makes sure that it hears: resolves when every change committed before has been heard, or throws. */
  prove(): Promise<void>
  /** Resolves when every other listener on this database has heard all that this one has, or is no longer trusted. */
  askOthers(): Promise<void>
  close(): void
}

/** @param onChange called for every change */
export async function openChangeListener(
  connection: pg.ClientConfig,
  onChange: () => void,
): Promise<ChangeListener> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5000, query_timeout: trustMs })
  const query = oneByOne(client)
  const questions = trackQuestions(query)
  let trustedUntil = 0
  const close = () => {
    trustedUntil = 0
    questions.giveUp()
    void client.end().catch(() => undefined)
  }
  client.on('error', close)
  client.on('end', close)
  client.on('notification', ({ channel, payload = '', processId }) => {
    if (channel === changeChannel) onChange()
    else if (channel === 'shop_asked') questions.answer(payload)
    else questions.keepAnswer(payload, processId)
  })
  try {
    await client.connect()
    // The name first, so that others who ask find every listener that may already hear.
    await client.query(`set application_name = '${listenerName}'`)
    await client.query(listenStatement)
  } catch (error) {
    close()
    throw error
  }
  const prove = async () => {
    const askedAt = performance.now()
    // The server delivers the notifications that a connection has missed before it answers its next statement.
    await query('select 1')
    trustedUntil = Math.max(trustedUntil, askedAt + trustMs)
  }
  return { prove, close, askOthers: questions.ask, isTrusted: () => performance.now() < trustedUntil }
}

type Row = { pid: number }
type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult<Row>>

/** A connection takes one statement at a time. */
function oneByOne(client: pg.Client): Query {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    const next = last.catch(() => undefined).then(() => client.query<Row>(text, values))
    last = next
    return next
  }
}

type Question = { heardBy: Set<number>; awaited?: number[]; settle(): void }

/**
 * The question 'Have you heard what I have?' arrives in order with the changes: a listener that answers it has heard
 * all changes before it.
 */
function trackQuestions(query: Query) {
  const open = new Map<string, Question>()
  const settleIfAnswered = ({ heardBy, awaited, settle }: Question) => {
    if (awaited?.every((pid) => heardBy.has(pid))) settle()
  }
  return {
    answer(question: string) {
      query("select pg_notify('shop_heard', $1)", [question]).catch(() => undefined)
    },
    keepAnswer(name: string, pid: number) {
      const question = open.get(name)
      question?.heardBy.add(pid)
      if (question) settleIfAnswered(question)
    },
    giveUp() {
      for (const { settle } of open.values()) settle()
    },
    async ask() {
      const name = crypto.randomUUID()
      const { promise, resolve: settle } = Promise.withResolvers<void>()
      const question: Question = { heardBy: new Set(), settle }
      open.set(name, question)
      const timer = setTimeout(settle, trustMs)
      try {
        // With no other listener this is a single query, and nothing is sent.
        const { rows } = await query(
          `select pid, pg_notify('shop_asked', $1) from pg_stat_activity
            where application_name = $2 and datname = current_database() and pid <> pg_backend_pid()`,
          [name, listenerName],
        )
        question.awaited = rows.map(({ pid }) => pid)
        settleIfAnswered(question)
        await promise
        const silent = question.awaited.filter((pid) => !question.heardBy.has(pid))
        // Listeners that did not answer are disconnected, so that nobody waits for them again. A process that still
        // lives connects anew, with an empty cache.
        for (const pid of silent) await query('select pg_terminate_backend($1)', [pid])
      } finally {
        clearTimeout(timer)
        open.delete(name)
      }
    },
  }
}
