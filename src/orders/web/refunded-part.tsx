import { formatDollars } from '#shop/contract/money.ts'

/** Stands below an order's amount: how much of it was refunded. */
export function RefundedPart({ refunded }: { refunded: number }) {
  if (refunded === 0) return null
  return (
    <span className="block text-small font-normal text-accent tabular-nums">
      {`${formatDollars(refunded)} refunded`}
    </span>
  )
}
