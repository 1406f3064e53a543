import { sql } from 'drizzle-orm'
import type { Db } from '#shop/platform/database.ts'

/** Queries that each count violations of one rule. */
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
  'what changes a count is counted with it': sql`
    select count(*)::int as broken from product_changes`,
  'the blocks of a list count what is in it': sql`
    select count(*)::int as broken from (
      select category, color, min_cents, max_cents, sum(products) as products from product_blocks group by 1, 2, 3, 4
    ) as list
    where products <> (select count(*) from products p where deleted_at is null
      and list.category in ('', p.category) and list.color in ('', p.color)
      and p.price_cents between min_cents and max_cents)`,
  'blocks know the price of each of their products': sql`
    select count(*)::int as broken from (
      select products, prices from product_blocks union all select products, prices from product_name_blocks
      union all select products, prices from product_rating_blocks
    ) as block where cardinality(prices) <> products or prices[1] < 0`,
  'the names in blocks are those of the products': sql`
    select abs((select coalesce(sum(products), 0) from product_name_blocks where min_cents = 0 and max_cents = 99999999
        and category = '' and color = '')
      - (select count(*) from products where deleted_at is null))::int as broken`,
  'the stars are those of the reviews': sql`
    select count(*)::int as broken from (select product_id, rating, count(*) as reviews from reviews group by 1, 2) as really
      full join (select * from review_stars where reviews <> 0) as counted using (product_id, rating)
    where really.reviews is distinct from counted.reviews`,
  'every word of a product is known': sql`
    select count(*)::int as broken from products cross join lateral unnest(words_of(search_text)) as each
    where deleted_at is null and each <> '' and each not in (select word from product_words)`,
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

/** The rules that the shop's data breaks; empty when all is well. */
export async function brokenInvariants(db: Db): Promise<string[]> {
  const broken: string[] = []
  for (const [what, statement] of Object.entries(invariants)) {
    const { rows } = await db.execute<{ broken: number }>(statement)
    if (rows[0]?.broken !== 0) broken.push(what)
  }
  return broken
}
