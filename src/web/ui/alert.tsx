import { createContext, use, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

type Options = {
  /** An error interrupts a screen reader, everything else waits its turn. */
  tone?: 'status' | 'error'
}
type ShowAlert = (text: string, options?: Options) => void
type Shown = { id: number; text: string; tone: 'status' | 'error' }

const AlertContext = createContext<ShowAlert>(() => undefined)
const MakeRoomContext = createContext(() => {})
const shownForMs = 5000

/** Shows one message for some seconds, with exactly this text: `showAlert('Product added successfully!')`. */
export function useAlert(): ShowAlert {
  return use(AlertContext)
}

/** Closes a status message when something opens: the message would cover it, and could not be reached itself. */
export function useRoomFromAlerts(isOpen: boolean): void {
  const makeRoom = use(MakeRoomContext)
  useEffect(() => {
    if (isOpen) makeRoom()
  }, [isOpen, makeRoom])
}

export function AlertProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const lastId = useRef(0)
  const showAlert = useCallback<ShowAlert>((text, { tone = 'status' } = {}) => {
    lastId.current += 1
    setShown({ id: lastId.current, text, tone })
  }, [])
  const close = useCallback(() => setShown(null), [])
  const makeRoom = useCallback(() => setShown((before) => (before?.tone === 'error' ? before : null)), [])
  const region = (tone: Shown['tone'], role: 'status' | 'alert', urgency: 'polite' | 'assertive') => {
    const message = shown?.tone === tone && shown
    return (
      <div role={message ? role : undefined} aria-live={urgency}>
        {message && <Message key={message.id} shown={message} onClose={close} />}
      </div>
    )
  }

  return (
    <AlertContext value={showAlert}>
      {/* Dialogs lie above everything of the page, and messages above dialogs. */}
      <MakeRoomContext value={makeRoom}>
        <div className="isolate">{children}</div>
      </MakeRoomContext>
      {/*
        Both regions always exist: one that is inserted together with its text is often not read out. Only a region
        with a message has a role. On a phone they are at the top, under the bar or a dialog's title, because buttons
        are at the bottom; beside a dashboard they are above its Logout.
      */}
      <div className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex print:hidden justify-center p-4 max-md:top-14 max-md:bottom-auto md:justify-start md:p-6 lg:[:root:has([data-sidebar])_&]:pb-24">
        {region('status', 'status', 'polite')}
        {region('error', 'alert', 'assertive')}
      </div>
    </AlertContext>
  )
}

function Message({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(onClose, shownForMs)
    return () => clearTimeout(timer)
  }, [isHeld, shown, onClose])

  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto in-data-base-ui-inert:pointer-events-none flex max-w-[min(28rem,calc(100vw-2rem))] items-center gap-3 rounded-cut border border-l-4 border-edge border-l-ink in-[[role=alert]]:border-l-accent bg-raised py-1 pl-4 pr-1 text-small text-ink shadow-lift transition-[opacity,translate] starting:translate-y-2 starting:opacity-0"
    >
      <p className="py-2">{shown.text}</p>
      <IconButton aria-label="Dismiss" onClick={onClose} className="ml-auto in-data-base-ui-inert:invisible">
        <CloseIcon />
      </IconButton>
    </div>
  )
}
