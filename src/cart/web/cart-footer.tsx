import { useRef } from 'react'
import { useSelector } from 'react-redux'
import { useLocation } from 'react-router'
import { selectUser } from '#shop/accounts/web/session.ts'
import { formatDollars } from '#shop/contract/money.ts'
import { paths } from '#shop/web/paths.ts'
import { Button } from '#shop/web/ui/button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { maxLines } from './cart.ts'

type CartFooterProps = {
  total: number
  /** The total once the customer has accepted the shop's changes. */
  newTotal: number | undefined
  lineCount: number
  isBusy: boolean
  /** Why no checkout could be opened. */
  sentence: string | undefined
  onCheckout: () => void
  /** Set when the cart differs from what the shop has: the customer has to accept that first. */
  onUpdate: (() => void) | undefined
  onClear: () => void
}

export function CartFooter(props: CartFooterProps) {
  const { total, newTotal, lineCount, isBusy, sentence, onCheckout, onUpdate, onClear } = props
  const totalLine = useRef<HTMLParagraphElement>(null)
  const isTooLong = lineCount > maxLines
  const update = () => {
    onUpdate?.()
    // Not Checkout: a second key press would pay before anybody has read how much.
    totalLine.current?.focus()
  }
  return (
    <div className="flex flex-col gap-3">
      <div role={sentence || onUpdate ? 'alert' : undefined} aria-live="assertive" className="empty:-mb-3">
        {(sentence || onUpdate) && (
          <p className="border-l-4 border-accent bg-sunken px-4 py-3 text-small">
            {onUpdate
              ? 'Your cart has changed: look at the marked lines, then update the cart to go on.'
              : sentence}
          </p>
        )}
      </div>
      {isTooLong && (
        <p className="text-small text-accent">
          {`One order takes up to ${maxLines} different products: please remove ${lineCount - maxLines}.`}
        </p>
      )}
      <p
        ref={totalLine}
        tabIndex={-1}
        className="flex items-baseline justify-between gap-4 focus-visible:outline-2 focus-visible:outline-accent"
      >
        <span>Total</span>
        <span aria-live="polite" className="flex flex-wrap items-baseline justify-end gap-x-3 tabular-nums">
          {newTotal !== undefined && newTotal !== total && (
            <del className="text-muted">
              <span className="sr-only">Before: </span>
              <span>{formatDollars(total)}</span>
            </del>
          )}
          <span className="font-display text-name font-medium">{formatDollars(newTotal ?? total)}</span>
        </span>
      </p>
      {onUpdate && <Button onClick={update}>Update cart</Button>}
      <Button
        isBusy={isBusy}
        variant={onUpdate ? 'outline' : 'primary'}
        aria-disabled={Boolean(onUpdate) || isTooLong || undefined}
        onClick={onUpdate || isTooLong ? undefined : onCheckout}
        className="w-full aria-disabled:opacity-60"
      >
        Checkout
      </Button>
      <div className="flex items-center justify-between gap-4">
        <p aria-live="polite" className="flex min-h-10 items-center text-fine text-muted">
          {isBusy
            ? 'Opening our payment provider’s page…'
            : !onUpdate && 'Free delivery. You pay on our payment provider’s secure page.'}
        </p>
        <button
          type="button"
          aria-disabled={isBusy || undefined}
          onClick={() => !isBusy && onClear()}
          className="thread-link -mr-2 min-h-11 shrink-0 px-2 text-small text-muted hover:text-ink"
        >
          Clear cart
        </button>
      </div>
      <LogInFirst isBusy={isBusy} />
    </div>
  )
}

/** What was bought as a guest cannot be moved to an account later. */
function LogInFirst({ isBusy }: { isBusy: boolean }) {
  const user = useSelector(selectUser)
  const here = useLocation()
  if (user) return null
  return (
    <p className={`-mt-2 text-fine text-muted ${isBusy ? 'invisible' : ''}`}>
      <Link
        to={paths.login}
        state={{ from: here }}
        className="thread-link -my-3 inline-block py-3 font-semibold text-ink"
      >
        Log in
      </Link>{' '}
      first to have this order in your account.
    </p>
  )
}
