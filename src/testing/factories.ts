import { sessions, users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { totalCents } from '#shop/contract/money.ts'
import { checkouts, orderLines, orders, paymentBreaks, type SoldLine } from '#shop/orders/server/tables.ts'
import type { Db } from '#shop/platform/database.ts'
import { hashOf, newId, newToken } from '#shop/platform/ids.ts'

let made = 0

export async function makeProduct(
  db: Db,
  values: Partial<typeof products.$inferInsert> = {},
): Promise<typeof products.$inferSelect> {
  made += 1
  const standard = {
    id: newId(),
    name: `Product ${made}`,
    category: 'casual dress',
    description: 'A thing to wear.',
    priceCents: 2500,
    color: 'blue',
  }
  const rows = await db
    .insert(products)
    .values({ ...standard, ...values })
    .returning()
  return first(rows)
}

/** A user who is signed in; `headers` is what their programs send. */
export async function makeUser(
  db: Db,
  values: Partial<typeof users.$inferInsert> = {},
): Promise<{ user: typeof users.$inferSelect; headers: { authorization: string }; token: string }> {
  made += 1
  const standard = {
    id: newId(),
    username: `user ${made}`,
    email: `user-${made}-${newId()}@example.com`.toLowerCase(),
    passwordHash: '',
  }
  const rows = await db
    .insert(users)
    .values({ ...standard, ...values })
    .returning()
  const user = first(rows)
  const token = newToken()
  await db.insert(sessions).values({ tokenHash: hashOf(token), userId: user.id })
  return { user, token, headers: { authorization: `Bearer ${token}` } }
}

/** Records a payment break, of one cent where a dollar was due. Returns its session's id. */
export async function makeBreak(
  db: Db,
  values: Partial<typeof paymentBreaks.$inferInsert> = {},
): Promise<string> {
  const standard = { sessionId: `cs_test_${newId()}`, reason: 'amount', recorded: '100', reported: '1' }
  const rows = await db
    .insert(paymentBreaks)
    .values({ ...standard, ...values })
    .returning()
  return first(rows).sessionId
}

/** A paid order of these lines, by default of one. */
export async function makeOrder(
  db: Db,
  values: Partial<typeof orders.$inferInsert> = {},
  lines: SoldLine[] = [
    { productId: newId(), name: 'A thing', image: null, priceCents: values.amountCents ?? 2500, quantity: 1 },
  ],
): Promise<typeof orders.$inferSelect> {
  const [id, checkoutId] = [newId(), newId()]
  const common = { amountCents: totalCents(lines), currency: 'usd', userId: values.userId ?? null }
  const checkout = {
    ...common,
    id: checkoutId,
    lines,
    state: 'paid' as const,
    returnTo: '/',
    expiresAt: new Date(),
  }
  await db.insert(checkouts).values(checkout)
  const ids = {
    paymentId: `pi_test${hashOf(id).slice(0, 24)}`,
    sessionId: `cs_test_${hashOf(id)}`,
    checkoutId,
  }
  const rows = await db
    .insert(orders)
    .values({ ...common, ...ids, id, email: 'typed@example.com', ...values })
    .returning()
  const order = first(rows)
  await db
    .insert(orderLines)
    .values(lines.map((line, position) => ({ orderId: order.id, position, ...line })))
  return order
}

function first<T>(rows: T[]): T {
  const row = rows[0]
  if (!row) throw new Error('nothing was inserted')
  return row
}
