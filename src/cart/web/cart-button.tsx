import { useSelector } from 'react-redux'
import { IconButton } from '#shop/web/ui/button.tsx'
import { BagIcon } from '#shop/web/ui/icons.tsx'
import { useOverlay } from '#shop/web/ui/overlay.ts'
import { part } from '#shop/web/ui/part.tsx'
import { selectCartCount } from './cart.ts'

const CartPanel = part(async () => (await import('./cart-panel.tsx')).CartPanel)

export function CartButton() {
  const count = useSelector(selectCartCount)
  const { isOpen, wasOpened, open, close, giveUp } = useOverlay()
  return (
    <>
      <IconButton
        aria-label={`Cart, ${count} ${count === 1 ? 'item' : 'items'}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={open}
        className="noscript:hidden"
      >
        <BagIcon />
        {count > 0 && (
          <span className="absolute top-0.5 right-0 grid h-5 min-w-5 place-items-center rounded-round bg-accent px-1 text-[0.6875rem] leading-none font-semibold text-on-accent tabular-nums">
            {count}
          </span>
        )}
      </IconButton>
      {wasOpened && <CartPanel isOpen={isOpen} onClose={close} onMissing={giveUp} />}
    </>
  )
}
