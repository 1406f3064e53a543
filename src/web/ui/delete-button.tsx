import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import { AlertDialog } from './dialog.tsx'
import { listCountId } from './list-page.tsx'
import { useOverlay } from './overlay.ts'

type DeleteButtonProps = {
  question: string
  /** What the deletion means for everything else. */
  text: string
  /** Resolves to whether it is deleted; tells the user about the result itself. */
  onDelete: () => Promise<boolean>
}

/** Asks once, then deletes. */
export function DeleteButton({ question, text, onDelete }: DeleteButtonProps) {
  const { isOpen, wasOpened, open, close } = useOverlay()
  const [isBusy, setBusy] = useState(false)
  const isGone = useRef(false)
  const act = async () => {
    setBusy(true)
    isGone.current = await onDelete()
    setBusy(false)
    close()
  }
  return (
    <>
      <Button variant="warning" className="px-4" aria-haspopup="dialog" onClick={open}>
        Delete
      </Button>
      {wasOpened && (
        <AlertDialog
          isOpen={isOpen}
          onClose={close}
          title={question}
          text={text}
          finalFocus={() => (isGone.current ? document.getElementById(listCountId) : true)}
        >
          <Button variant="outline" onClick={close}>
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
