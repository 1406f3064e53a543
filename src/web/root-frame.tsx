import { Suspense, useEffect, useRef } from 'react'
import { useLocation, useRoutes } from 'react-router'
import { ErrorBoundary } from './error-page.tsx'
import { routes } from './router.tsx'
import { AlertProvider } from './ui/alert.tsx'
import { AnnouncerProvider } from './ui/page-title.tsx'
import { useKeptScroll } from './ui/kept-scroll.ts'

/** What every page has, also those outside the layout: alerts, announcements, the place of focus and scroll. */
export function RootFrame() {
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

/** A new page starts at its `<main id="main">`, not at the link that led to it, which is gone. */
function useFocusOnNewPage() {
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [pathname])
}
