import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import { AlertDialog } from './dialog.tsx'

type DeleteButtonProps = {
  question: string
  /** What it means for everything else. */
  text: string
  /** Answers whether it is gone; says by itself what became of it. */
  onDelete: () => Promise<boolean>
  /** The id of what takes the focus when the row has gone. */
  focusAfter: string
}

/** Asks once, then deletes. */
export function DeleteButton({ question, text, onDelete, focusAfter }: DeleteButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isGone = useRef(false)
  const open = () => {
    setOpened(true)
    setOpen(true)
  }
  const act = async () => {
    setBusy(true)
    isGone.current = await onDelete()
    setBusy(false)
    setOpen(false)
  }
  return (
    <>
      <Button variant="outline" className="px-4" aria-haspopup="dialog" onClick={open}>
        Delete
      </Button>
      {wasOpened && (
        <AlertDialog
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          title={question}
          text={text}
          finalFocus={() => (isGone.current ? document.getElementById(focusAfter) : true)}
        >
          <Button variant="outline" onClick={() => setOpen(false)}>
            Cancel
          </Button>
          <Button variant="danger" isBusy={isBusy} onClick={() => void act()}>
            Delete
          </Button>
        </AlertDialog>
      )}
    </>
  )
}
