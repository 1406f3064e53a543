import { sql } from 'drizzle-orm'
import { users } from '#shop/accounts/server/tables.ts'
import { categories, colors } from '#shop/catalogue/choices.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { totalCents } from '#shop/contract/money.ts'
import { checkouts, orderLines, orders, type SoldLine } from '#shop/orders/server/tables.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import type { Db } from '#shop/platform/database.ts'
import { hashOf, newId } from '#shop/platform/ids.ts'

export type Amounts = { products: number; orders: number; users: number }

/** Rows of one statement: PostgreSQL takes 65,535 values at most. */
const batch = 2000
const things = ['Shirt', 'Blazer', 'Trousers', 'Sweater', 'Belt', 'Polo', 'Coat', 'Scarf', 'Socks', 'Cap']
const cloths = ['Linen', 'Wool', 'Cotton', 'Flannel', 'Tweed', 'Cashmere', 'Corduroy']

/** Adds so many products, users and orders to a shop, to see how it does at that size. Nobody can sign in as one of the users. */
export async function fillShop(db: Db, amounts: Amounts, say: (line: string) => void): Promise<void> {
  const pictures = await picturesOf(db)
  await inBatches('products', amounts.products, say, async (from, to) => {
    await db.insert(products).values(range(from, to).map((n) => productRow(n, pictures)))
  })
  const userIds = await addUsers(db, amounts.users, say)
  const goods = await goodsOf(db)
  await inBatches('orders', goods.length > 0 ? amounts.orders : 0, say, (from, to) =>
    insertOrders(
      db,
      range(from, to).map((n) => orderOf(n, goods, userIds)),
    ),
  )
  await db.execute(sql`analyze`)
}

async function picturesOf(db: Db): Promise<(string | null)[]> {
  const rows = await db.selectDistinct({ image: products.image }).from(products).limit(100)
  return rows.map(({ image }) => image)
}

/** Older than a demo's products, which stay in front. */
function productRow(n: number, pictures: readonly (string | null)[]): typeof products.$inferInsert {
  const color = pick(colors, n)
  const name = `${color[0]?.toUpperCase()}${color.slice(1)} ${pick(cloths, n * 3)} ${pick(things, n * 7)} ${n + 1}`
  const priceCents = 900 + ((n * 7919) % 39_000)
  return {
    id: newId(),
    name,
    category: pick(categories, n),
    color,
    description: `${name}: made to see how the shop does with many of its kind.`,
    priceCents,
    oldPriceCents: n % 9 === 0 ? priceCents + 1500 : null,
    image: pictures.length > 0 ? pick(pictures, n) : null,
    createdAt: daysAgo(600 + (n % 400) + n / 100_000),
  }
}

async function addUsers(db: Db, amount: number, say: (line: string) => void): Promise<string[]> {
  const ids: string[] = []
  await inBatches('users', amount, say, async (from, to) => {
    const rows = range(from, to).map((n) => {
      const id = newId()
      const email = `shopper-${n + 1}-${hashOf(id).slice(0, 8)}@example.com`
      return { id, email, username: `Shopper ${n + 1}`, passwordHash: '', createdAt: daysAgo(n % 700) }
    })
    await db.insert(users).values(rows)
    ids.push(...rows.map(({ id }) => id))
  })
  return ids
}

type Good = Omit<SoldLine, 'quantity'>

function goodsOf(db: Db): Promise<Good[]> {
  const { id: productId, name, image, priceCents } = products
  return db.select({ productId, name, image, priceCents }).from(products).limit(10_000)
}

type Filled = {
  checkout: typeof checkouts.$inferInsert
  order: typeof orders.$inferInsert
  lines: SoldLine[]
}

/** Over the last two years, every fourth by a guest; the older, the further it has come. */
function orderOf(n: number, goods: readonly Good[], userIds: readonly string[]): Filled {
  const lines = range(0, 1 + (n % 3)).map((line) => ({
    ...pick(goods, n * 7919 + line * 104_729),
    quantity: 1 + ((n + line) % 2),
  }))
  const days = ((n * 31) % 730) + (n % 1000) / 1000
  const userId = userIds.length === 0 || n % 4 === 0 ? null : pick(userIds, n)
  const [id, checkoutId, createdAt] = [newId(), newId(), daysAgo(days)]
  const common = { userId, currency: 'usd', amountCents: totalCents(lines), createdAt }
  const sessionId = `cs_test_fill${hashOf(checkoutId)}`
  return {
    checkout: {
      ...common,
      id: checkoutId,
      lines,
      state: 'paid',
      returnTo: '/',
      expiresAt: createdAt,
      sessionId,
    },
    order: {
      ...common,
      id,
      checkoutId,
      sessionId,
      paymentId: `pi_fill${hashOf(id).slice(0, 24)}`,
      email: `shopper-${n % 10_000}@example.com`,
      status: statusAfter(days),
      updatedAt: createdAt,
    },
    lines,
  }
}

async function insertOrders(db: Db, filled: readonly Filled[]): Promise<void> {
  await db.insert(checkouts).values(filled.map(({ checkout }) => checkout))
  await db.insert(orders).values(filled.map(({ order }) => order))
  const lines = filled.flatMap(({ order, lines: sold }) =>
    sold.map((line, position) => ({ orderId: order.id, position, ...line })),
  )
  await db.insert(orderLines).values(lines)
}

function statusAfter(days: number): OrderStatus {
  if (days < 2) return 'pending'
  if (days < 5) return 'processing'
  return days < 14 ? 'shipped' : 'completed'
}

async function inBatches(
  what: string,
  amount: number,
  say: (line: string) => void,
  insert: (from: number, to: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < amount; from += batch) {
    const to = Math.min(amount, from + batch)
    await insert(from, to)
    if (to === amount || to % 20_000 === 0) say(`${to} ${what}`)
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

function pick<T>(values: readonly T[], n: number): T {
  const value = values[n % values.length]
  if (value === undefined) throw new Error('There is nothing to pick from.')
  return value
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000)
}
