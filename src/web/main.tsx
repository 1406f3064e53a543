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
import { dropStraySecondClicks } from './ui/double-clicks.ts'
import { skipStaleOverlayEntries } from './ui/overlay.ts'

// The scripts are loaded: the connection is free for pictures further down.
document.documentElement.classList.add('pictured')

/** The state that the server sent with the page; null where it leaves the rendering to the browser. */
const sent = document.getElementById('sent')
const store = makeStore(sent ? { sent: JSON.parse(sent.textContent) as SentState } : {})
// The server renders for a signed-out visitor with an empty cart. What the browser knows is added right below.
const asSent = sent ? store.getState() : undefined
keepSession(store)
keepCart(store)
setupListeners(store.dispatch)
dropStraySecondClicks()
skipStaleOverlayEntries()

/** Without transitions: a page that is loaded is shown at once (see `RootFrame`), not after other rendering. */
function Router({ children }: { children: ReactNode }) {
  // From now on the router handles Back and Forward; until then `start.ts` does.
  useEffect(() => sent?.remove(), [])
  return <BrowserRouter useTransitions={false}>{children}</BrowserRouter>
}

const root = document.getElementById('root')
if (!root) throw new Error('no #root')
const app = <App store={store} asSent={asSent} router={Router} />

/** Hydrates the page, at once if `start.ts` has kept presses, which are then repeated. */
const hydrateAndReplayPresses = () => {
  const hydrate = () => void hydrateRoot(root, app)
  const pressed: HTMLElement[] = []
  dispatchEvent(new CustomEvent('come-to-life', { detail: pressed }))
  // In slices of a few milliseconds, between which the page can be scrolled and tapped.
  if (pressed.length === 0) return startTransition(hydrate)
  flushSync(hydrate)
  for (const control of pressed) control.click()
}

// If the file of the page fails to load, the page itself reports it.
if (asSent) void loadPage(location.pathname).then(hydrateAndReplayPresses, hydrateAndReplayPresses)
else createRoot(root).render(app)

// `read-ahead` is loaded a moment after the page, or when somebody begins to point, to scroll or to type.
const firstSigns = ['pointerover', 'scroll', 'keydown']
let isAskedFor = false
/** What somebody pointed at last, before `read-ahead` was loaded. */
let pointedAt: EventTarget | null = null
const onFirstInteraction = ({ target }: Event) => {
  if (target !== document) pointedAt = target
  loadReadAhead()
}
const loadReadAhead = () => {
  if (isAskedFor) return
  isAskedFor = true
  import('./read-ahead.ts')
    .then(({ readAhead }) => {
      for (const sign of firstSigns) removeEventListener(sign, onFirstInteraction)
      readAhead(store, pointedAt)
    })
    // Without it, everything is loaded when it is needed. The next of these events tries again.
    .catch(() => (isAskedFor = false))
}
for (const sign of firstSigns) addEventListener(sign, onFirstInteraction)
const loadReadAheadSoon = () => setTimeout(loadReadAhead, 1000)
if (document.readyState === 'complete') loadReadAheadSoon()
else addEventListener('load', loadReadAheadSoon)
