import { paths } from '#shop/web/paths.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'
import type { ListAddress } from '#shop/web/ui/list-address.ts'

/** The navigation state that leads from a product's form back to the same page, search and order of the list. */
export const editedFrom = (list: ListAddress) => ({ list: list.hrefWith({ page: list.page }) })

/** The list that the admin came from, or its first page. */
export function listBehind(state: unknown): string {
  const search = isRecord(state) && typeof state.list === 'string' ? new URLSearchParams(state.list) : ''
  return search && search.size > 0
    ? `${paths.dashboard.manageProducts}?${search}`
    : paths.dashboard.manageProducts
}
