import { useState } from 'react'
import { useSelector } from 'react-redux'
import { IconButton } from '#shop/web/ui/button.tsx'
import { BagIcon } from '#shop/web/ui/icons.tsx'
import { part } from '#shop/web/ui/part.tsx'
import { selectCartCount } from './cart.ts'

const CartPanel = part(async () => (await import('./cart-panel.tsx')).CartPanel)

export function CartButton() {
  const count = useSelector(selectCartCount)
  const [isOpen, setOpen] = useState<boolean>()
  return (
    <>
      <IconButton
        aria-label={`Cart, ${count} ${count === 1 ? 'item' : 'items'}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen ?? false}
        onClick={() => setOpen(true)}
        className="noscript:hidden"
      >
        <BagIcon />
        {count > 0 && (
          <span className="absolute top-0.5 right-0 grid h-5 min-w-5 place-items-center rounded-round bg-accent px-1 text-[0.6875rem] leading-none font-semibold text-on-accent tabular-nums">
            {count}
          </span>
        )}
      </IconButton>
      {isOpen !== undefined && (
        <CartPanel open={isOpen} onOpenChange={setOpen} onMissing={() => setOpen(undefined)} />
      )}
    </>
  )
}
