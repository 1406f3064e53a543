import { catalogueApi } from '#shop/catalogue/web/api.ts'
import { categoryQuery, filtersOf, queryOf } from '#shop/catalogue/web/filters.ts'
import { reviewsApi } from '#shop/reviews/web/api.ts'
import { loadPage } from './router.tsx'
import type { ShopStore } from './store.ts'
import { whenIdle } from './ui/idle.ts'

/** Seconds for which a response counts as fresh; RTK Query caches it for as long. */
const options = { ifOlderThan: 60 }
/** What leads on: to the shop, to a product, to another page of a list, to the products of a filter. */
const prefetchableSelector =
  'a[href="/shop"], main a[href^="/shop/"], button[name="page"], [role="dialog"] label'
/** For how many elements in view something is prefetched at one address, by tag; those pointed at do not count. */
const prefetchLimitsByTag: Record<string, number> = { A: 8, BUTTON: 1, LABEL: 8 }

/**
 * Prefetches what somebody points at, so that it is there when they press. While the browser is idle it also
 * prefetches, one after the other, a few of the things in view, because fingers do not point before they press.
 * The listeners are on the document: its parts know nothing of this.
 *
 * @param pointedAt what somebody pointed at before this was loaded
 */
export function readAhead(store: ShopStore, pointedAt: EventTarget | null): void {
  const readOf = (target: EventTarget | null) => {
    if (target instanceof Element) prefetchForElement(store, target)
  }
  for (const kind of ['pointerover', 'focusin']) {
    document.addEventListener(kind, ({ target }) => readOf(target), { passive: true })
  }
  readOf(pointedAt)
  if (!isSparing()) prefetchElementsInView(store)
}

/** Whether the user wants to save data, or has a connection so slow that prefetching would delay other loading. */
function isSparing(): boolean {
  // Neither all browsers nor the types of TypeScript have it.
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } }
  return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? '')
}

function prefetchElementsInView(store: ShopStore): void {
  const queuedElements = new Set<Element>()
  let address = ''
  let remainingByTag = prefetchLimitsByTag
  let isReading = false

  const prefetchQueuedElements = async () => {
    for (const element of queuedElements) {
      queuedElements.delete(element)
      if (address !== location.href) [address, remainingByTag] = [location.href, { ...prefetchLimitsByTag }]
      const ofKind = remainingByTag[element.tagName] ?? 0
      // Of the pager's buttons only `Next`, and no link to the page that is shown.
      const isAside = isPageButton(element) ? element.innerText !== 'Next' : leadsHere(element)
      if (ofKind === 0 || isAside || !element.isConnected) continue
      remainingByTag[element.tagName] = ofKind - 1
      await untilIdle()
      prefetchForElement(store, element)
      await Promise.all(store.dispatch(catalogueApi.util.getRunningQueriesThunk()))
    }
  }
  const look: IntersectionObserverCallback = (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) queuedElements.add(target)
      else queuedElements.delete(target)
    }
    if (isReading) return
    isReading = true
    void prefetchQueuedElements()
      .catch((error: unknown) => console.error('Could not read ahead', error))
      .finally(() => (isReading = false))
  }
  // The next screenful counts as in view: somebody who scrolls to a button presses it soon.
  const view = new IntersectionObserver(look, { rootMargin: '0px 0px 100%' })
  const watched = new WeakMap<Element, string | null>()
  let isToWatch = false
  const watch = () => {
    isToWatch = false
    for (const element of document.querySelectorAll(prefetchableSelector)) {
      const leadsTo = element.getAttribute('href')
      if (watched.get(element) === leadsTo) continue
      // A link that stays but leads elsewhere now is observed anew.
      view.unobserve(element)
      view.observe(element)
      watched.set(element, leadsTo)
    }
  }
  const watchSoon = () => {
    if (!isToWatch) void untilIdle().then(watch)
    isToWatch = true
  }
  new MutationObserver(watchSoon).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['href'],
  })
  watch()
  // A first press on the cart button would otherwise wait for this.
  untilIdle()
    .then(() => import('#shop/cart/web/cart-panel.tsx'))
    .catch(() => undefined)
}

function untilIdle(): Promise<void> {
  return new Promise<void>((go) => void whenIdle(go))
}

function prefetchForElement(store: ShopStore, element: Element): void {
  if (!navigator.onLine) return
  const link = element.closest('a')
  if (link?.origin === location.origin) prefetchPage(store, link)
  const choice = choiceOf(element)
  if (!choice || location.pathname !== '/shop') return
  const params = new URLSearchParams(location.search)
  params.delete('page')
  params.set(...choice)
  prefetchProductList(store, queryOf(filtersOf(params)))
}

/** Prefetches the file of the page that a link leads to, and the page's first query. */
function prefetchPage(store: ShopStore, link: HTMLAnchorElement): void {
  if (leadsHere(link)) return
  const { pathname, search } = link
  // If it fails, the page reports it when somebody goes there.
  loadPage(pathname).catch(() => undefined)
  const [, product] = /^\/shop\/([^/]+)$/.exec(pathname) ?? []
  const [, category] = /^\/categories\/([^/]+)$/.exec(pathname) ?? []
  if (product) {
    store.dispatch(reviewsApi.util.prefetch('getProduct', decodeURIComponent(product), options))
  } else if (category) {
    prefetchProductList(store, categoryQuery(decodeURIComponent(category)))
  } else if (pathname === '/shop') {
    prefetchProductList(store, queryOf(filtersOf(new URLSearchParams(search))))
  }
}

function prefetchProductList(
  store: ShopStore,
  query: Parameters<typeof catalogueApi.endpoints.listProducts.initiate>[0],
): void {
  store.dispatch(catalogueApi.util.prefetch('listProducts', query, options))
}

function leadsHere(element: Element): boolean {
  return element instanceof HTMLAnchorElement && element.pathname === location.pathname
}

function isPageButton(element: Element): element is HTMLButtonElement {
  return element instanceof HTMLButtonElement && element.name === 'page'
}

/** The name and value that a filter or a pager's button would put into the address. */
function choiceOf(element: Element): [string, string] | undefined {
  const button = element.closest('button')
  if (button && isPageButton(button) && !button.disabled) return ['page', button.value]
  const control = element.closest('label')?.control
  return control instanceof HTMLInputElement && control.type === 'radio'
    ? [control.name, control.value]
    : undefined
}
