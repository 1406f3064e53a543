import './theme.css'
import { setupListeners } from '@reduxjs/toolkit/query'
import { startTransition, useEffect, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { keepSession } from '#shop/accounts/web/keep-session.ts'
import { keepCart } from '#shop/cart/web/keep-cart.ts'
import { App } from './app.tsx'
import { loadPage } from './router.tsx'
import { makeStore, type SentState } from './store.ts'
import { keepDoubleClicksTogether } from './ui/double-clicks.ts'
import { keepOutOfOldEntries } from './ui/over-page.ts'

// The line is free for what lies further down.
document.documentElement.classList.add('pictured')

/** What the server sent along with the page; nothing where it left the page to the browser. */
const sent = document.getElementById('sent')
const store = makeStore(sent ? { sent: JSON.parse(sent.textContent) as SentState } : {})
// As the server rendered it: nobody is signed in, the cart is empty. What the browser knows comes right after.
const asSent = sent ? store.getState() : undefined
keepSession(store)
keepCart(store)
setupListeners(store.dispatch)
keepDoubleClicksTogether()
keepOutOfOldEntries()

/** What is already there is shown at once (see `RootFrame`): in a transition it would have to wait for its turn. */
function Router({ children }: { children: ReactNode }) {
  // From now on it hears of Back and Forward; until then `start.ts` does.
  useEffect(() => sent?.remove(), [])
  return <BrowserRouter useTransitions={false}>{children}</BrowserRouter>
}

const root = document.getElementById('root')
if (!root) throw new Error('no #root')
const app = <App store={store} asSent={asSent} router={Router} />

/** What was pressed meanwhile was kept by `start.ts`, and is answered first. */
const comeToLife = () => {
  const hydrate = () => void hydrateRoot(root, app)
  const pressed: HTMLElement[] = []
  dispatchEvent(new CustomEvent('come-to-life', { detail: pressed }))
  // In pieces of a few milliseconds, between which a page that is already read can be scrolled and tapped on.
  if (pressed.length === 0) return startTransition(hydrate)
  flushSync(hydrate)
  for (const control of pressed) control.click()
}

// A page whose file does not come says so itself.
if (asSent) void loadPage(location.pathname).then(comeToLife, comeToLife)
else createRoot(root).render(app)

// Not part of the first load: it comes a moment after that, or when somebody begins to point, to scroll or to type.
const firstSigns = ['pointerover', 'scroll', 'keydown']
let isAskedFor = false
/** What somebody pointed at last: they may scroll there, and point before the file has come. */
let pointedAt: EventTarget | null = null
const hear = ({ target }: Event) => {
  if (target !== document) pointedAt = target
  begin()
}
const begin = () => {
  if (isAskedFor) return
  isAskedFor = true
  import('./read-ahead.ts')
    .then(({ readAhead }) => {
      for (const sign of firstSigns) removeEventListener(sign, hear)
      readAhead(store, pointedAt)
    })
    // Without it everything is asked for when it is needed. The next sign tries again.
    .catch(() => (isAskedFor = false))
}
for (const sign of firstSigns) addEventListener(sign, hear)
const beginSoon = () => setTimeout(begin, 1000)
if (document.readyState === 'complete') beginSoon()
else addEventListener('load', beginSoon)
