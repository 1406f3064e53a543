import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { hashPassword } from '#shop/accounts/server/passwords.ts'
import { users } from '#shop/accounts/server/tables.ts'
import { trendingCount } from '#shop/catalogue/choices.ts'
import { products, trendingProducts } from '#shop/catalogue/server/tables.ts'
import { centsFromDollars, totalCents } from '#shop/contract/money.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { demoIds } from '#shop/orders/server/demo-orders.ts'
import { checkouts, orderLines, orders, type SoldLine } from '#shop/orders/server/tables.ts'
import { demoCustomer } from '#shop/platform/config.ts'
import type { Db } from '#shop/platform/database.ts'
import { newId } from '#shop/platform/ids.ts'
import { locks } from '#shop/platform/locks.ts'
import { StartError } from '#shop/platform/start-error.ts'
import { reviews } from '#shop/reviews/server/tables.ts'
import { hashOfPicture } from '#shop/uploads/server/pictures.ts'
import type { Storage } from '#shop/uploads/server/storage.ts'
import { transaction } from '#shop/platform/statements.ts'

const folder = resolve(import.meta.dirname, '../demo')

const DemoProduct = z.object({
  slug: z.string(),
  name: z.string(),
  category: z.string(),
  color: z.string(),
  price: z.number(),
  oldPrice: z.number().nullable(),
  description: z.string(),
})
const Person = z.object({ username: z.string(), email: z.string(), bio: z.string(), profession: z.string() })
const People = z.object({ people: z.array(Person), customer: Person, admin: Person })
const DemoReview = z.object({
  slug: z.string(),
  person: z.string(),
  rating: z.number(),
  comment: z.string(),
  daysAgo: z.number(),
})
const DemoOrder = z.object({
  person: z.string().optional(),
  daysAgo: z.number(),
  status: z.enum(orderStatuses),
  lines: z.array(z.object({ slug: z.string(), quantity: z.number() })),
})
const DemoOrders = z.object({ customer: z.array(DemoOrder), others: z.array(DemoOrder) })

/**
 * Fills an empty database with the demo's catalogue, people, reviews and orders, all or nothing; leaves any other
 * database alone.
 *
 * @param db best without time limits: a busy machine may take a minute for one of its statements
 */
export async function fillDemo(
  db: NodePgDatabase,
  admin: { email: string; password: string },
  storage: Storage,
): Promise<void> {
  if (!(await isEmpty(db))) return
  const [catalogue, pictures] = await readCatalogue(storage)
  const people = await readJson('people.json', People)
  if ([people.customer, ...people.people].some(({ email }) => email === admin.email)) {
    throw new StartError(`ADMIN_EMAIL ${admin.email} belongs to one of the demo's customers: set another one`)
  }
  const passwords = await Promise.all([admin.password, demoCustomer.password].map(hashPassword))
  await transaction(db, async (tx) => {
    // Waits for another process that has begun with the same empty database.
    await tx.execute(sql`select pg_advisory_xact_lock(${locks.demo})`)
    if (!(await isEmpty(tx))) return
    const userIds = await insertPeople(tx, people, { admin: admin.email, hashes: passwords })
    const productIds = await insertCatalogue(tx, catalogue, pictures, userIds.get('admin') ?? '')
    await insertReviews(tx, await readJson('reviews.json', z.array(DemoReview)), productIds, userIds)
    await insertOrders(
      tx,
      await readJson('orders.json', DemoOrders),
      catalogue,
      pictures,
      productIds,
      userIds,
    )
  })
}

async function isEmpty(db: Db): Promise<boolean> {
  const [anyone, anything] = await Promise.all([
    db.select({ id: users.id }).from(users).limit(1),
    db.select({ id: products.id }).from(products).limit(1),
  ])
  return anyone.length === 0 && anything.length === 0
}

async function readJson<T extends z.ZodType>(file: string, shape: T): Promise<z.output<T>> {
  return shape.parse(JSON.parse(await readFile(join(folder, file), 'utf8')))
}

type Catalogue = z.output<typeof DemoProduct>[]
type BySlug = Map<string, string>

/** Each product's picture and its further views, by slug. */
type Pictures = Map<string, string[]>

/** The demo's products, newest first, as the shop shows them. */
async function readCatalogue(storage: Storage): Promise<[Catalogue, Pictures]> {
  const files = ['formal-dress', 'casual-dress', 'sports-dress', 'grooming']
  const all = await Promise.all(files.map((file) => readJson(`catalogue/${file}.json`, z.array(DemoProduct))))
  const order = await readJson('order.json', z.array(z.string()))
  const catalogue = all.flat().sort((a, b) => order.indexOf(a.slug) - order.indexOf(b.slug))
  const pictures: Pictures = new Map()
  for (const { slug } of catalogue) {
    const files = [slug, `${slug}-2`, `${slug}-3`].map((name) => join(folder, 'pictures', `${name}.webp`))
    const addresses: string[] = []
    for (const file of files)
      if (existsSync(file)) addresses.push(await storeMaster(storage, await readFile(file)))
    pictures.set(slug, addresses)
  }
  return [catalogue, pictures]
}

