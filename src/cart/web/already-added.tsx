import { Button } from '#shop/web/ui/button.tsx'
import { AlertDialog } from '#shop/web/ui/dialog.tsx'

/** In a file of its own because dialogs are heavy and most customers never see this one. */
export function AlreadyAdded({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <AlertDialog isOpen={isOpen} onClose={onClose} title="Error!" text="Product already Added to Cart">
      <Button onClick={onClose}>It&apos;s Ok</Button>
    </AlertDialog>
  )
}
