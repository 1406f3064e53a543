import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { paths } from '#shop/web/paths.ts'
import { BagIcon } from '#shop/web/ui/icons.tsx'
import { Button, ButtonLink } from '#shop/web/ui/button.tsx'
import { Dialog } from '#shop/web/ui/dialog.tsx'
import { notePageMoved } from '#shop/web/ui/double-clicks.ts'
import { changeOf, hasChanges, updatedLines } from './cart-changes.ts'
import { CartFooter } from './cart-footer.tsx'
import { CartLineItem } from './cart-line-item.tsx'
import { cartOf, clear, replaceLines, restore, selectCart, type CartLine } from './cart.ts'
import { useStripeSignals } from './stripe-signals.ts'
import { useCheckout } from './use-checkout.ts'

type CartPanelProps = { isOpen: boolean; onClose: () => void }

export function CartPanel({ isOpen, onClose }: CartPanelProps) {
  const cart = useSelector(selectCart)
  const dispatch = useDispatch()
  const [cleared, setCleared] = useState<CartLine[]>([])
  const { checkout, start, reset } = useCheckout()
  useStripeSignals(isOpen)
  const [wasOpen, setWasOpen] = useState(isOpen)
  const [wasEmpty, setWasEmpty] = useState(cart.products.length === 0)
  // Resets here, because the browser's Back closes the panel too, without any handler in here.
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen)
    setCleared([])
    setWasEmpty(cart.products.length === 0)
    reset()
  }

  const lines = cart.products
  const isBusy = checkout.step === 'busy'
  const answer =
    checkout.step === 'changed' && hasChanges(lines, checkout.answer) ? checkout.answer : undefined
  const updated = answer && updatedLines(lines, answer)
  const sentence = checkout.step === 'failed' && checkout.lines === lines ? checkout.sentence : undefined
  useShowFirstChange(answer !== undefined)

  const undo = () => {
    dispatch(restore(cleared))
    setCleared([])
    notePageMoved()
  }
  const footer = (
    <CartFooter
      total={cart.totalPrice}
      newTotal={updated && cartOf(updated).totalPrice}
      lineCount={lines.length}
      isBusy={isBusy}
      sentence={sentence}
      onCheckout={() => void start()}
      onUpdate={updated && (() => dispatch(replaceLines(updated)))}
      onClear={() => {
        setCleared(lines)
        dispatch(clear())
      }}
    />
  )
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Cart"
      variant="drawer"
      footer={lines.length > 0 && footer}
    >
      {lines.length > 0 ? (
        <ul className="-my-5 divide-y divide-line">
          {lines.map((line) => (
            <CartLineItem
              key={line._id}
              line={line}
              change={answer ? changeOf(line, answer) : { kind: 'same' }}
              isLocked={isBusy}
            />
          ))}
        </ul>
      ) : (
        <EmptyCart hasJustBecomeEmpty={!wasEmpty} onUndo={cleared.length > 0 ? undo : undefined} />
      )}
    </Dialog>
  )
}

type EmptyCartProps = {
  /** Whether the cart became empty while the panel was open. */
  hasJustBecomeEmpty: boolean
  onUndo: (() => void) | undefined
}

function EmptyCart({ hasJustBecomeEmpty, onUndo }: EmptyCartProps) {
  return (
    <div className="flex min-h-full flex-col items-center justify-center gap-5 py-10 text-center">
      <BagIcon className="size-10 text-muted" />
      <p
        role="status"
        tabIndex={-1}
        ref={hasJustBecomeEmpty ? focus : undefined}
        className="font-display text-section"
      >
        Your cart is empty.
      </p>
      <p className="max-w-[18rem] text-muted">What you put in it stays on this device until you come back.</p>
      <div className="mt-2 flex flex-wrap justify-center gap-3">
        {onUndo && (
          <Button variant="outline" onClick={onUndo}>
            Undo
          </Button>
        )}
        <ButtonLink to={paths.shop}>Go to the shop</ButtonLink>
      </div>
    </div>
  )
}

/** Scrolls to the first changed line, which may lie beyond the edge of a phone. */
function useShowFirstChange(isChanged: boolean) {
  useEffect(() => {
    if (isChanged) document.querySelector('[data-changed]')?.scrollIntoView({ block: 'nearest' })
  }, [isChanged])
}

/**
 * Takes the focus when Remove or Clear cart is gone. Neither Close nor Undo does, because of keys that are pressed
 * twice. Always the same function: React would call a new one on every render.
 */
function focus(sentence: HTMLElement | null): void {
  sentence?.focus()
}
