import { asc, gt, inArray, or } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'
import {
  compareSession,
  isForeign,
  withoutSession,
  type ComparedOrder,
  type Difference,
  type ShopSide,
} from './compare-session.ts'
import { isDemoOrder } from './demo-orders.ts'
import { settle, type SettlementParts } from './settle.ts'
import { checkouts, orderLines, orders, paymentBreaks } from './tables.ts'
import type { ListedSession } from './stripe-mapping.ts'

type Report = {
  sessions: number
  paidSessions: number
  /** Without a reference of ours: they belong to another shop on the same account. */
  foreignSessions: number
  orders: number
  demoOrders: number
  differences: Difference[]
  repaired: Difference[]
}

const sessionsPerBatch = 100

/**
 * Compares all of the provider's sessions with all orders, in both directions. What differs is compared once more
 * at the end, since an open shop goes on selling meanwhile.
 */
export async function reconcile(parts: SettlementParts, options: { repairs: boolean }): Promise<Report> {
  const report: Report = {
    sessions: 0,
    paidSessions: 0,
    foreignSessions: 0,
    orders: 0,
    demoOrders: 0,
    differences: [],
    repaired: [],
  }
  const seen = new Set<string>()
  const suspicious = new Set<string>()
  for await (const sessions of batchesOf(parts.provider.listSessions(), sessionsPerBatch)) {
    for (const [session, shop] of await withShopSide(parts.db, sessions)) {
      seen.add(session.id)
      report.sessions += 1
      if (session.payment !== 'unpaid') report.paidSessions += 1
      if (isForeign(session, shop)) report.foreignSessions += 1
      if (compareSession(session, shop).length > 0) suspicious.add(session.id)
    }
  }
  for await (const order of allOrders(parts.db)) {
    report.orders += 1
    if (isDemoOrder(order)) report.demoOrders += 1
    else if (!seen.has(order.sessionId)) suspicious.add(order.sessionId)
  }
  for (const sessionId of suspicious) await compareAgain(parts, sessionId, options.repairs, report)
  return report
}

async function compareAgain(
  parts: SettlementParts,
  sessionId: string,
  repairs: boolean,
  report: Report,
): Promise<void> {
  const first = await differencesOf(parts, sessionId)
  if (!repairs || !first.some(({ isRepairable }) => isRepairable)) {
    report.differences.push(...first)
    return
  }
  await settle(parts, sessionId)
  const left = await differencesOf(parts, sessionId)
  report.differences.push(...left)
  report.repaired.push(...first.filter(({ kind }) => !left.some((each) => each.kind === kind)))
}

async function differencesOf({ db, provider }: SettlementParts, sessionId: string): Promise<Difference[]> {
  const session = await provider.findListedSession(sessionId)
  if (session) {
    return (await withShopSide(db, [session])).flatMap(([each, shop]) => compareSession(each, shop))
  }
  return (await ordersOf(db, [sessionId])).map(withoutSession)
}

async function withShopSide(db: Db, sessions: ListedSession[]): Promise<[ListedSession, ShopSide][]> {
  const ids = sessions.map(({ id }) => id)
  const references = sessions.flatMap(({ checkoutId }) => checkoutId ?? [])
  const [found, known, breaks] = await Promise.all([
    ordersOf(db, ids),
    db
      .select({ id: checkouts.id, sessionId: checkouts.sessionId })
      .from(checkouts)
      .where(or(inArray(checkouts.id, references), inArray(checkouts.sessionId, ids))),
    db
      .select({ sessionId: paymentBreaks.sessionId, closedAt: paymentBreaks.closedAt })
      .from(paymentBreaks)
      .where(inArray(paymentBreaks.sessionId, ids)),
  ])
  return sessions.map((session) => [
    session,
    {
      orders: found.filter(({ sessionId }) => sessionId === session.id),
      checkout: known.find(({ id, sessionId }) => id === session.checkoutId || sessionId === session.id),
      paymentBreak: breaks.find(({ sessionId }) => sessionId === session.id),
    },
  ])
}

/** Includes deleted orders: their money was paid. */
async function ordersOf(db: Db, sessionIds: string[]): Promise<ComparedOrder[]> {
  const rows = await db.select().from(orders).where(inArray(orders.sessionId, sessionIds))
  const lines = await db
    .select()
    .from(orderLines)
    .where(
      inArray(
        orderLines.orderId,
        rows.map(({ id }) => id),
      ),
    )
  return rows.map((row) => ({ ...row, lines: lines.filter(({ orderId }) => orderId === row.id) }))
}

async function* allOrders(db: Db): AsyncGenerator<{ id: string; sessionId: string; paymentId: string }> {
  const columns = { id: orders.id, sessionId: orders.sessionId, paymentId: orders.paymentId }
  let last = ''
  for (;;) {
    const rows = await db
      .select(columns)
      .from(orders)
      .where(gt(orders.id, last))
      .orderBy(asc(orders.id))
      .limit(1000)
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = end.id
  }
}

async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length) yield batch
}

function leftOf(count: number): string {
  if (count === 0) return 'Nothing differs.'
  return count === 1 ? '1 difference is left.' : `${count} differences are left.`
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/** The report as lines to print. */
export function describeReport(report: Report): string[] {
  const { sessions, paidSessions, foreignSessions, orders: all, demoOrders, differences, repaired } = report
  return [
    `${counted(sessions, 'session')} at the provider (${paidSessions} paid), ${counted(all, 'order')} in the shop.`,
    ...(demoOrders ? [`Left out: ${counted(demoOrders, 'demo order')} without a session.`] : []),
    ...(foreignSessions
      ? [`Left out: ${counted(foreignSessions, 'session')} without a reference to this shop.`]
      : []),
    ...repaired.map(
      ({ kind, sessionId, description }) => `repaired: ${kind}  ${sessionId}\n  ${description}`,
    ),
    ...differences.map(
      ({ kind, sessionId, description, todo }) => `${kind}  ${sessionId}\n  ${description}\n  ${todo}`,
    ),
    leftOf(differences.length),
  ]
}
