import { useEffect, useRef, useState } from 'react'
import { NavigationType, useLocation, useNavigationType, useRoutes, type Location } from 'react-router'
import { ErrorBoundary } from './error-page.tsx'
import { isPageLoaded, loadPage, routesTo } from './router.tsx'
import { AlertProvider } from './ui/alert.tsx'
import { AnnouncerProvider } from './ui/page-title.tsx'
import { useScrollRestoration } from './ui/scroll-restoration.ts'
import { ReturnContext, useLaterParts } from './ui/later-parts.ts'
import { FollowContext, useFollowing } from './ui/link.tsx'

/** What every page has, also outside the layout: alerts, announcements, and the handling of focus and scroll. */
export function RootFrame() {
  const { location, type } = useShownLocation()
  useScrollRestoration(location, type)
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

type ShownLocation = { location: Location; type: NavigationType }

/** The location to show, and how it was reached: the previous one while the file of the new page is loading. */
function useShownLocation(): ShownLocation {
  const current = { location: useLocation(), type: useNavigationType() }
  const { location } = current
  const [shown, show] = useState<ShownLocation>(current)
  const [first] = useState(location)
  const isThere = isPageLoaded(location.pathname)
  if (isThere && shown.location !== location) show(current)
  useEffect(() => {
    if (isThere) return
    let isAwaited = true
    const arrive = () => {
      if (isAwaited) show({ location, type: current.type })
    }
    const arriveWithoutFile = async () => {
      const isServed = location !== first && (await isServedAt(location))
      // The file is gone after an upgrade of the shop: the server has the page, with files of the new version.
      if (isServed && isAwaited) window.location.reload()
      // The page is shown all the same, and reports it.
      else arrive()
    }
    void loadPage(location.pathname).then(arrive, arriveWithoutFile)
    return () => {
      isAwaited = false
    }
  }, [location, current.type, first, isThere])
  return isThere ? current : shown
}

const giveUpAfterMs = 5000

/** Otherwise a reload would replace the page with one of the browser's own, or with none at all. */
async function isServedAt({ pathname, search }: Location): Promise<boolean> {
  const signal = AbortSignal.timeout(giveUpAfterMs)
  const answer = await fetch(pathname + search, { method: 'HEAD', signal }).catch(() => undefined)
  // 404 is a page, too; other refusals are none.
  return answer !== undefined && (answer.ok || answer.status === 404)
}

const openedMeanwhile = '[role=dialog], [aria-expanded=true], details[open]'

/**
 * Moves the focus to the `<main id="main">` of a new page, or where the page says, because the link that led to it
 * is gone; but not away from a dialog or menu that was opened meanwhile. Also removes the metadata that the server
 * put into the document's head, which holds for the first page only.
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
