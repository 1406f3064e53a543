import { createContext, use, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'

const AnnounceContext = createContext<(title: string) => void>(() => undefined)

/** The document's title. A page that follows another one is announced by it, once its title is known. */
export function PageTitle({ title }: { title: string }) {
  const full = `${title} · Haberdash`
  const announce = use(AnnounceContext)
  useEffect(() => announce(full), [announce, full])
  return <title>{full}</title>
}

export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState('')
  const current = useRef<string | null>(null)
  const announce = useCallback((title: string) => {
    // The first page is read by the screen reader itself.
    if (current.current !== null && current.current !== title) setSaid(title)
    current.current = title
  }, [])
  return (
    <AnnounceContext value={announce}>
      {children}
      <div aria-live="polite" className="sr-only">
        {said}
      </div>
    </AnnounceContext>
  )
}
