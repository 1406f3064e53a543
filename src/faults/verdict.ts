import pg from 'pg'
import type Stripe from 'stripe'
import type { AgreedLine, Customer } from './customer.ts'
import type { World } from './world.ts'

type OrderRow = {
  id: string
  session_id: string
  payment_id: string
  checkout_id: string
  amount_cents: number
  refunded_cents: number
  currency: string
  created_at: Date
}
type LineRow = { order_id: string; name: string; price_cents: number; quantity: number }

type Books = {
  sessions: Stripe.Checkout.Session[]
  orders: OrderRow[]
  lines: LineRow[]
  breaks: Set<string>
}

/** Both sides as they are now, read without anything that the shop's own comparison uses. */
export async function readBooks(world: World): Promise<Books> {
  const expand = ['data.line_items', 'data.payment_intent.latest_charge']
  return {
    sessions: await Array.fromAsync(world.stripe.checkout.sessions.list({ limit: 100, expand })),
    orders: await world.query<OrderRow>('select * from orders'),
    lines: await world.query<LineRow>('select * from order_lines'),
    breaks: new Set(
      (await world.query<{ session_id: string }>('select session_id from payment_breaks')).map(
        (row) => row.session_id,
      ),
    ),
  }
}

const chargeOf = ({ payment_intent: intent }: Stripe.Checkout.Session) => {
  const charge = typeof intent === 'object' ? intent?.latest_charge : null
  return typeof charge === 'object' ? charge : null
}
const refundOf = (session: Stripe.Checkout.Session) => chargeOf(session)?.amount_refunded ?? 0

/** Whether the proxy reports the session with a wrong amount. */
function hasWrongTotal({ providerProxy }: World, { id }: Stripe.Checkout.Session): boolean {
  const whose = providerProxy.customerOf(id)
  return whose !== undefined && providerProxy.wrongTotalsFor.has(whose)
}

/** Whether a break must still be recorded. It need not once the money has been given back. */
function hasBreakToCome(world: World, session: Stripe.Checkout.Session, { breaks }: Books): boolean {
  return (
    session.payment_status === 'paid' &&
    !breaks.has(session.id) &&
    !chargeOf(session)?.refunded &&
    hasWrongTotal(world, session)
  )
}

/** How much is still to be settled: paid sessions without order or break, and refunds that no order shows yet. */
export function countUnsettled(world: World, books: Books): number {
  const bySession = new Map(books.orders.map((order) => [order.session_id, order]))
  return books.sessions.filter((session) => {
    if (hasWrongTotal(world, session)) return hasBreakToCome(world, session, books)
    if (session.payment_status !== 'paid' || books.breaks.has(session.id)) return false
    const order = bySession.get(session.id)
    return !order || order.refunded_cents !== refundOf(session)
  }).length
}

/** Checks for every session and every order that paid means exactly one order. */
export function judge(world: World, customers: Customer[], books: Books): void {
  const { chronicle } = world
  const ordersBySession = Map.groupBy(books.orders, ({ session_id }) => session_id)
  const linesByOrder = Map.groupBy(books.lines, ({ order_id }) => order_id)
  const known = new Set(books.sessions.map(({ id }) => id))
  const agreed = new Map(customers.flatMap(({ sessions }) => [...sessions]))
  for (const session of books.sessions) {
    const whose = world.providerProxy.customerOf(session.id)
    const addViolation = (what: string) => chronicle.addViolation(`${what} (${session.id})`, whose)
    const found = ordersBySession.get(session.id) ?? []
    const isWrongTotal = hasWrongTotal(world, session)
    if (session.payment_status !== 'paid' || isWrongTotal) {
      if (found.length)
        addViolation(
          isWrongTotal
            ? 'An order was made for another amount'
            : 'There is an order for a session that is not paid',
        )
      if (hasBreakToCome(world, session, books)) addViolation('No break was recorded for another amount')
      continue
    }
    const [order] = found
    if (!order) {
      addViolation('There is no order for a paid session')
      continue
    }
    if (found.length > 1) addViolation(`There are ${found.length} orders for one session`)
    if (books.breaks.has(session.id))
      addViolation('A break was recorded for a payment that is as it should be')
    checkOrder(session, order, linesByOrder.get(order.id) ?? [], agreed.get(session.id), addViolation)
    const takenAt = world.webhookProxy.acknowledged.get(session.id)
    if (takenAt !== undefined && order.created_at.getTime() > takenAt + 100) {
      addViolation('The completion was answered 200 before there was an order')
    }
  }
  for (const order of books.orders) {
    if (!known.has(order.session_id))
      chronicle.addViolation(`Order ${order.id} has no session at the provider`)
  }
  checkCheckouts(world, books.sessions)
  checkConfirmedOrders(world, customers, ordersBySession)
}

