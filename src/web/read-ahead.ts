import { catalogueApi } from '#shop/catalogue/web/api.ts'
import { categoryQuery, filtersOf, queryOf } from '#shop/catalogue/web/filters.ts'
import { reviewsApi } from '#shop/reviews/web/api.ts'
import { loadPage } from './router.tsx'
import type { ShopStore } from './store.ts'
import { whenIdle } from './ui/idle.ts'

/** Seconds for which what was read counts as new; RTK Query keeps it as long. */
const options = { ifOlderThan: 60 }
/** What leads on: to the shop, to a product, to the next page, to the products of a filter. */
const leadingOn = 'a[href="/shop"], main a[href^="/shop/"], button[name="page"], [role="dialog"] label'
/** So many are read of one address because they are in view; whatever somebody points at is read besides. */
const mostOfAddress: Record<string, number> = { A: 8, BUTTON: 1, LABEL: 8 }

/**
 * Reads what somebody points at, so that it is there when they press, and, one after the other while there is nothing
 * else to do, a few of the things in view: fingers do not point before they press. One listener for the whole
 * document: its parts know nothing of it.
 *
 * @param pointedAt what somebody has pointed at before this was there
 */
export function readAhead(store: ShopStore, pointedAt: EventTarget | null): void {
  const readOf = (target: EventTarget | null) => {
    if (target instanceof Element) readFor(store, target)
  }
  for (const kind of ['pointerover', 'focusin']) {
    document.addEventListener(kind, ({ target }) => readOf(target), { passive: true })
  }
  readOf(pointedAt)
  if (!isSparing()) readWhatIsSeen(store)
}

/** Who has asked for little data, or has a line on which any of it is late. */
function isSparing(): boolean {
  // Not every browser has it, nor TypeScript.
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } }
  return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? '')
}

function readWhatIsSeen(store: ShopStore): void {
  const seen = new Set<Element>()
  let address = ''
  let left = mostOfAddress
  let isReading = false

  const readSeen = async () => {
    for (const element of seen) {
      seen.delete(element)
      if (address !== location.href) [address, left] = [location.href, { ...mostOfAddress }]
      const ofKind = left[element.tagName] ?? 0
      // One page of all, and that is the next; and nothing that is already here.
      const isAside = isPageButton(element) ? element.innerText !== 'Next' : leadsHere(element)
      if (ofKind === 0 || isAside || !element.isConnected) continue
      left[element.tagName] = ofKind - 1
      await untilIdle()
      readFor(store, element)
      await Promise.all(store.dispatch(catalogueApi.util.getRunningQueriesThunk()))
    }
  }
  const look: IntersectionObserverCallback = (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target)
      else seen.delete(target)
    }
    if (isReading) return
    isReading = true
    void readSeen()
      .catch((error: unknown) => console.error('Could not read ahead', error))
      .finally(() => (isReading = false))
  }
  // What comes into view with the next scroll counts as seen: whoever scrolls to a button presses it soon.
  const view = new IntersectionObserver(look, { rootMargin: '0px 0px 100%' })
  const watched = new WeakMap<Element, string | null>()
  let isToWatch = false
  const watch = () => {
    isToWatch = false
    for (const element of document.querySelectorAll(leadingOn)) {
      const leadsTo = element.getAttribute('href')
      if (watched.get(element) === leadsTo) continue
      // A link that stays and leads elsewhere now counts as another one.
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
  // What a first press would otherwise wait for.
  untilIdle()
    .then(() => import('#shop/cart/web/cart-panel.tsx'))
    .catch(() => undefined)
}

function untilIdle(): Promise<void> {
  return new Promise<void>((go) => void whenIdle(go))
}

function readFor(store: ShopStore, element: Element): void {
  if (!navigator.onLine) return
  const link = element.closest('a')
  if (link?.origin === location.origin) readPage(store, link)
  const choice = choiceOf(element)
  if (!choice || location.pathname !== '/shop') return
  const params = new URLSearchParams(location.search)
  params.delete('page')
  params.set(...choice)
  readList(store, queryOf(filtersOf(params)))
}

/** The file of the page that a link leads to, and what it will ask first. */
function readPage(store: ShopStore, link: HTMLAnchorElement): void {
  if (leadsHere(link)) return
  const { pathname, search } = link
  // Whoever goes there is told if it does not come.
  loadPage(pathname).catch(() => undefined)
  const [, product] = /^\/shop\/([^/]+)$/.exec(pathname) ?? []
  const [, category] = /^\/categories\/([^/]+)$/.exec(pathname) ?? []
  if (product) {
    store.dispatch(reviewsApi.util.prefetch('getProduct', decodeURIComponent(product), options))
  } else if (category) {
    readList(store, categoryQuery(decodeURIComponent(category)))
  } else if (pathname === '/shop') {
    readList(store, queryOf(filtersOf(new URLSearchParams(search))))
  }
}

function readList(
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

/** The name and value that a filter or a button of the pages would put into the address. */
function choiceOf(element: Element): [string, string] | undefined {
  const button = element.closest('button')
  if (button && isPageButton(button) && !button.disabled) return ['page', button.value]
  const control = element.closest('label')?.control
  return control instanceof HTMLInputElement && control.type === 'radio'
    ? [control.name, control.value]
    : undefined
}
