import { sql } from 'drizzle-orm'
import { countOfProducts } from '#shop/catalogue/server/store.ts'
import { dollarsFromCents } from '#shop/contract/money.ts'
import { orderLines, orders, orderTotals } from '#shop/orders/server/tables.ts'
import { onlyRow, type Db } from '#shop/platform/database.ts'
import { countOfRows } from '#shop/platform/row-counts.ts'
import { reviews } from '#shop/reviews/server/tables.ts'
import type { AdminStats, UserStats } from '#shop/stats/contract.ts'

// Sums of cents are whole numbers far below 2^53: as float8 they are exact, and arrive as numbers and not as text.

/** Reads everything by this customer's index entries, even while the planner has no statistics of a table. */
export async function userStats(db: Db, userId: string): Promise<UserStats> {
  const { rows } = await db.execute<{ cents: number; reviews: number; products: number }>(sql`
    with theirs as (
      select ${orders.id}, ${orders.deletedAt}, ${orders.amountCents} - ${orders.refundedCents} as cents
      from ${orders} where ${orders.userId} = ${userId}
    )
    select
      (select coalesce(sum(cents), 0)::float8 from theirs where deleted_at is null) as cents,
      (select count(*)::float8 from ${reviews} where ${reviews.userId} = ${userId}) as reviews,
      (select count(distinct product_id)::float8
        from theirs cross join lateral (
          select ${orderLines.productId} from ${orderLines} where ${orderLines.orderId} = theirs.id offset 0
        ) as lines where deleted_at is null) as products`)
  const { cents, reviews: totalReviews, products } = onlyRow(rows)
  return { totalPayments: dollarsFromCents(cents), totalReviews, totalPurchadedProducts: products }
}

/** All in one query, from stored totals: the number of orders does not matter. */
export async function adminStats(db: Db): Promise<AdminStats> {
  const { rows } = await db.execute<
    Record<'earned' | 'orders' | 'users' | 'products' | 'reviews', number> & {
      monthly: number[]
    }
  >(sql`
    select
      (select coalesce(sum(${orderTotals.earnedCents}), 0)::float8 from ${orderTotals}) as earned,
      (select coalesce(sum(${orderTotals.orders}), 0)::float8 from ${orderTotals}) as orders,
      ${countOfRows('users')} as users, ${countOfProducts} as products, ${countOfRows('reviews')} as reviews,
      array(
        select coalesce(sum(${orderTotals.earnedCents}), 0)::float8
        from generate_series(1, 12) as this(month)
        left join ${orderTotals}
          on ${orderTotals.month} = make_date(extract(year from now() at time zone 'UTC')::int, this.month, 1)
        group by this.month order by this.month
      ) as monthly`)
  const { earned, monthly, ...counts } = onlyRow(rows)
  return {
    totalEarnings: dollarsFromCents(earned),
    totalOrders: counts.orders,
    totalUsers: counts.users,
    totalProducts: counts.products,
    totalReviews: counts.reviews,
    monthlyEarnings: monthly.map((cents, index) => ({ month: index + 1, earnings: dollarsFromCents(cents) })),
  }
}
