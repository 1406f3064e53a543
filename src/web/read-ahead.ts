import { catalogueApi } from '#shop/catalogue/web/api.ts'
import { filtersOf, queryOf } from '#shop/catalogue/web/filters.ts'
import { reviewsApi } from '#shop/reviews/web/api.ts'
import type { ShopStore } from './store.ts'

/** As many as a page of the shop shows. */
const pageSize = 8
/** Seconds for which what was read counts as new; RTK Query keeps it as long. */
const options = { ifOlderThan: 60 }

/**
 * Reads what somebody points at, so that it is there when they press: a product with its page, the shop's next page, a
 * filter. One listener for the whole document: its parts know nothing of it.
 *
 * @param first what made somebody load this
 */
export function readAhead(store: ShopStore, first: Event): void {
  const listen = ({ target }: Event) => {
    if (target instanceof Element) readFor(store, target)
  }
  for (const kind of ['pointerover', 'focusin']) document.addEventListener(kind, listen, { passive: true })
  listen(first)
}

function readFor(store: ShopStore, element: Element): void {
  const link = element.closest('a')
  const product = link?.origin === location.origin && /^\/shop\/([^/]+)$/.exec(link.pathname)?.[1]
  if (product) {
    void import('./pages/product-page.tsx')
    store.dispatch(reviewsApi.util.prefetch('getProduct', decodeURIComponent(product), options))
  }
  const choice = choiceOf(element)
  if (!choice || location.pathname !== '/shop') return
  const params = new URLSearchParams(location.search)
  params.delete('page')
  params.set(...choice)
  store.dispatch(catalogueApi.util.prefetch('listProducts', queryOf(filtersOf(params), pageSize), options))
}

/** The name and value that a filter or a button of the pages would put into the address. */
function choiceOf(element: Element): [string, string] | undefined {
  const button = element.closest('button')
  if (button?.name === 'page' && !button.disabled) return ['page', button.value]
  const control = element.closest('label')?.control
  return control instanceof HTMLInputElement && control.type === 'radio'
    ? [control.name, control.value]
    : undefined
}
