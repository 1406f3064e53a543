import type { MouseEvent } from 'react'
import { useDispatch } from 'react-redux'
import { formatDollars } from '#shop/contract/money.ts'
import { paths } from '#shop/web/paths.ts'
import { IconButton } from '#shop/web/ui/button.tsx'
import { notePageMoved } from '#shop/web/ui/double-clicks.ts'
import { MinusIcon, PlusIcon } from '#shop/web/ui/icons.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import type { LineChange } from './cart-changes.ts'
import { cartOf, decrement, increment, maxQuantity, remove, type CartLine } from './cart.ts'

type CartLineItemProps = {
  line: CartLine
  change: LineChange
  /** While the checkout is being opened with these lines. */
  isLocked: boolean
}

export function CartLineItem({ line, change, isLocked }: CartLineItemProps) {
  const nameId = `cart-line-${line._id}`
  const isGone = change.kind === 'gone'
  return (
    <li
      tabIndex={-1}
      data-changed={change.kind === 'same' ? undefined : ''}
      className="relative flex gap-3 py-5 outline-none after:pointer-events-none after:absolute after:-inset-x-3 after:inset-y-1 after:outline-accent focus-visible:after:outline-2 min-[22.5rem]:gap-4"
    >
      <div className={`w-16 shrink-0 min-[22.5rem]:w-22 ${isGone ? 'opacity-50' : ''}`}>
        <Picture src={line.image} alt="" ratio="portrait" sizes="88px" className="rounded-cut" />
      </div>
      <div className="flex min-w-0 grow flex-col">
        <div className="flex flex-wrap items-start justify-between gap-x-4">
          <Link
            id={nameId}
            to={paths.product(line._id)}
            className="relative block min-w-0 flex-[1_1_6.5rem] leading-snug after:absolute after:inset-x-0 after:-inset-y-3 font-medium text-pretty decoration-1 underline-offset-4 wrap-anywhere hover:underline"
          >
            {line.name}
          </Link>
          {change.kind === 'same' && (
            <p className="ml-auto shrink-0 leading-snug font-semibold tabular-nums">
              {formatDollars(cartOf([line]).totalPrice)}
            </p>
          )}
        </div>
        <LineDetail line={line} change={change} />
        <div className="mt-auto flex flex-wrap items-center justify-between gap-x-2 pt-2">
          {isGone ? <span /> : <Quantity line={line} nameId={nameId} isLocked={isLocked} />}
          <RemoveButton line={line} nameId={nameId} isLocked={isLocked} />
        </div>
      </div>
    </li>
  )
}

function LineDetail({ line, change }: { line: CartLine; change: LineChange }) {
  if (change.kind === 'gone') {
    return <p className="mt-1 text-small font-semibold text-accent">No longer available</p>
  }
  if (change.kind === 'price') {
    return (
      <p className="mt-1 flex flex-wrap items-baseline gap-x-2 text-small tabular-nums">
        <span className="text-muted">
          Was <del>{formatDollars(line.price)}</del>
        </span>
        <strong className="font-semibold text-accent">{`Now ${formatDollars(change.now)}`}</strong>
      </p>
    )
  }
  const each = line.quantity > 1 && `${formatDollars(line.price)} each`
  const most = line.quantity === maxQuantity && `${maxQuantity} at most`
  return (
    <p className="mt-1 text-small text-muted tabular-nums first-letter:uppercase">
      {[line.color, each, most].filter(Boolean).join(' · ')}
    </p>
  )
}

type ControlProps = { line: CartLine; nameId: string; isLocked: boolean }

function Quantity({ line, nameId, isLocked }: ControlProps) {
  const dispatch = useDispatch()
  return (
    <div className="flex items-center rounded-cut border border-edge">
      <IconButton
        aria-label="Decrease quantity"
        aria-describedby={nameId}
        aria-disabled={isLocked || undefined}
        onClick={() => !isLocked && dispatch(decrement(line._id))}
        className={line.quantity === 1 ? 'text-muted' : ''}
      >
        <MinusIcon className="size-4" />
      </IconButton>
      <span className="min-w-7 text-center text-small font-semibold tabular-nums">
        <span className="sr-only">Quantity: </span>
        <span aria-live="polite">{line.quantity}</span>
      </span>
      <IconButton
        aria-label="Increase quantity"
        aria-describedby={nameId}
        aria-disabled={isLocked || undefined}
        onClick={() => !isLocked && dispatch(increment(line._id))}
        className={line.quantity === maxQuantity ? 'text-muted' : ''}
      >
        <PlusIcon className="size-4" />
      </IconButton>
    </div>
  )
}

function RemoveButton({ line, nameId, isLocked }: ControlProps) {
  const dispatch = useDispatch()
  const removeLine = (event: MouseEvent<HTMLButtonElement>) => {
    if (isLocked) return
    focusNeighbour(event.currentTarget)
    dispatch(remove(line._id))
    notePageMoved()
  }
  return (
    <button
      type="button"
      aria-describedby={nameId}
      aria-disabled={isLocked || undefined}
      onClick={removeLine}
      className="thread-link -mx-2 min-h-11 px-2 text-small text-muted hover:text-ink"
    >
      Remove
    </button>
  )
}

/**
 * The button disappears with its line, and keyboard focus would start again from the top. The focus goes to a line
 * and not to its button, so that a key pressed twice, or held, removes one product only.
 */
function focusNeighbour(button: HTMLElement) {
  const item = button.closest('li')
  const next = item?.nextElementSibling ?? item?.previousElementSibling
  if (next instanceof HTMLElement) next.focus()
}