/** Stored as it is: the picture is our own, and encoding all of them again would delay the first start. */
async function storeMaster(storage: Storage, bytes: Buffer): Promise<string> {
  const name = `${hashOfPicture(bytes)}.webp`
  await storage.save(name, bytes)
  return `/uploads/${name}`
}

async function insertPeople(
  tx: Db,
  { people, customer, admin }: z.output<typeof People>,
  accounts: { admin: string; hashes: string[] },
): Promise<BySlug> {
  const [adminHash = '', customerHash = ''] = accounts.hashes
  const made = (days: number, passwordHash = '') => ({
    id: newId(),
    passwordHash,
    createdAt: dateDaysAgo(days),
  })
  // Reviewers have no valid password hash, so nobody can sign in as one.
  const rows = people.map((person) => ({ ...person, ...made(600) }))
  const adminRow = { ...admin, ...made(700, adminHash), email: accounts.admin }
  const customerRow = { ...customer, ...made(650, customerHash) }
  await tx.insert(users).values([{ ...adminRow, role: 'admin' as const }, customerRow, ...rows])
  const ids = new Map(rows.map(({ username, id }) => [username, id]))
  return ids.set('admin', adminRow.id).set('customer', customerRow.id).set(customer.username, customerRow.id)
}

async function insertCatalogue(
  tx: Db,
  catalogue: Catalogue,
  pictures: Pictures,
  authorId: string,
): Promise<BySlug> {
  const rows = catalogue.map((product, index) => ({
    id: newId(),
    name: product.name,
    category: product.category,
    description: product.description,
    color: product.color,
    priceCents: centsFromDollars(product.price),
    oldPriceCents: product.oldPrice === null ? null : centsFromDollars(product.oldPrice),
    image: pictures.get(product.slug)?.[0] ?? null,
    views: pictures.get(product.slug)?.slice(1),
    authorId,
    // Old enough that no review and no order is older than its product.
    createdAt: dateDaysAgo(45 + 5 * index),
  }))
  await tx.insert(products).values(rows)
  // These stay on the home page, whatever is added later.
  const first = rows.slice(0, trendingCount)
  await tx.insert(trendingProducts).values(first.map(({ id }, place) => ({ productId: id, place })))
  return new Map(catalogue.map(({ slug }, index) => [slug, rows[index]?.id ?? '']))
}

async function insertReviews(
  tx: Db,
  all: z.output<typeof DemoReview>[],
  productIds: BySlug,
  userIds: BySlug,
): Promise<void> {
  const rows = all.flatMap(({ slug, person, rating, comment, daysAgo }) => {
    const productId = productIds.get(slug)
    const userId = userIds.get(person)
    return productId && userId
      ? [{ id: newId(), productId, userId, rating, comment, createdAt: dateDaysAgo(daysAgo) }]
      : []
  })
  await tx.insert(reviews).values(rows)
  await tx.execute(sql`
    update products set rating = mean.rating
    from (select product_id, avg(rating)::float8 as rating from reviews group by product_id) as mean
    where mean.product_id = products.id`)
}

async function insertOrders(
  tx: Db,
  all: z.output<typeof DemoOrders>,
  catalogue: Catalogue,
  pictures: Pictures,
  productIds: BySlug,
  userIds: BySlug,
): Promise<void> {
  for (const { person, daysAgo, status, lines } of [...all.customer, ...all.others]) {
    const sold: SoldLine[] = lines.flatMap(({ slug, quantity }) => {
      const product = catalogue.find((each) => each.slug === slug)
      if (!product) return []
      const priceCents = centsFromDollars(product.price)
      const { name } = product
      return [
        {
          productId: productIds.get(slug) ?? '',
          name,
          image: pictures.get(slug)?.[0] ?? null,
          priceCents,
          quantity,
        },
      ]
    })
    const userId = userIds.get(person ?? 'customer')
    const amountCents = totalCents(sold)
    const [checkoutId, orderId, createdAt] = [newId(), newId(), dateDaysAgo(daysAgo)]
    const common = { userId, amountCents, currency: 'usd', createdAt }
    const { sessionId, paymentId } = demoIds(checkoutId, orderId)
    await tx.insert(checkouts).values({
      ...common,
      id: checkoutId,
      lines: sold,
      state: 'paid',
      returnTo: '/',
      expiresAt: createdAt,
      sessionId,
    })
    const updatedAt = createdAt
    const email = sql`(select ${users.email} from ${users} where ${users.id} = ${userId ?? null})`
    await tx
      .insert(orders)
      .values({ ...common, id: orderId, paymentId, sessionId, checkoutId, status, updatedAt, email })
    await tx.insert(orderLines).values(sold.map((line, position) => ({ orderId, position, ...line })))
  }
}

function dateDaysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000)
}
