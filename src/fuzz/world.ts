import { sql } from 'drizzle-orm'
import { hashPassword } from '#shop/accounts/server/passwords.ts'
import { sessions } from '#shop/accounts/server/tables.ts'
import { categories, colors } from '#shop/catalogue/choices.ts'
import { hashOf, newId } from '#shop/platform/ids.ts'
import { picture } from '#shop/safety/calls.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import type { TestApp } from '#shop/testing/test-app.ts'
import type { Known } from './values.ts'

export type Role = 'anonymous' | 'user' | 'other' | 'admin'
export type Person = Awaited<ReturnType<typeof makeUser>>
export type World = {
  shop: TestApp
  people: Record<Exclude<Role, 'anonymous'>, Person>
  known: Record<string, unknown[]> & Known
}

const password = 'plum-teapot-9'

/** A small shop with three people who stay; whatever else there is may be changed and deleted. */
export async function fillWorld(shop: TestApp): Promise<World> {
  const { db } = shop.database
  const passwordHash = await hashPassword(password)
  const person = (role: 'user' | 'admin') => makeUser(db, { role, passwordHash })
  const people = { user: await person('user'), other: await person('user'), admin: await person('admin') }
  const products = await Promise.all(Array.from({ length: 12 }, () => makeProduct(db)))
  const order = await makeOrder(db, { userId: people.user.user.id })
  const ids = products.map(({ id }) => id)
  const emails = Object.values(people).map(({ user }) => user.email)
  return {
    shop,
    people,
    known: {
      _id: ids,
      productId: ids,
      // Of products and of orders: which is meant, the address says.
      id: [...ids, order.id, order.paymentId, ...Object.values(people).map(({ user }) => user.id)],
      userId: Object.values(people).map(({ user }) => user.id),
      email: [...emails, 'new@example.com', 'b@example.org'],
      password: [password, 'another-teapot-9'],
      currentPassword: [password, 'another-teapot-9'],
      newPassword: [password, 'another-teapot-9', 'password1'],
      username: ['Ann', '<b>Bob</b>'],
      profileImage: ['https://pictures.example/a.png', '/uploads/a.webp', 'javascript:alert(1)'],
      bio: ['I wear hats.'],
      profession: ['Hatter'],
      name: ['Hat', 'Coat'],
      price: [1, 19.99, 999_999.99, 0.01, 0.001, -1],
      session_id: [`cs_test_${'a'.repeat(58)}`],
      payment_intent: [order.paymentId],
      // Of the provider's signals.
      type: ['checkout.session.completed', 'checkout.session.expired', 'charge.refunded', 'customer.created'],
      returnTo: ['/shop', '//evil.example', 'https://evil.example'],
      'idempotency-key': ['a-key-of-mine', 'another-key'],
      'if-match': ['*', `"${order.updatedAt.toISOString()}"`],
      category: [...categories, 'jewellery', 'all', 'hats'],
      color: [...colors, 'all'],
      // Of products, which have an address, and of uploads, which are the picture itself.
      image: [
        picture,
        'https://pictures.example/a.png',
        '/uploads/a.webp',
        'data:image/png;base64,iVBORw0KGgo=',
        'data:text/html;base64,PGI+',
        null,
      ],
      views: ['https://pictures.example/b.png'],
    },
  }
}

/** After logging out, or setting a password; the same token again, so that nobody has to be told. */
export async function signInAgain({ shop }: World, { user, token }: Person): Promise<void> {
  await shop.database.db
    .insert(sessions)
    .values({ tokenHash: hashOf(token), userId: user.id })
    .onConflictDoNothing()
}

/** The first stay, and of what came since the newest: they are the most interesting. */
export function keep(list: unknown[] | undefined, value: unknown): void {
  if (!list || value === undefined) return
  list.push(value)
  if (list.length > 40) list.splice(20, 10)
}

