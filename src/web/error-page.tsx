import { Component, useEffect, useSyncExternalStore, type ErrorInfo, type ReactNode } from 'react'
import { paths } from './paths.ts'
import { Button, ButtonLink } from './ui/button.tsx'
import { PageTitle } from './ui/page-title.tsx'

type BoundaryProps = {
  /** The address that is shown: once it changes, the error is cleared. */
  place: string
  children: ReactNode
}

/** Shows the error page in place of a page that broke, until another one is opened. */
export class ErrorBoundary extends Component<BoundaryProps, { place: string; isBroken: boolean }> {
  override state = { place: this.props.place, isBroken: false }
  static getDerivedStateFromProps({ place }: BoundaryProps, state: { place: string }) {
    return place === state.place ? null : { place, isBroken: false }
  }
  static getDerivedStateFromError() {
    return { isBroken: true }
  }
  override componentDidCatch(error: unknown, info: ErrorInfo) {
    console.error('A page could not be shown', error, info.componentStack)
  }
  override render() {
    return this.state.isBroken ? <ErrorPage /> : this.props.children
  }
}

function ErrorPage() {
  const isOnline = useOnline()
  useEffect(() => {
    const loadAgain = () => window.location.reload()
    addEventListener('online', loadAgain)
    return () => removeEventListener('online', loadAgain)
  }, [])
  return (
    <div role="alert" className="frame flex flex-col items-start gap-5 py-room">
      <PageTitle title="Something went wrong" />
      <hr className="stitch w-32 [--stitch:var(--color-accent)]" aria-hidden />
      <h1 className="text-title">{isOnline ? 'A seam has come undone' : 'You seem to be offline'}</h1>
      <p className="max-w-prose text-lead text-muted">
        {isOnline
          ? 'This page could not be shown. Your cart is safe. Loading the page again often helps.'
          : 'Your cart is safe, and this page will load by itself when you are back online.'}
      </p>
      <div className="mt-2 flex flex-wrap gap-3">
        {/* Offline, a reload would replace this page with one of the browser's own. */}
        {isOnline && <Button onClick={() => window.location.reload()}>Load again</Button>}
        <ButtonLink to={paths.home} variant="outline">
          Go back home
        </ButtonLink>
      </div>
    </div>
  )
}

const connectionEvents = ['online', 'offline']

function useOnline(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      for (const event of connectionEvents) addEventListener(event, onChange)
      return () => {
        for (const event of connectionEvents) removeEventListener(event, onChange)
      }
    },
    () => navigator.onLine,
    () => true,
  )
}
