import { Outlet, useLocation } from 'react-router'
import { ErrorBoundary } from './error-page.tsx'
import { Footer } from './footer.tsx'
import { TopBar } from './top-bar.tsx'

/** The dashboards have no footer: nobody who works there is looking for the shop's address. */
export function Layout({ hasFooter = true }: { hasFooter?: boolean }) {
  const { pathname } = useLocation()
  return (
    <>
      <a
        href="#main"
        className="absolute left-4 top-2 z-50 -translate-y-24 rounded-cut bg-action px-5 py-3 font-semibold text-on-action focus:translate-y-0"
      >
        Skip to content
      </a>
      <TopBar />
      {/* Only the server renders this, so that the text is no part of the script. */}
      <noscript>
        {import.meta.env.SSR && (
          <p className="frame py-2 text-small text-muted">
            The cart, writing reviews and your account need JavaScript. Everything else works without it.
          </p>
        )}
      </noscript>
      <main id="main" tabIndex={-1} className="min-h-[70dvh]">
        {/* The key keeps the state of one product's page out of that of another. */}
        <ErrorBoundary key={pathname} place={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
      {hasFooter && <Footer />}
    </>
  )
}