function checkOrder(
  session: Stripe.Checkout.Session,
  order: OrderRow,
  lines: LineRow[],
  agreed: AgreedLine[] | undefined,
  report: (what: string) => void,
): void {
  const ordered = textOf(lines.map((line) => ({ ...line, priceCents: line.price_cents })))
  const paid = textOf(
    (session.line_items?.data ?? []).map((line) => ({
      name: line.description ?? '',
      priceCents: line.price?.unit_amount ?? 0,
      quantity: line.quantity ?? 0,
    })),
  )
  const sum = lines.reduce((total, line) => total + line.price_cents * line.quantity, 0)
  const intent = session.payment_intent
  if (order.amount_cents !== session.amount_total)
    report(`The order has ${order.amount_cents} cents, paid were ${session.amount_total}`)
  if (order.currency !== session.currency) report(`The order is in ${order.currency}`)
  if (sum !== order.amount_cents) report(`The order’s lines add up to ${sum} cents of ${order.amount_cents}`)
  if (ordered !== paid) report(`The order has the lines ${ordered}, paid were ${paid}`)
  if (agreed && paid !== textOf(agreed)) report(`Paid were ${paid}, agreed was ${textOf(agreed)}`)
  if (order.payment_id !== (typeof intent === 'object' ? intent?.id : intent))
    report('The order has another payment')
  if (order.checkout_id !== session.metadata?.checkout_id) report('The order has another checkout')
  if (order.refunded_cents !== refundOf(session)) {
    report(`The order has ${order.refunded_cents} cents given back, the provider ${refundOf(session)}`)
  }
}

function textOf(lines: AgreedLine[]): string {
  return lines
    .map(({ name, priceCents, quantity }) => `${quantity} ${name} at ${priceCents}`)
    .sort()
    .join(', ')
}

function checkCheckouts({ chronicle, providerProxy }: World, sessions: Stripe.Checkout.Session[]): void {
  for (const [checkout, twins] of Map.groupBy(sessions, ({ metadata }) => metadata?.checkout_id)) {
    if (twins.length === 1) continue
    const whose = providerProxy.customerOf(twins[0]?.id ?? '')
    chronicle.addViolation(`Checkout ${checkout} has ${twins.length} sessions at the provider`, whose)
  }
}

/** An order that was shown to somebody must stay as it was shown. */
function checkConfirmedOrders(
  { chronicle }: World,
  customers: Customer[],
  orders: Map<string, OrderRow[]>,
): void {
  for (const { confirmedOrders, number } of customers) {
    for (const { sessionId, orderId, createdAt } of confirmedOrders) {
      const order = orders.get(sessionId)?.[0]
      const isSame = order?.payment_id === orderId && order.created_at.toISOString() === createdAt
      if (!isSame) {
        const now = order ? `${order.payment_id} of ${order.created_at.toISOString()}` : 'none'
        chronicle.addViolation(
          `Order ${orderId} of ${createdAt} was confirmed, and now there is ${now}`,
          number,
        )
      }
    }
  }
}

/** The database itself must refuse a second order, so that this depends on no code in any process. */
export async function checkUniqueConstraints(world: World): Promise<void> {
  const [order] = await world.query<Record<string, unknown>>(
    'select payment_id, session_id, checkout_id from orders limit 1',
  )
  for (const [column, value] of Object.entries(order ?? {})) {
    const other = { payment_id: 'other', session_id: 'other', checkout_id: 'other', [column]: value }
    const refusal = await world
      .query(
        `insert into orders (id, amount_cents, currency, payment_id, session_id, checkout_id)
          values ('other', 1, 'usd', $1, $2, $3)`,
        [other.payment_id, other.session_id, other.checkout_id],
      )
      .then(
        () => 'taken',
        (error: unknown) => (error instanceof pg.DatabaseError ? error.code : String(error)),
      )
    // Unique constraints are checked before foreign keys, so no row is ever inserted.
    if (refusal !== '23505')
      world.chronicle.addViolation(`A second order with the same ${column} is not refused`)
  }
}

/** Totals are stored beside the orders and must agree with them. */
export async function checkTotals(world: World): Promise<void> {
  const [sums] = await world.query<{
    earned: string
    orders: string
    stored_earned: string
    stored_orders: string
    listed_orders: string
    halves: string
    unfinished: string
  }>(`
    select
      (select coalesce(sum(amount_cents - refunded_cents), 0) from orders where deleted_at is null) as earned,
      (select count(*) from orders where deleted_at is null) as orders,
      (select coalesce(sum(earned_cents), 0) from order_totals) as stored_earned,
      (select coalesce(sum(orders), 0) from order_totals) as stored_orders,
      (select coalesce(sum(rows), 0) from (select list, rows from list_blocks union all select list, change from list_notes) as each
        where list = 'orders') as listed_orders,
      (select count(*) from orders where not exists (select 1 from order_lines where order_id = orders.id)) as halves,
      (select count(*) from checkouts where state = 'paid' and not exists (select 1 from orders where checkout_id = checkouts.id)) as unfinished`)
  if (!sums) return
  const { earned, stored_earned, orders, stored_orders, listed_orders, halves, unfinished } = sums
  if (earned !== stored_earned || orders !== stored_orders) {
    world.chronicle.addViolation(
      `The totals say ${stored_orders} orders and ${stored_earned} cents, the orders ${orders} and ${earned}`,
    )
  }
  if (orders !== listed_orders) {
    world.chronicle.addViolation(
      `There are ${orders} orders, and the blocks of their list count ${listed_orders}`,
    )
  }
  if (halves !== '0') world.chronicle.addViolation(`${halves} orders have no lines`)
  if (unfinished !== '0')
    world.chronicle.addViolation(`${unfinished} checkouts are called paid and have no order`)
}
