import type { ReactNode } from 'react'
import { Button } from '#shop/web/ui/button.tsx'
import { Dialog } from '#shop/web/ui/dialog.tsx'

type FilterSheetProps = {
  isOpen: boolean
  onClose: () => void
  total: number | undefined
  clearAll: ReactNode
  children: ReactNode
}

/** The filters on a phone: the shop behind follows each choice, and the button says how many products are left. */
export function FilterSheet({ isOpen, onClose, total, clearAll, children }: FilterSheetProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Filters"
      variant="sheet"
      footer={
        <div className="flex flex-wrap gap-3 *:min-w-max *:flex-1">
          {clearAll}
          <Button onClick={onClose}>{total === undefined ? 'Show products' : `Show ${total}`}</Button>
        </div>
      }
    >
      {children}
    </Dialog>
  )
}
