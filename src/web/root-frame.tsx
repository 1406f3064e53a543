import { useEffect, useRef, useState } from 'react'
import { NavigationType, useLocation, useNavigationType, useRoutes, type Location } from 'react-router'
import { ErrorBoundary } from './error-page.tsx'
import { isPageLoaded, loadPage, routesTo } from './router.tsx'
import { AlertProvider } from './ui/alert.tsx'
import { AnnouncerProvider } from './ui/page-title.tsx'
import { useKeptScroll } from './ui/kept-scroll.ts'
import { ReturnContext, useLaterParts } from './ui/later-parts.ts'
import { FollowContext, useFollowing } from './ui/link.tsx'

/** What every page has, also those outside the layout: alerts, announcements, the place of focus and scroll. */
export function RootFrame() {
  const { location, type } = useShown()
  useKeptScroll(location, type)
  useLaterParts(location)
  useFocusOnNewPage(location)
  const pages = useRoutes(routesTo(location.pathname), location)
  return (
    <ReturnContext value={type === NavigationType.Pop}>
      <FollowContext value={useFollowing(location)}>
        <AnnouncerProvider>
          <AlertProvider>
            <ErrorBoundary place={location.pathname}>{pages}</ErrorBoundary>
          </AlertProvider>
        </AnnouncerProvider>
      </FollowContext>
    </ReturnContext>
  )
}

type Shown = { location: Location; type: NavigationType }

/** Where the address leads, and how one came there; but while the file of a page is still on its way, the page before. */
function useShown(): Shown {
  const asked = { location: useLocation(), type: useNavigationType() }
  const { location } = asked
  const [shown, show] = useState<Shown>(asked)
  const isThere = isPageLoaded(location.pathname)
  if (isThere && shown.location !== location) show(asked)
  useEffect(() => {
    if (isThere) return
    let isAwaited = true
    const arrive = () => {
      if (isAwaited) show({ location, type: asked.type })
    }
    // A file that does not come is an error of the page that needs it.
    loadPage(location.pathname).then(arrive, arrive)
    return () => {
      isAwaited = false
    }
  }, [location, asked.type, isThere])
  return isThere ? asked : shown
}

const openedMeanwhile = '[role=dialog], [aria-expanded=true], details[open]'

/**
 * A new page starts at its `<main id="main">`, or where it says so, not at the link that led to it, which is gone; but
 * not behind a dialog or beside a menu that was opened meanwhile. What the server has said in the document's head holds for the first page only.
 */
function useFocusOnNewPage({ pathname, search }: Location) {
  const last = useRef([pathname, search])
  useEffect(() => {
    const [lastPath, lastSearch] = last.current
    if (lastPath === pathname && lastSearch === search) return
    last.current = [pathname, search]
    for (const tag of document.querySelectorAll('[data-page]')) tag.remove()
    if (lastPath === pathname || document.activeElement?.closest(openedMeanwhile)) return
    const start = document.querySelector('[data-starts-here]') ?? document.getElementById('main')
    if (start instanceof HTMLElement) start.focus({ preventScroll: true })
  }, [pathname, search])
}