/** What others may do to a user is done to such as these. */
export async function newVictim({ shop, known }: World): Promise<string> {
  const { user } = await makeUser(shop.database.db, { username: `Victim ${newId()}` })
  keep(known.email, user.email)
  return user.id
}

/** Statements that each count what must not be. */
const invariants = {
  'a product’s rating is the mean of its reviews': sql`
    select count(*)::int as broken from products p where abs(p.rating -
      coalesce((select avg(rating)::float8 from reviews where product_id = p.id), 0)) > 0.01`,
  'an order costs what its lines cost': sql`
    select count(*)::int as broken from orders o where o.amount_cents <>
      (select sum(price_cents * quantity) from order_lines where order_id = o.id)`,
  'an order is of one paid checkout, and costs the same': sql`
    select count(*)::int as broken from orders o left join checkouts c on c.id = o.checkout_id
      where c.id is null or c.state <> 'paid' or c.amount_cents <> o.amount_cents`,
  'a paid checkout has its order': sql`
    select count(*)::int as broken from checkouts c where c.state = 'paid'
      and not exists (select from orders where checkout_id = c.id)`,
  'the totals are the sums of the orders': sql`
    select (coalesce((select sum(earned_cents) from order_totals), 0) <> coalesce((select sum(amount_cents - refunded_cents)
      from orders where deleted_at is null), 0))::int as broken`,
  'the counts are the numbers of rows': sql`
    select count(*)::int as broken from (
      select 'users' as name, count(*) as rows from users
      union all select 'reviews', count(*) from reviews) as really
    where rows <> (select coalesce(sum(c.rows), 0) from row_counts c where c.name = really.name)`,
  'the blocks of a long list and what is noted count what is in it': sql`
    select count(*)::int as broken from (select list, kind, count(*) as rows from listed_rows group by 1, 2) as really
      full join (
        select list, kind, sum(rows) as rows
        from (select list, kind, rows from list_blocks union all select list, kind, change from list_notes) as each
        group by 1, 2 having sum(rows) <> 0
      ) as counted using (list, kind)
    where really.rows is distinct from counted.rows`,
  'the products of each kind and price are counted rightly': sql`
    select count(*)::int as broken from (
      select either.category, either.color, level, price_cents / (100 ^ level)::int as node, count(*) as products
        from products p cross join generate_series(0, 4) as level
          cross join lateral (values (p.category, p.color), ('', '')) as either(category, color)
        where deleted_at is null group by 1, 2, 3, 4) as really
      full join (select * from product_counts where products <> 0) as counted using (category, color, level, node)
    where really.products is distinct from counted.products`,
  'the blocks of a list count what is in it': sql`
    select count(*)::int as broken from (
      select category, color, min_cents, max_cents, sum(products) as products from product_blocks group by 1, 2, 3, 4
    ) as list
    where products <> (select count(*) from products p where deleted_at is null
      and list.category in ('', p.category) and list.color in ('', p.color)
      and p.price_cents between min_cents and max_cents)`,
  'a refund is between nothing and everything': sql`
    select count(*)::int as broken from orders where refunded_cents not between 0 and amount_cents`,
  'one review by each user of each product': sql`
    select (count(*) - count(distinct (user_id, product_id)))::int as broken from reviews where user_id is not null`,
  'every order has lines': sql`
    select count(*)::int as broken from orders o where not exists (select from order_lines where order_id = o.id)`,
  'somebody is an admin': sql`select (not exists (select from users where role = 'admin'))::int as broken`,
  'no price is out of bounds': sql`
    select count(*)::int as broken from products where price_cents not between 1 and 99999999`,
  'an address is one account': sql`
    select (count(*) - count(distinct lower(email)))::int as broken from users`,
}

export async function brokenInvariants(shop: TestApp): Promise<string[]> {
  const broken: string[] = []
  for (const [what, statement] of Object.entries(invariants)) {
    const { rows } = await shop.database.db.execute<{ broken: number }>(statement)
    if (rows[0]?.broken !== 0) broken.push(what)
  }
  return broken
}
