import { eq } from 'drizzle-orm'
import { users } from '#shop/accounts/server/tables.ts'
import { orders } from '#shop/orders/server/tables.ts'
import { submitCard } from '#shop/testing/card-page.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { confirm, openSession, signal } from '#shop/testing/payments.ts'
import type { TestApp } from '#shop/testing/test-app.ts'

type Race = (shop: TestApp, round: number) => Promise<string | undefined>

const callsAtOnce = 20
const isFine = (status: number) => status >= 200 && status < 300

/** A 503 is not an outcome: the caller repeats the request, as the provider does. */
async function untilAnswered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  const answer = await ask()
  return answer.status === 503 ? untilAnswered(ask) : answer
}

/** One paid session, twenty confirmations and twenty webhook events at once: one order, the same for everybody. */
const payment: Race = async (shop) => {
  const product = await makeProduct(shop.database.db)
  const session = await openSession(shop, [{ _id: product.id, quantity: 1 }])
  await submitCard(session.url)
  const each = Array.from({ length: callsAtOnce })
  const [confirmed, signalled] = await Promise.all([
    Promise.all(each.map(() => untilAnswered(() => confirm(shop, session.id)))),
    Promise.all(
      each.map(() => untilAnswered(() => signal(shop, 'checkout.session.completed', { id: session.id }))),
    ),
  ])
  const statuses = new Set([...confirmed, ...signalled].map(({ status }) => status))
  const made = await shop.database.db.select().from(orders).where(eq(orders.sessionId, session.id))
  const distinctReplies = new Set(confirmed.map(({ body }) => JSON.stringify(body.data)))
  return made.length === 1 && distinctReplies.size === 1 && [...statuses].every(isFine)
    ? undefined
    : `${made.length} orders, ${distinctReplies.size} answers, ${[...statuses].join(' ')}`
}

/** The last two admins remove each other, or take each other's role: one is left. */
const lastAdmin: Race = async (shop, round) => {
  const { db } = shop.database
  await db.update(users).set({ role: 'user' })
  const [one, other] = [await makeUser(db, { role: 'admin' }), await makeUser(db, { role: 'admin' })]
  const remove = (whom: typeof one, by: typeof one, isDeleted: boolean) =>
    shop.call({
      url: `/api/auth/users/${whom.user.id}`,
      headers: by.headers,
      ...(isDeleted ? { method: 'DELETE' } : { method: 'PUT', payload: { role: 'user' } }),
    })
  const answers = await Promise.all([
    remove(other, one, round % 3 !== 0),
    remove(one, other, round % 2 === 0),
  ])
  const left = await db.select().from(users).where(eq(users.role, 'admin'))
  const isKnown = answers.every(({ status }) => [200, 401, 403, 409].includes(status))
  return left.length === 1 && isKnown
    ? undefined
    : `${left.length} admins, ${answers.map(({ status }) => status).join(' ')}`
}

/** Two edits of a profile at once: the result is one of them, never a mix. */
const profile: Race = async (shop) => {
  const { user, headers } = await makeUser(shop.database.db)
  const edit = (word: string) =>
    shop.call({
      method: 'PATCH',
      url: `/api/auth/edit-profile/${user.id}`,
      headers,
      payload: { username: word, bio: word, profession: word, profileImage: `https://a.example/${word}` },
    })
  const answers = await Promise.all(['one', 'two'].map(edit))
  const [row] = await shop.database.db.select().from(users).where(eq(users.id, user.id))
  const words = new Set([row?.username, row?.bio, row?.profession, row?.profileImage?.split('/').at(-1)])
  return words.size === 1 && answers.every(({ status }) => status === 200)
    ? undefined
    : `a mix: ${[...words].join(' ')}`
}

export const races = { payment, 'last admin': lastAdmin, profile }
export type RaceName = keyof typeof races

/** Runs this many rounds of one race; returns what went wrong. */
export async function runRace(shop: TestApp, name: RaceName, rounds: number): Promise<string[]> {
  const wrong: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const found = await races[name](shop, round)
    if (found) wrong.push(`${name}, round ${round}: ${found}`)
  }
  return wrong
}
