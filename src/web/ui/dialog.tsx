import { AlertDialog as BaseAlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { useRoomFromAlerts } from './alert.tsx'
import { iconButtonClass } from './button.tsx'
import { CloseIcon } from './icons.tsx'

/*
 * Base UI weighs as much as a whole page: load what opens a dialog as a `part` when it is first opened.
 * The focus goes back to what had it before.
 */
type DialogProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  /** modal: in the middle. drawer: from the right. sheet: from below, on a phone. */
  variant?: 'modal' | 'drawer' | 'sheet'
  /** Stays at the lower edge while the content scrolls. */
  footer?: ReactNode
  children: ReactNode
}

export function Dialog({ isOpen, onClose, title, variant = 'modal', footer, children }: DialogProps) {
  useRoomFromAlerts(isOpen)
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdrop} />
        <BaseDialog.Popup className={`${popup} ${places[variant]}`}>
          <div className="sticky top-0 z-10 flex items-center justify-between gap-4 rounded-t-[inherit] border-b border-line bg-raised py-2 pl-5 pr-2">
            <BaseDialog.Title className="min-w-0 font-display text-name font-medium">
              {title}
            </BaseDialog.Title>
            <BaseDialog.Close aria-label="Close" className={iconButtonClass}>
              <CloseIcon />
            </BaseDialog.Close>
          </div>
          <div className={`min-h-0 grow scroll-pb-24 overflow-y-auto overscroll-contain px-5 py-5 ${inFull}`}>
            {children}
          </div>
          {footer && <div className="border-t border-line px-5 py-4">{footer}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

type AlertDialogProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  text: ReactNode
  /** Where the focus goes afterwards; true for what had it before. */
  finalFocus?: () => HTMLElement | null | true
  /** The buttons; the first one gets the focus. */
  children: ReactNode
}

/** For what must be answered before anything else: an error, or a question before something is destroyed. */
export function AlertDialog({ isOpen, onClose, title, text, finalFocus, children }: AlertDialogProps) {
  useRoomFromAlerts(isOpen)
  return (
    <BaseAlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseAlertDialog.Portal>
        <BaseAlertDialog.Backdrop className={backdrop} />
        <BaseAlertDialog.Popup finalFocus={finalFocus} className={`${popup} ${places.modal} gap-3 p-6`}>
          <BaseAlertDialog.Title className="font-display text-name font-medium">
            {title}
          </BaseAlertDialog.Title>
          <BaseAlertDialog.Description className="text-body text-muted">{text}</BaseAlertDialog.Description>
          <div className="mt-3 flex flex-wrap justify-end gap-3">{children}</div>
        </BaseAlertDialog.Popup>
      </BaseAlertDialog.Portal>
    </BaseAlertDialog.Root>
  )
}

const backdrop =
  'fixed inset-0 min-h-dvh bg-veil transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0'

// A low window (a phone on its side, a page at 400 %) has no room for a fixed footer: the whole dialog scrolls.
const inFull = '[@media(max-height:32rem)]:shrink-0 [@media(max-height:32rem)]:overflow-visible'

const popup =
  // The transparent border becomes visible in forced colors.
  'fixed flex flex-col border border-transparent bg-raised text-ink wrap-anywhere shadow-lift outline-none transition-[translate,opacity] duration-250 [@media(max-height:32rem)]:overflow-y-auto scroll-pt-20 overscroll-contain'

const places = {
  modal:
    // Centered by equal margins: WebKit blurs what is translated by half of its height.
    'inset-0 m-auto h-fit max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100%-2rem))] rounded-cut data-ending-style:opacity-0 data-starting-style:translate-y-[4%] data-starting-style:opacity-0',
  drawer:
    'inset-y-0 right-0 w-[min(28rem,100%)] data-ending-style:translate-x-full data-starting-style:translate-x-full',
  sheet:
    'inset-x-0 bottom-0 max-h-[85dvh] rounded-t-[0.75rem] pb-[env(safe-area-inset-bottom)] data-ending-style:translate-y-full data-starting-style:translate-y-full',
} as const
