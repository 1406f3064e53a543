import { Suspense, useEffect, useRef } from 'react'
import { useLocation, useRoutes } from 'react-router'
import { ErrorBoundary } from './error-page.tsx'
import { routes } from './router.tsx'
import { AlertProvider } from './ui/alert.tsx'
import { AnnouncerProvider } from './ui/page-title.tsx'
import { useKeptScroll, useScreenEffect } from './ui/kept-scroll.ts'

/** What every page has, also those outside the layout: alerts, announcements, the place of focus and scroll. */
export function RootFrame() {
  // Before the scroll: the page is as long as it is only then.
  useScreenEffect(() => document.documentElement.classList.add('alive'), [])
  useKeptScroll()
  useFocusOnNewPage()
  return (
    <AnnouncerProvider>
      <AlertProvider>
        <ErrorBoundary>
          <Suspense>{useRoutes(routes)}</Suspense>
        </ErrorBoundary>
      </AlertProvider>
    </AnnouncerProvider>
  )
}

/**
 * A new page starts at its `<main id="main">`, not at the link that led to it, which is gone. What the server has
 * said in the document's head holds for the first page only.
 */
function useFocusOnNewPage() {
  const { pathname, search } = useLocation()
  const last = useRef([pathname, search])
  useEffect(() => {
    const [lastPath, lastSearch] = last.current
    if (lastPath === pathname && lastSearch === search) return
    last.current = [pathname, search]
    for (const tag of document.querySelectorAll('[data-page]')) tag.remove()
    if (lastPath !== pathname) document.getElementById('main')?.focus({ preventScroll: true })
  }, [pathname, search])
}
