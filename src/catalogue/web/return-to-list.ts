import { paths } from '#shop/web/paths.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import type { ListAddress } from '#shop/web/ui/list-address.ts'

/** The navigation state of a link to a product's form, which leads back to the same page, search and order. */
export const returnToList = (list: ListAddress) => ({ list: list.hrefWith({ page: list.page }) })

/** The list that the admin came from, or its first page. */
export function listToReturnTo(state: unknown): string {
  const query = new URLSearchParams(isRecord(state) && typeof state.list === 'string' ? state.list : '')
  return query.size > 0 ? `${paths.dashboard.manageProducts}?${query}` : paths.dashboard.manageProducts
}
