import { useEffect, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { listCountId } from './list-page.tsx'
import { useOverlay } from './overlay.ts'

type DialogButtonProps = {
  label: string
  title: string
  variant?: ComponentProps<typeof Dialog>['variant']
  children: (close: () => void) => ReactNode
}

/** A button in a row of a list, and the dialog that it opens; until then none of a hundred rows has a dialog. */
export function DialogButton({ label, title, variant, children }: DialogButtonProps) {
  const { isOpen, wasOpened, open, close } = useOverlay()
  useFocusAfterRow(wasOpened)
  return (
    <>
      <Button variant="outline" className="px-4" aria-haspopup="dialog" onClick={open}>
        {label}
      </Button>
      {wasOpened && (
        <Dialog isOpen={isOpen} onClose={close} title={title} variant={variant}>
          {children(close)}
        </Dialog>
      )}
    </>
  )
}

/** A row that was changed may leave its list, and the button with it: the focus then moves to the list's count. */
function useFocusAfterRow(wasOpened: boolean) {
  useEffect(() => {
    if (!wasOpened) return
    return () => {
      // After the dialog, which is removed too, has tried to restore the focus.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById(listCountId)?.focus()
      })
    }
  }, [wasOpened])
}
