import { formatDollars, isReduced } from '#shop/contract/money.ts'

type PriceProps = { price: number; oldPrice?: number | null; className?: string }

/** The price, and beside it what it was before, struck through. */
export function Price({ className = '', ...priced }: PriceProps) {
  const before = isReduced(priced) && priced.oldPrice
  return (
    <span className={`inline-flex flex-wrap items-baseline gap-x-2 tabular-nums ${className}`}>
      <span className={`whitespace-nowrap font-semibold ${before ? 'text-accent' : ''}`}>
        {formatDollars(priced.price)}
      </span>
      {before && (
        <del className="text-[0.875em] leading-none text-muted decoration-1">
          <span className="sr-only">Before: </span>
          <span>{formatDollars(before)}</span>
        </del>
      )}
    </span>
  )
}
