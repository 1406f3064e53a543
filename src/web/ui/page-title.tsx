import { createContext, use, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'

const AnnounceContext = createContext<(title: string) => void>(() => undefined)

/** Sets the document's title. A page that follows another one is announced by its title, once that is known. */
export function PageTitle({ title }: { title: string }) {
  const full = `${title} · Haberdash`
  const announce = use(AnnounceContext)
  useEffect(() => announce(full), [announce, full])
  return <title>{full}</title>
}

export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [announced, setAnnounced] = useState('')
  const current = useRef<string | null>(null)
  const announce = useCallback((title: string) => {
    // The screen reader itself reads the first page.
    if (current.current !== null && current.current !== title) setAnnounced(title)
    current.current = title
  }, [])
  return (
    <AnnounceContext value={announce}>
      {children}
      <div aria-live="polite" className="sr-only">
        {announced}
      </div>
    </AnnounceContext>
  )
}
