import { sql, type SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PoolConfig } from 'pg'
import { categories, colors } from '#shop/catalogue/choices.ts'
import { recountProducts } from '#shop/catalogue/server/recount-products.ts'
import { changeChannel, openDatabase, type Database } from '#shop/platform/database.ts'
import { withoutBounds } from '#shop/platform/session-settings.ts'
import { foldLists } from '#shop/platform/fold-lists.ts'
import { transaction } from '#shop/platform/statements.ts'

export type Amounts = { products: number; orders: number; users: number }

/** Rows per statement: large enough to be fast, small enough to show progress. */
const batch = 50_000
const things = ['Shirt', 'Blazer', 'Trousers', 'Sweater', 'Belt', 'Polo', 'Coat', 'Scarf', 'Socks', 'Cap']
const cloths = ['Linen', 'Wool', 'Cotton', 'Flannel', 'Tweed', 'Cashmere', 'Corduroy']

/**
 * Adds this many products, users and orders to a shop, to see how it performs at that size. Nobody can sign in as
 * one of these users.
 */
export async function fillShop(
  connection: PoolConfig,
  amounts: Amounts,
  say: (line: string) => void,
): Promise<void> {
  // Its statements take longer than anything the shop does.
  const database = openDatabase({ ...withoutBounds(connection), max: 1 }, say)
  await fill(database, amounts, say).finally(() => database.close())
}

async function fill(
  { db, connection }: Database,
  amounts: Amounts,
  say: (line: string) => void,
): Promise<void> {
  if (amounts.products > 0) await fillProducts(db, amounts.products, say)
  await inBatches('users', amounts.users, say, (rows) => db.execute(addUsers(rows)))
  await inBatches('orders', amounts.orders, say, (rows) =>
    transaction(db, async (tx) => {
      // Numbers the products once. The table is dropped at the end of the transaction.
      await tx.execute(sql`create temporary table fill_goods on commit drop as
        select row_number() over () - 1 as n, id, name, image, price_cents from products
        where deleted_at is null limit 10000`)
      await tx.execute(addOrders(rows))
    }),
  )
  // The shop and the database would do both by themselves, but not at once.
  await foldLists(connection)
  await db.execute(sql`vacuum analyze`)
}

/** Counts once at the end what triggers would count row by row, and notifies every process once. */
async function fillProducts(db: NodePgDatabase, amount: number, say: (line: string) => void): Promise<void> {
  await transaction(db, async (tx) => {
    await tx.execute(sql`alter table products disable trigger user`)
    await inBatches('products', amount, say, (rows) => tx.execute(addProducts(rows)))
    await recountProducts(tx)
    await tx.execute(sql`alter table products enable trigger user`)
    await tx.execute(sql`select pg_notify(${changeChannel}, '')`)
  })
}

const list = (values: readonly string[]) => sql`${sql.param(values)}::text[]`
/** The element of a list that a number selects. */
const pick = (values: readonly string[], n: SQL) => sql`(${list(values)})[1 + (${n}) % ${values.length}]`
const randomIdSql = sql`replace(gen_random_uuid()::text, '-', '')`

/**
 * The products' times follow each other, as in a real shop, and are older than those of a demo's products, which
 * stay in front. Every color is combined with every cloth and every thing.
 */
function addProducts(rows: SQL): SQL {
  return sql`
    with pictures as (select array_agg(distinct image) as images from (select image from products limit 500) as first_ones),
    earlier as (select count(*) as products from products),
    made as (
      select n, ${pick(colors, sql`n`)} as color,
        initcap(${pick(colors, sql`n`)}) || ' ' || ${pick(cloths, sql`n / 7`)} || ' ' || ${pick(things, sql`n / 49`)}
          || ' ' || n + 1 as name,
        900 + (n::bigint * 7919 % 39000)::int as price
      from ${rows} as n
    )
    insert into products (id, name, category, color, description, price_cents, old_price_cents, image, created_at)
    select ${randomIdSql}, name, ${pick(categories, sql`n`)}, color,
      name || ': made to see how the shop does with many of its kind.',
      price, case when n % 9 = 0 then price + 1500 end,
      images[1 + n % coalesce(array_length(images, 1), 1)],
      -- Within four hundred days, however many there are.
      now() - interval '600 days' - interval '400 days' / (1 + (earlier.products + n - min(n) over ()) / 1000000.0)
    from made cross join pictures cross join earlier`
}

