import type { Customer } from './customer.ts'
import { callUntilAnswered } from './shop-calls.ts'
import type { World } from './world.ts'

type Confirmed = { data?: { orderId: string; createdAt: string } }

/** Opens the success page this many times at once. */
export async function confirmAll(
  world: World,
  customer: Customer,
  sessionId: string,
  times: number,
): Promise<void> {
  await Promise.all(Array.from({ length: times }, () => confirmOnce(world, customer, sessionId)))
}

/** An order that was confirmed to a customer must be in the database at once, whatever happens next. */
async function requireOrder(world: World, sessionId: string, customer: number): Promise<void> {
  const rows = await world.queryOnce('select 1 from orders where session_id = $1', [sessionId])
  if (rows?.length === 0) world.chronicle.addViolation('A confirmed order is not in the database', customer)
}

async function confirmOnce(world: World, customer: Customer, sessionId: string): Promise<void> {
  const { chronicle } = world
  const { number, plan } = customer
  const wasPaid = customer.paidSessions.has(sessionId)
  const { status, body } = await callUntilAnswered<Confirmed>(
    world,
    { method: 'POST', path: '/api/orders/confirm-payment', body: { session_id: sessionId } },
    number,
  )
  chronicle.note(`confirms: ${status} ${body?.data?.orderId ?? ''}`, number)
  if (status === 200 && body.data) {
    const { orderId, createdAt } = body.data
    if (!customer.confirmedOrders.length) await requireOrder(world, sessionId, number)
    customer.confirmedOrders.push({ sessionId, orderId, createdAt })
    if (plan.getsWrongTotal)
      chronicle.addViolation('An order was made although another amount was reported', number)
    return
  }
  const mayBeRefused =
    (plan.getsWrongTotal && status === 409) || (customer.isOrderDeleted && (status === 410 || status === 404))
  if (wasPaid && status !== 0 && status < 500 && !mayBeRefused) {
    chronicle.addViolation(`A customer who had paid got the status ${status}`, number)
  }
}
