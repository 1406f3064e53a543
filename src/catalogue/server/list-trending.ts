import { sql } from 'drizzle-orm'
import { trendingCount } from '#shop/catalogue/choices.ts'
import type { Product } from '#shop/catalogue/contract.ts'
import type { Db } from '#shop/platform/database.ts'
import { queryPrepared } from '#shop/platform/statements.ts'
import { orderBy, sorting } from './matching.ts'
import { listedAsNamed, productReply, type ListedRow } from './store.ts'
import { products, trendingProducts } from './tables.ts'

const most = sql.raw(`${trendingCount}`)

/** The trending products in order of their places, then the newest of all others until there are enough. */
export async function listTrending(db: Db): Promise<Product[]> {
  const newest = orderBy(sorting.newest)
  const rows = await queryPrepared<ListedRow>(
    db,
    'trending products',
    () => sql`
      (
        select ${listedAsNamed}, place from ${trendingProducts}
          join ${products} on ${products.id} = ${trendingProducts.productId} where ${products.deletedAt} is null
      ) union all (
        select ${listedAsNamed}, null from ${products} where ${products.deletedAt} is null
          and ${products.id} not in (select product_id from ${trendingProducts})
        order by ${newest} limit ${most}
      )
      order by place nulls last, "createdAt" desc, id limit ${most}`,
    {},
  )
  return rows.map(productReply)
}