function addUsers(rows: SQL): SQL {
  return sql`
    insert into users (id, email, username, password_hash, created_at)
    select id, 'shopper-' || n + 1 || '-' || left(id, 8) || '@example.com', 'Shopper ' || n + 1, '',
      now() - make_interval(days => n % 700)
    from (select n, ${randomIdSql} as id from ${rows} as n) as made`
}

/**
 * Fills checkouts, orders and order lines in one statement, so that they fit together. Their ids are like a
 * demo's. The orders are of the last two years, and every fourth is a guest's. The older an order, the later its
 * status.
 */
function addOrders(rows: SQL): SQL {
  const days = sql`((n * 31) % 730 + (n % 1000) / 1000.0)`
  return sql`
    with people as (select id, row_number() over () - 1 as n from (select id from users limit 10000) as first_ones),
    sizes as (select (select count(*) from people) as people, (select count(*) from fill_goods) as goods),
    made as (
      select n, ${randomIdSql} as id, ${randomIdSql} as checkout_id, now() - ${days} * interval '1 day' as created_at,
        case when ${days} < 2 then 'pending' when ${days} < 5 then 'processing' when ${days} < 14 then 'shipped'
          else 'completed' end as status
      from ${rows} as n where exists (select from fill_goods)
    ),
    sold as (
      select made.id as order_id, position, goods.id as product_id, goods.name, goods.image, goods.price_cents,
        1 + (made.n + position) % 2 as quantity
      from made cross join sizes cross join lateral generate_series(0, made.n % 3) as position
        join fill_goods as goods on goods.n = (made.n * 7919::bigint + position * 104729) % sizes.goods
    ),
    priced as (
      select made.*, people.id as user_id, amount_cents, lines
      from made cross join sizes
        left join people on made.n % 4 <> 0 and people.n = made.n % nullif(sizes.people, 0)
        join (select order_id, sum(price_cents * quantity) as amount_cents,
            jsonb_agg(jsonb_build_object('productId', product_id, 'name', name, 'image', image,
              'priceCents', price_cents, 'quantity', quantity) order by position) as lines
          from sold group by order_id) as totals on totals.order_id = made.id
    ),
    checked as (
      insert into checkouts (id, user_id, lines, amount_cents, currency, state, return_to, expires_at, session_id, created_at)
      select checkout_id, user_id, lines, amount_cents, 'usd', 'paid', '/', created_at, 'cs_test_demo' || checkout_id, created_at
      from priced returning id
    ),
    ordered as (
      insert into orders (id, payment_id, session_id, checkout_id, user_id, email, status, amount_cents, currency, created_at, updated_at)
      select priced.id, 'pi_demo' || left(priced.id, 20), 'cs_test_demo' || checkout_id, checkout_id, user_id,
        'shopper-' || n % 10000 || '@example.com', status, amount_cents, 'usd', created_at, created_at
      from priced join checked on checked.id = checkout_id returning id
    )
    insert into order_lines (order_id, position, product_id, name, image, price_cents, quantity)
    select order_id, position, product_id, name, image, price_cents, quantity
    from sold join ordered on ordered.id = order_id`
}

async function inBatches(
  what: string,
  amount: number,
  say: (line: string) => void,
  insert: (rows: SQL) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < amount; from += batch) {
    const to = Math.min(amount, from + batch)
    await insert(sql`generate_series(${from}::int, ${to - 1}::int)`)
    if (to === amount || to % 100_000 === 0) say(`${to} ${what}`)
  }
}
