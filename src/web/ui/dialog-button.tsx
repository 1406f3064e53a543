import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type DialogButtonProps = {
  label: string
  title: string
  variant?: ComponentProps<typeof Dialog>['variant']
  children: (close: () => void) => ReactNode
}

/** A button in a row of a list, and the dialog that it opens; until then a row of a hundred has no dialog at all. */
export function DialogButton({ label, title, variant, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const open = () => {
    setOpened(true)
    setOpen(true)
  }
  const close = () => setOpen(false)
  return (
    <>
      <Button variant="outline" className="px-4" aria-haspopup="dialog" onClick={open}>
        {label}
      </Button>
      {wasOpened && (
        <Dialog isOpen={isOpen} onClose={close} title={title} {...(variant && { variant })}>
          {children(close)}
        </Dialog>
      )}
    </>
  )
}
