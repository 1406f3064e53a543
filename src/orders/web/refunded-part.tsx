import { formatDollars } from '#shop/contract/money.ts'

/** Below an order's amount, how much of it was given back. */
export function RefundedPart({ refunded }: { refunded: number }) {
  if (refunded === 0) return null
  return (
    <span className="block text-small font-normal text-accent tabular-nums">
      {`${formatDollars(refunded)} refunded`}
    </span>
  )
}
